import { openCache, type Cache, type ObjectStore } from '../store/index.js';
export function openObjectCache(objects: ObjectStore, _scratch: string): Cache {
  let c: Promise<Cache> | null = null;
  const open = () => (c ??= openCache(objects.localPath('analyses/x')!.replace(/.x$/, '')));
  return { folder: '', find: async (k) => (await open()).find(k), draft: async (k) => (await open()).draft(k) };
}

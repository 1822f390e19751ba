import type { FeatureMatrix } from '../features/index.js';
import type { Run } from '../run.js';
import { keepForLater } from './keep.js';

/** Numbers of a video's shots, and what a reader should know of how they came to be. */
export type NotedMatrix = FeatureMatrix & { readonly note: string | null };

/** Such numbers, made once and kept by what they were made from. */
export async function keptMatrix(
  run: Run,
  record: Record<string, unknown>,
  shotCount: number,
  make: () => Promise<NotedMatrix>,
): Promise<NotedMatrix> {
  const key = run.shelf.keyOf(record);
  const kept = await run.shelf.find(key);
  const header = kept?.header as { dim: number; note: string | null } | undefined;
  if (kept && header) {
    const bytes = await kept.read('rows');
    if (bytes.length === shotCount * header.dim * Float32Array.BYTES_PER_ELEMENT) {
      const data = new Float32Array(shotCount * header.dim);
      new Uint8Array(data.buffer).set(bytes);
      return { shotCount, dim: header.dim, data, note: header.note };
    }
  }
  const made = await make();
  const rows = new Uint8Array(made.data.buffer, made.data.byteOffset, made.data.byteLength);
  await keepForLater(run, key, { schema: 'rows.1', dim: made.dim, note: made.note }, { rows });
  return made;
}

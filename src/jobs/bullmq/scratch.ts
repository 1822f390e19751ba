import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';

import { isAlive } from '../../base/index.js';

/** A folder of this worker's own below `root`. What dead workers of this machine left there is cleared away first. */
export async function openScratch(root: string): Promise<string> {
  const folder = resolve(root);
  const ours = `worker-${hostname()}-`;
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(ours) ? Number(name.slice(ours.length).split('-')[0]) : NaN;
    // In a container that began anew the dead worker had our own number.
    if (Number.isInteger(pid) && (pid === process.pid || !isAlive(pid))) await rm(join(folder, name), { recursive: true, force: true }); // prettier-ignore
  }
  return mkdtemp(join(folder, `${ours}${process.pid}-`));
}

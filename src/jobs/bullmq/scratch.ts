import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';

import { isAlive, messageOf, UsageError } from '../../base/index.js';

/** Makes a folder for this worker inside `root`. First removes what dead workers of this machine left there. */
export async function openScratch(root: string): Promise<string> {
  try {
    return await clearAndMake(root);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? messageOf(error);
    throw new UsageError(
      'bad-scratch',
      `Expected a folder that can be written at "${resolve(root)}", for temporary files, found none (${reason}). Choose another with --scratch.`,
      { cause: error },
    );
  }
}

async function clearAndMake(root: string): Promise<string> {
  const folder = resolve(root);
  const ours = `worker-${hostname()}-`;
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(ours) ? Number(name.slice(ours.length).split('-')[0]) : NaN;
    // In a restarted container, the dead worker had the same process id as this one.
    if (Number.isInteger(pid) && (pid === process.pid || !isAlive(pid))) await rm(join(folder, name), { recursive: true, force: true }); // prettier-ignore
  }
  return mkdtemp(join(folder, `${ours}${process.pid}-`));
}

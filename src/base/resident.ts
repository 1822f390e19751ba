import { readFile } from 'node:fs/promises';

/** Bytes a process has in memory, as Linux tells; 0 elsewhere, and of one that has ended. */
export async function residentBytes(pid: number | string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

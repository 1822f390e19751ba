import { readFile } from 'node:fs/promises';

/** Bytes that a process has in memory, on Linux; 0 on other systems, and for a process that has ended. */
export async function residentBytes(pid: number | string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

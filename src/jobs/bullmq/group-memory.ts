import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { residentBytes } from '../../base/index.js';

/** Bytes of memory of each process group: the process of a task with the decoders and encoders it started. */
export async function groupMemory(groups: readonly number[]): Promise<Map<number, number>> {
  const sums = new Map(groups.map((group) => [group, 0]));
  for await (const { group, bytes } of process.platform === 'linux' ? fromProc(sums) : fromPs()) {
    const sum = sums.get(group);
    if (sum !== undefined) sums.set(group, sum + bytes);
  }
  return sums;
}

type Member = { readonly group: number; readonly bytes: number };

async function* fromProc(wanted: ReadonlyMap<number, unknown>): AsyncIterable<Member> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    // The name of a program may contain spaces and brackets; plain fields follow its last bracket.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    if (!wanted.has(group)) continue;
    yield { group, bytes: await residentBytes(pid) };
  }
}

async function* fromPs(): AsyncIterable<Member> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pgid=,rss=']);
  for (const line of stdout.split('\n')) {
    const [group, kilobytes] = line.trim().split(/\s+/).map(Number);
    if (group && kilobytes) yield { group, bytes: kilobytes * 1024 };
  }
}

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

/** CPU and wall seconds, and peak memory in MB. Other work on the machine lengthens `wall` and hardly `cpu`. */
export type Cost = { readonly cpu: number; readonly wall: number; readonly peak: number };

/**
 * Runs a program to its end: what it and all it started took. With `mark`, also what they had taken when they last wrote a
 * line like it, and what they took from then on; programs that ended within half a second count to the latter. Linux.
 */
export async function measure(
  command: string,
  args: readonly string[],
  mark?: RegExp,
): Promise<Cost & { readonly before: Cost; readonly after: Cost }> {
  const ended = childrenSeconds();
  const start = performance.now();
  const since = (): number => (performance.now() - start) / 1000;
  let before: Cost = { cpu: 0, wall: 0, peak: 0 };
  let peak = 0;
  await new Promise<void>((done, fail) => {
    const child = spawn(command, args, { stdio: ['ignore', mark ? 'pipe' : 'ignore', mark ? 'pipe' : 'inherit'] });
    // By process: one that ended may be counted nowhere until whoever started it has seen that.
    const seen = new Map<number, number>();
    const look = (): void => {
      const { megabytes, seconds } = read(child.pid!);
      peak = Math.max(peak, megabytes);
      for (const [pid, cpu] of seconds) seen.set(pid, cpu);
    };
    const watch = setInterval(look, 500);
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface(stream).on('line', (line) => {
        said.push(line);
        if (!mark?.test(line)) return;
        look();
        before = { cpu: [...seen.values()].reduce((sum, cpu) => sum + cpu, 0), wall: since(), peak: Math.max(before.peak, peak) }; // prettier-ignore
        peak = 0;
      });
    }
    child.on('error', fail).on('close', (code) => {
      clearInterval(watch);
      if (code === 0) done();
      else fail(new Error(`${basename(command)} ended with ${code}. ${said.slice(-5).join('\n')}`));
    });
  });
  const [cpu, wall] = [childrenSeconds() - ended, since()];
  const after = { cpu: cpu - before.cpu, wall: wall - before.wall, peak };
  return { cpu, wall, peak: Math.max(before.peak, peak), before, after };
}

/** Ticks of the clock in /proc, a second: 100 on every Linux. */
const TICKS = 100;

/** CPU seconds of this process's children that have ended, theirs included. */
function childrenSeconds(): number {
  const fields = statOf('self');
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** A process and all below it: memory in MB together, and the CPU seconds of each so far. */
function read(root: number): { megabytes: number; seconds: Map<number, number> } {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    unlessEnded(() => {
      const parent = Number(statOf(name)[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    });
  }
  let kilobytes = 0;
  const seconds = new Map<number, number>();
  const shared = new Map<string, number>();
  for (const waiting = [root]; waiting.length > 0;) {
    const pid = waiting.pop()!;
    waiting.push(...(children.get(pid) ?? []));
    unlessEnded(() => {
      const fields = statOf(String(pid));
      seconds.set(pid, (Number(fields[11]) + Number(fields[12])) / TICKS);
      kilobytes += readMemory(pid, shared);
    });
  }
  for (const size of shared.values()) kilobytes += size;
  return { megabytes: kilobytes / 1024, seconds };
}

/**
 * Kilobytes that are a process's own. What it shares goes into `shared`, by stretch of a file and once for all: the kernel's
 * own sum (Pss) halves what this bench has too, which is a Node as well.
 */
function readMemory(pid: number, shared: Map<string, number>): number {
  let own = 0;
  for (const mapping of readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)) {
    const sum = (kind: string): number =>
      [...mapping.matchAll(new RegExp(`^${kind}_(?:Clean|Dirty): +(\\d+)`, 'gm'))].reduce(
        (all, [, kb]) => all + Number(kb),
        0,
      );
    own += sum('Private');
    const [, , offset, device, inode] = mapping.split(/\s+/, 5);
    const name = inode === '0' ? `${pid} ${mapping.split(' ', 1)[0]}` : `${device} ${inode} ${offset}`;
    shared.set(name, Math.max(shared.get(name) ?? 0, sum('Shared')));
  }
  return own;
}

/** The fields of a process's line behind its name, from the third on: utime, stime, cutime and cstime are 11 to 14. */
function statOf(pid: string): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
}

function unlessEnded(look: () => void): void {
  try {
    look();
  } catch {
    // It ended while we looked.
  }
}

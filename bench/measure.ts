import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

/** CPU and wall seconds, and peak memory in MB. Other work on the machine lengthens `wall` and hardly `cpu`. */
export type Cost = { readonly cpu: number; readonly wall: number; readonly peak: number };

/**
 * Runs a program to its end: what it and all it started took. With `mark`, also what they had taken when they last wrote a
 * line like it, and what they took from then on. Linux.
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
    const look = (): void => void (peak = Math.max(peak, read(child.pid!).megabytes));
    const watch = setInterval(look, 500);
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface(stream).on('line', (line) => {
        said.push(line);
        if (!mark?.test(line)) return;
        before = { cpu: read(child.pid!).seconds, wall: since(), peak: Math.max(before.peak, peak) };
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

/** A process and all below it: memory in MB, pages shared between them counted once, and CPU seconds so far. */
function read(root: number): { megabytes: number; seconds: number } {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    unlessEnded(() => {
      const parent = Number(statOf(name)[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    });
  }
  let [megabytes, seconds] = [0, 0];
  for (const waiting = [root]; waiting.length > 0;) {
    const pid = waiting.pop()!;
    waiting.push(...(children.get(pid) ?? []));
    unlessEnded(() => {
      const fields = statOf(String(pid));
      for (const at of [11, 12, 13, 14]) seconds += Number(fields[at]) / TICKS;
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      megabytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
    });
  }
  return { megabytes, seconds };
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

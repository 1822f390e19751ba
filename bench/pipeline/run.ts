// npm run bench:pipeline -- VIDEO...     CPU time of analysing, and of a whole run without films, against decoding alone; Linux, after a build
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { UsageError } from '../../src/base/index.js';
import { locateFfmpeg, probe } from '../../src/media/index.js';

const ROUNDS = 3;
/** Short files are played over and over to this length, so that starting programs counts as it does in a longer video. */
const SECONDS = 300;
const cli = resolve(import.meta.dirname, '../../dist/cli/main.js');
const videos = process.argv.slice(2);
if (videos.length === 0) throw new UsageError('no-videos', 'Expected videos to measure on, found none. Name some.');

const { path: ffmpeg, version } = await locateFfmpeg();
const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
const threads = availableParallelism();
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};

/** CPU seconds of this process's children that have ended, theirs included. */
function childrenSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  // cutime and cstime are fields 16 and 17 of the line; 100 ticks a second on every Linux.
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Memory of a process and all below it, in MB, pages shared between them counted once. */
function treeMegabytes(root: number): number {
  let total = 0;
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended while we looked.
    }
  }
  for (const waiting = [root]; waiting.length > 0;) {
    const pid = waiting.pop()!;
    waiting.push(...(children.get(pid) ?? []));
    try {
      total += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
    } catch {
      // As above.
    }
  }
  return total;
}

async function measure(command: string, args: readonly string[]): Promise<{ cpu: number; peak: number }> {
  const before = childrenSeconds();
  let peak = 0;
  await new Promise<void>((done, fail) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const watch = setInterval(() => (peak = Math.max(peak, treeMegabytes(child.pid!))), 250);
    child.on('error', fail).on('close', (code) => {
      clearInterval(watch);
      if (code === 0) done();
      else fail(new Error(`${basename(command)} ended with ${code}`));
    });
  });
  return { cpu: childrenSeconds() - before, peak };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

say(
  `${cpus()[0]?.model}, ${threads} threads, Node ${process.version}, ffmpeg ${version}; medians of ${ROUNDS} interleaved rounds`,
);
say(
  '  CPU time, against `ffmpeg -f null` of the same file with the same threads. Whole: `summarize --no-films` on an empty',
);
say(
  '  cache. Analysing: the whole, less the same again from the full cache (choosing, storyboard, report), plus `--version` (starting)',
);
try {
  for (const given of videos) {
    const info = await probe(given);
    const long = join(folder, `long${given.slice(given.lastIndexOf('.'))}`);
    const times = Math.ceil(SECONDS / (info.durationHint ?? SECONDS)) - 1;
    spawnSync(ffmpeg, [
      '-v',
      'error',
      '-stream_loop',
      String(times),
      '-i',
      given,
      '-map',
      '0:v:0',
      '-c',
      'copy',
      '-y',
      long,
    ]);
    const plain = [
      '-v',
      'error',
      '-nostdin',
      '-threads',
      String(threads),
      '-i',
      long,
      '-map',
      '0:v:0',
      '-f',
      'null',
      '-',
    ];
    const place = join(folder, 'run');
    const args = ['summarize', long, '--no-films', '--quiet', '--cache', `${place}/cache`, '--jobs', '1'];
    const runs: Record<string, number[]> = {};
    let peak = 0;
    const run = async (name: string, command: string, given: readonly string[]): Promise<void> => {
      const measured = await measure(command, given);
      (runs[name] ??= []).push(measured.cpu);
      peak = Math.max(peak, measured.peak);
    };
    const throughline = (name: string, ...given: string[]): Promise<void> =>
      run(name, process.execPath, [cli, ...given]);
    for (let round = 0; round < ROUNDS; round++) {
      await run('decode', ffmpeg, plain);
      await throughline('whole', ...args, '--out', `${place}/first`);
      await throughline('again', ...args, '--out', `${place}/again`);
      await throughline('start', '--version');
      rmSync(place, { recursive: true, force: true });
      await throughline('fast', ...args, '--out', `${place}/fast`, '--fast');
      rmSync(place, { recursive: true, force: true });
    }
    const took = (name: string): number => median(runs[name]!);
    const told = (seconds: number): string => `${seconds.toFixed(1)} s: ${(seconds / took('decode')).toFixed(2)} ×`;
    const analysing = took('whole') - took('again') + took('start');
    say(
      `  ${basename(given).padEnd(32)} ${info.widthPx} × ${info.heightPx} ${info.codec}, decoding ${took('decode').toFixed(1)} s`,
    );
    say(
      `      analysing ${told(analysing)}, whole ${told(took('whole'))}, whole with --fast ${told(took('fast'))}   peak ${peak.toFixed(0)} MB`,
    );
  }
  writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

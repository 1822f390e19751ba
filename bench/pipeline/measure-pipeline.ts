import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { locateFfmpeg, probe } from '../../src/media/index.js';
import { measure } from '../measure.js';

export const ROUNDS = 3;
/** Short files are played over and over to this length, so that starting programs counts as it does in a longer video. */
const SECONDS = 300;
const cli = resolve(import.meta.dirname, '../../dist/cli/main.js');

/** CPU seconds on a video, medians of a few interleaved rounds, and the highest memory of all runs in MB. */
export type PipelineCost = {
  /** `1280 × 720 h264`. */
  readonly size: string;
  /** `ffmpeg -f null` with the same threads. */
  readonly decode: number;
  /** The whole, less the same again from the full cache (choosing, storyboard, report), plus starting. */
  readonly analysing: number;
  /** `summarize --no-films` on an empty cache; and the same with `--fast`. */
  readonly whole: number;
  readonly fast: number;
  readonly peak: number;
};

export async function measurePipeline(given: string): Promise<PipelineCost> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
  try {
    return await measureIn(folder, given);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureIn(folder: string, given: string): Promise<PipelineCost> {
  const { path: ffmpeg } = await locateFfmpeg();
  const info = await probe(given);
  const long = join(folder, `long${given.slice(given.lastIndexOf('.'))}`);
  const times = Math.ceil(SECONDS / (info.durationHint ?? SECONDS)) - 1;
  const quiet = ['-v', 'error', '-nostdin'];
  spawnSync(ffmpeg, [...quiet, '-stream_loop', String(times), '-i', given, '-map', '0:v:0', '-c', 'copy', '-y', long]);
  const threads = String(availableParallelism());
  const plain = [...quiet, '-threads', threads, '-i', long, '-map', '0:v:0', '-f', 'null', '-'];
  const place = join(folder, 'run');
  const args = ['summarize', long, '--no-films', '--quiet', '--cache', `${place}/cache`, '--jobs', '1'];
  const runs: Record<string, number[]> = {};
  let peak = 0;
  const run = async (name: string, command: string, given: readonly string[]): Promise<void> => {
    const measured = await measure(command, given);
    (runs[name] ??= []).push(measured.cpu);
    peak = Math.max(peak, measured.peak);
  };
  const throughline = (name: string, ...given: string[]): Promise<void> => run(name, process.execPath, [cli, ...given]);
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
  return {
    size: `${info.widthPx} × ${info.heightPx} ${info.codec}`,
    decode: took('decode'),
    analysing: took('whole') - took('again') + took('start'),
    whole: took('whole'),
    fast: took('fast'),
    peak,
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

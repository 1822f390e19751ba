import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { locateFfmpeg, probe } from '../../src/media/index.js';
import { measure } from '../measure.js';

/** Interleaved rounds a video; $ROUNDS asks for another number. */
export const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
/** Short files are played over and over to this length, so that starting programs counts as it does in a longer video. */
export const SECONDS = 300;
const cli = resolve(import.meta.dirname, '../../dist/cli/main.js');

/** What a video took in one round, in CPU seconds. */
export type Round = {
  /** `ffmpeg -f null` with the same threads. */
  readonly decode: number;
  /** The same with ffmpeg's own detection of scenes, which looks at pictures in full size and gives hard cuts only. */
  readonly scenes: number;
  /** `summarize --no-films` on an empty cache, from the start of the program until the video is analysed and kept. */
  readonly analysing: number;
  /** The same to its end; and all of it with `--fast`. */
  readonly whole: number;
  readonly fast: number;
};

export type PipelineCost = {
  /** `1280 × 720 h264`. */
  readonly size: string;
  readonly rounds: readonly Round[];
  /** The highest memory of all runs, in MB. */
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
  const rounds: Round[] = [];
  let peak = 0;
  const run = async (command: string, given: readonly string[], mark?: RegExp): ReturnType<typeof measure> => {
    const measured = await measure(command, given, mark);
    peak = Math.max(peak, measured.peak);
    return measured;
  };
  const summarize = async (...given: string[]): ReturnType<typeof measure> => {
    const empty = ['--cache', `${place}/cache`, '--out', `${place}/out`];
    const args = ['summarize', long, '--no-films', '--jobs', '1', ...empty, ...given];
    const measured = await run(process.execPath, [cli, ...args], /^analysed: /);
    rmSync(place, { recursive: true, force: true });
    return measured;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const { cpu: decode } = await run(ffmpeg, plain);
    const { cpu: scenes } = await run(ffmpeg, plain.toSpliced(-3, 0, '-vf', 'scdet'));
    const { before, cpu: whole } = await summarize();
    const { cpu: fast } = await summarize('--fast');
    rounds.push({ decode, scenes, analysing: before.cpu, whole, fast });
  }
  return { size: `${info.widthPx} × ${info.heightPx} ${info.codec}`, rounds, peak };
}

// @module-tag slow
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { parseSummary, summarizeTopic, type OptionsInput, type Outcome, type RunEvent } from 'throughline-video';
import { random } from '../../src/base/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { runFfmpeg } from '../fixtures/run.js';

const [WIDTH, HEIGHT, RATE, SHOT] = [96, 54, 25, 40];
const SAMPLES = 48_000 / RATE;

/** Kinds of the shots of each video. Every shot shows the same texture; only how it moves or sounds tells kinds apart. */
const KINDS = {
  'one.mp4': ['still hum', 'fast hiss', 'still hiss', 'fast hum'],
  'two.mp4': ['fast hiss', 'fast hum', 'still hum', 'still hiss'],
  'three.mp4': ['still hiss', 'still hum', 'fast hum', 'fast hiss'],
} as const;
type Name = keyof typeof KINDS;
const NAMES = Object.keys(KINDS).sort() as Name[];

let home: string;
let ffmpeg: string;
const at = (...parts: string[]): string => join(home, ...parts);

/** A smooth texture that repeats at its edges. */
function texture(): (x: number, y: number) => number {
  const dice = random(3);
  const waves = Array.from({ length: 8 }, () => [1 + dice.below(4), dice.below(3), dice.next() * 6] as const);
  return (x, y) =>
    128 + waves.reduce((sum, [u, v, phase]) => sum + 14 * Math.sin((2 * Math.PI * (u * x)) / WIDTH + (2 * Math.PI * v * y) / HEIGHT + phase), 0); // prettier-ignore
}

function* paint(kinds: readonly string[]): Generator<Uint8Array> {
  const value = texture();
  for (const [shot, kind] of kinds.entries()) {
    for (let t = 0; t < SHOT; t++) {
      const shift = 29 * shot + (kind.includes('fast') ? 5 * t : 0);
      yield Uint8Array.from({ length: 3 * WIDTH * HEIGHT }, (_, k) =>
        value((Math.floor(k / 3) + shift) % WIDTH, Math.floor(k / 3 / WIDTH)),
      );
    }
  }
}

function sing(kinds: readonly string[]): Uint8Array {
  const dice = random(4);
  const samples = kinds.flatMap((kind) =>
    Array.from({ length: SHOT * SAMPLES }, (_, k) =>
      kind.includes('hiss') ? dice.below(2000) - 1000 : 8000 * Math.sin((2 * Math.PI * 120 * k) / 48_000),
    ),
  );
  return new Uint8Array(Int16Array.from(samples).buffer);
}

async function draw(path: string, kinds: readonly string[], hasSound = true): Promise<void> {
  const picture = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${WIDTH}x${HEIGHT}`, '-framerate', String(RATE)];
  const sound = hasSound ? ['-f', 's16le', '-ar', '48000', '-ac', '1', '-i', 'pipe:3', '-c:a', 'aac'] : [];
  await runFfmpeg(
    ffmpeg,
    ['-v', 'error', '-y', ...picture, '-i', 'pipe:0', ...sound, '-c:v', 'libx264', '-crf', '12', '-pix_fmt', 'yuv420p', '-bitexact', path], // prettier-ignore
    [paint(kinds), ...(hasSound ? [[sing(kinds)]] : [])],
  );
}

async function run(
  options: OptionsInput,
  inputs: string | string[] = at('topic'),
): Promise<{ outcome: Outcome; cached: boolean[] }> {
  const events: RunEvent[] = [];
  const outcome = await summarizeTopic(
    inputs,
    { films: false, shots: at('shots.csv'), features: 'shallow', length: '100%', cache: at('cache'), ...options },
    { onEvent: (event) => events.push(event) },
  );
  const cached = events.flatMap((event) =>
    event.type === 'item-done' && event.stage === 'analyse' ? [event.cached] : [],
  );
  return { outcome, cached };
}

/** Of all shots, the share whose counterparts in the other videos are of the same kind of motion or sound. */
function agreement({ document }: Outcome, part: 0 | 1): number {
  const kindOf = (video: string, shot: number): string => KINDS[`${video}.mp4` as Name][shot]!.split(' ')[part]!;
  const pairs = document.videos.flatMap(({ id, shots }) =>
    shots.flatMap((shot) => shot.support.map((other) => kindOf(id, shot.index) === kindOf(other.video, other.shot))),
  );
  expect(pairs.length).toBeGreaterThan(12);
  return pairs.filter(Boolean).length / pairs.length;
}

const ranks = ({ document }: Outcome): unknown => document.videos.map(({ shots }) => shots.map(({ rank }) => rank));

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-blocks-'));
  ffmpeg = (await locateFfmpeg()).path;
  await mkdir(at('topic'));
  for (const name of NAMES) await draw(at('topic', name), KINDS[name]);
  await draw(at('silent.mp4'), KINDS['one.mp4'], false);
  const rows = [...NAMES, 'silent.mp4'].flatMap((name) =>
    [0, 1, 2, 3].map((shot) => `${name},${shot * SHOT},${(shot + 1) * SHOT}`),
  );
  await writeFile(at('shots.csv'), ['file,start_frame,end_frame', ...rows].join('\n'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

it(
  'finds the counterpart that moves alike, or sounds alike, where pictures cannot tell',
  { tags: 'slow' },
  async () => {
    const plain = (await run({ out: at('plain') })).outcome;
    expect(agreement(plain, 0)).toBeLessThan(0.8);
    expect(agreement(plain, 1)).toBeLessThan(0.8);
    expect(agreement((await run({ blocks: 'motion=0.6', out: at('motion') })).outcome, 0)).toBe(1);
    expect(agreement((await run({ blocks: 'sound=0.6', out: at('sound') })).outcome, 1)).toBe(1);
    const both = (await run({ blocks: 'motion=0.4,sound=0.4', out: at('both') })).outcome;
    expect([agreement(both, 0), agreement(both, 1)]).toEqual([1, 1]);
  },
);

it('is recorded, and read back', async () => {
  const { document } = (await run({ blocks: 'sound,motion=0.3', out: at('recorded') })).outcome;
  expect(document.options).toMatchObject({ blocks: 'sound,motion=0.3', whiten: null });
  expect(document.model.blocks).toEqual([
    { name: 'motion', version: 'motion.1', dim: 28, weight: 0.3 },
    { name: 'sound', version: 'sound.1', dim: 17, weight: 0.2 },
  ]);
  expect(parseSummary(await readFile(at('recorded', 'summary.json'), 'utf8'))).toEqual(document);
  expect((await run({ out: at('plain') })).outcome.document.model).not.toHaveProperty('blocks');
});

it(
  'costs nothing where it is off, is kept where it is on, and is the same decoded with the video or after',
  { tags: 'slow' },
  async () => {
    // An empty cache: motion is seen while the video is analysed. Then the analysis is there and motion is not.
    const together = await run({ blocks: 'motion', cache: at('cache-1'), out: at('together') });
    expect(together.cached).toEqual([false, false, false]);
    const alone = await run({ cache: at('cache-2'), out: at('alone') });
    const after = await run({ blocks: 'motion', cache: at('cache-2'), out: at('after') });
    expect(after.cached).toEqual([true, true, true]);
    const read = (folder: string): Promise<string> => readFile(at(folder, 'summary.json'), 'utf8');
    expect(await read('after')).toBe(await read('together'));
    // What was analysed with blocks serves a run without, and nothing about that run shows it.
    const without = await run({ cache: at('cache-1'), out: at('without') });
    expect(without.cached).toEqual([true, true, true]);
    expect(await read('without')).toBe(await read('alone'));
    expect(ranks(alone.outcome)).toEqual(ranks(without.outcome));
  },
);

it('takes a video without sound as silent, and says so in every run', async () => {
  const inputs = [at('topic', 'one.mp4'), at('topic', 'two.mp4'), at('silent.mp4')];
  for (const out of ['quiet-1', 'quiet-2']) {
    const { outcome } = await run({ blocks: 'sound', out: at(out) }, inputs);
    expect(outcome.document.videos).toHaveLength(3);
    expect(outcome.document.notes).toContain('"silent.mp4" has no sound and counts as silent.');
    for (const { shots } of outcome.document.videos) {
      expect(shots.every(({ score }) => Number.isFinite(score))).toBe(true);
    }
  }
});

it('evens out the directions of a topic when asked to', async () => {
  const { outcome } = await run({ whiten: 5, evidence: 0, out: at('white') });
  expect(outcome.document.options).toMatchObject({ whiten: 5 });
  expect(ranks(outcome)).not.toEqual(ranks((await run({ evidence: 0, out: at('plain') })).outcome));
});

it('refuses blocks that cannot be meant', async () => {
  for (const blocks of ['smell', 'motion=0.5,sound=0.5', 'motion=-1']) {
    await expect(run({ blocks, out: at('refused') })).rejects.toMatchObject({ code: 'bad-option' });
  }
});

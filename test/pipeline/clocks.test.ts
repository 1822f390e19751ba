// @module-tag slow
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type Outcome } from 'throughline-video';
import { recordWith, RATE, SCENES } from '../../bench/sync/draw.js';
import { toSeconds } from '../../src/base/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { runFfmpeg } from '../fixtures/run.js';

/** Two cameras at one event, the second from the seventh second on, and a third somewhere else. The first clock is set, the second an hour off. */
const CAMERAS = [
  { file: 'near.mp4', start: 0, seed: 1, created: '2024-01-31T13:00:00Z' },
  { file: 'far.mp4', start: 7, seed: 1, created: '2024-01-31T14:00:07Z' },
  { file: 'elsewhere.mp4', start: 0, seed: 2, created: '2024-01-31T12:00:00Z' },
];
const SECONDS = 24;

let home: string;
let made: Outcome;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-clocks-'));
  await mkdir(join(home, 'topic'));
  const { path: ffmpeg } = await locateFfmpeg();
  for (const [at, { file, start, seed, created }] of CAMERAS.entries()) {
    const camera = { start, seconds: SECONDS, gain: 0.4 + 0.3 * at, snrDb: 15, reverb: 0.4, ppm: 50 * at };
    const samples = recordWith(camera, SCENES.event(40, seed), at);
    const raw = join(home, `${file}.raw`);
    await writeFile(raw, new Uint8Array(samples.buffer));
    // Every camera sees something else, in scenes of four seconds.
    const scenes = Array.from({ length: SECONDS / 4 }, (_, k) => {
      const hue = (360 * (3 * k + at)) / 18;
      return `testsrc2=size=128x72:rate=10:duration=4,hue=h=${hue}:s=${1 + (k % 3)},rotate=${at + k}[v${k}]`;
    });
    const graph = `${scenes.join(';')};${scenes.map((_, k) => `[v${k}]`).join('')}concat=n=${scenes.length}[v]`;
    await runFfmpeg(ffmpeg, [
      ...['-v', 'error', '-f', 's16le', '-ar', `${RATE}`, '-ac', '1', '-i', raw, '-filter_complex', graph],
      ...['-map', '[v]', '-map', '0:a', '-metadata', `creation_time=${created}`, join(home, 'topic', file)],
    ]);
  }
  const options = { features: 'shallow', relate: false, concept: '70s', alike: 1 } as const;
  made = await summarizeTopic(join(home, 'topic'), { ...options, films: false, out: join(home, 'out'), cache: join(home, 'cache') }); // prettier-ignore
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('cameras at one event', () => {
  it('are aligned by sound, and their clocks set by it', () => {
    const clocks = new Map(made.document.concept!.clocks!.map((clock) => [clock.video, clock]));
    expect(clocks.get('near')!.heard).toMatchObject({ group: 0, offsetSeconds: 0 });
    expect(clocks.get('far')!.heard!.offsetSeconds).toBeCloseTo(7, 1);
    expect(clocks.get('elsewhere')!.heard).toBeUndefined();
    expect(clocks.get('far')!.startSeconds! - clocks.get('near')!.startSeconds!).toBeCloseTo(7, 1);
    expect(clocks.get('elsewhere')!.recorded).toEqual({ at: '2024-01-31T12:00:00Z', from: 'container' });
  });

  it('never show one instant twice, and play by time', () => {
    const { shots, order } = made.document.concept!;
    expect(order).toMatchObject({ rule: 'time' });
    const start = { near: 0, far: 7, elsewhere: -3600 };
    const played = shots.map(({ video, range }) => {
      const from = start[video as keyof typeof start];
      return { video, from: from + toSeconds(range.start, range.base), to: from + toSeconds(range.end, range.base) };
    });
    expect(new Set(shots.map(({ video }) => video)).size).toBe(3);
    for (const a of played)
      for (const b of played)
        if (a.video !== b.video) expect(Math.min(a.to, b.to) - Math.max(a.from, b.from)).toBeLessThan(0.2);
    expect(played.map(({ from }) => from)).toEqual(played.map(({ from }) => from).sort((a, b) => a - b));
  });
});

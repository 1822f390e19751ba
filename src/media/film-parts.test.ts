import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { rational } from '../base/index.js';
import { makeVideo, readBack } from '../../test/fixtures/make.js';
import { readTimes, type Timed } from '../../test/fixtures/frames.js';
import {
  encodeCuts,
  encodeReel,
  locateFfmpeg,
  type CutRequest,
  type PartStore,
  type Reel,
  type ReelCut,
} from './index.js';

let folder: string;
let ffmpeg: string;
let steady: Timed;
let irregular: Timed;
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-parts-'));
  ffmpeg = (await locateFfmpeg()).path;
  steady = await readTimes((await makeVideo(ffmpeg, at('steady.mp4'), { frameCount: 300 })).path);
  const irregularMs = Array.from({ length: 300 }, (_, frame) => frame * 40 + (frame % 7) * 5);
  irregular = await readTimes((await makeVideo(ffmpeg, at('irregular.mkv'), { irregularMs, container: 'mkv' })).path);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Frames of the source: three stretches with seconds between them, the second of two that touch. */
const SPANS = [
  [3, 40],
  [120, 121],
  [200, 230],
  [230, 262],
] as const;

function cutsOf({ info, timeBase, isDamaged, ticks }: Timed, output: string, spans: readonly (readonly [number, number])[] = SPANS): CutRequest {
  return {
    ...{ info, timeBase, isDamaged, soundTrack: 0, evenLoudness: true, format: 'mp4', output },
    stretches: spans.map(([from, to]) => ({ start: ticks[from]!, end: ticks[to]! })),
    frameCount: spans.reduce((sum, [from, to]) => sum + to - from, 0),
    titles: spans.map((_, place) => `chapter ${place + 1}`),
  };
} // prettier-ignore

function reelCut({ info, timeBase, isDamaged, ticks }: Timed, from: number, to: number): ReelCut {
  return { info, timeBase, isDamaged, stretch: { start: ticks[from]!, end: ticks[to]! }, frameCount: to - from, soundTrack: 0 }; // prettier-ignore
}

function reelOf(name: string, parts: readonly ReelCut[], fadeFrames = 6): Reel {
  const frame = { widthPx: 192, heightPx: 108, rate: rational(25, 1) };
  const titles = parts.map((_, place) => `shot ${place + 1}`);
  return { parts, frame, fit: 'letterbox', fadeFrames, evenLoudness: true, titles, format: 'mp4', output: at(name) };
}

const shots = (): ReelCut[] => [
  reelCut(steady, 5, 60),
  reelCut(irregular, 20, 70),
  reelCut(steady, 150, 190),
  reelCut(irregular, 210, 260),
];

/** Parts in a folder, and what was done with them. */
function storeIn(name: string) {
  const known = new Map<string, { file: string; frames: number }>();
  const [recalled, kept]: [string[], string[]] = [[], []];
  const parts: PartStore = {
    contentOf: (path) => path,
    async recall(identity, file) {
      const found = known.get(JSON.stringify(identity));
      if (found === undefined) return null;
      await copyFile(found.file, file);
      recalled.push(found.file);
      return found.frames;
    },
    async keep(identity, path, frames) {
      const file = at(`${name}-${known.size}`);
      await copyFile(path, file);
      known.set(JSON.stringify(identity), { file, frames });
      kept.push(file);
    },
  };
  const counts = (): [number, number] => [recalled.splice(0).length, kept.splice(0).length];
  return { parts, counts, files: () => [...known.values()].map(({ file }) => file) };
}

/** Times of all packets of a film’s pictures, in storing order, from ffmpeg’s own reader. */
function packets(path: string): { shown: number[]; stored: number[]; lengths: number[] } {
  const args = ['-v', 'error', '-i', path, '-map', '0:v', '-c', 'copy', '-copyts', '-f', 'framecrc', '-'];
  const lines = execFileSync(ffmpeg, args, { encoding: 'utf8' }).split('\n').filter((line) => line.startsWith('0,')); // prettier-ignore
  const column = (place: number): number[] => lines.map((line) => Number(line.split(',')[place]));
  return { shown: column(2), stored: column(1), lengths: column(3) };
}

const chaptersOf = (path: string): number[] =>
  [...execFileSync(ffmpeg, ['-v', 'error', '-i', path, '-f', 'ffmetadata', '-'], { encoding: 'utf8' }).matchAll(/^START=(\d+)$/gm)].map(([, start]) => Number(start)); // prettier-ignore

describe('films in parts', () => {
  it.for(['steady', 'irregular'] as const)('holds the frames of %s pictures at their exact times, parts joined', async (which) => {
    const source = which === 'steady' ? steady : irregular;
    const request = cutsOf(source, at(`${which}-film.mp4`));
    await encodeCuts(request);
    const back = await readBack(ffmpeg, request.output);
    const wanted = SPANS.flatMap(([from, to]) => Array.from({ length: to - from }, (_, k) => from + k));
    expect(back.frameNumbers).toEqual(wanted);

    let before = 0;
    const ticks = request.stretches.flatMap(({ start, end }) => {
      const lead = before;
      before += end - start;
      return source.ticks.filter((tick) => tick >= start && tick < end).map((tick) => lead + tick - start);
    });
    const { shown, stored, lengths } = packets(request.output);
    expect(shown.toSorted((a, b) => a - b)).toEqual(ticks);
    expect(stored.every((tick, k) => k === 0 || tick > stored[k - 1]!)).toBe(true);
    expect(stored.every((tick, k) => tick <= shown[k]!)).toBe(true);
    const last = shown.indexOf(Math.max(...shown));
    expect(shown[last]! + lengths[last]!).toBeLessThanOrEqual(before);
    expect(stored.at(-1)! + lengths.at(-1)!).toBeLessThanOrEqual(before);
    expect(back.beepTimes).toHaveLength(back.flashTimes.length);
    back.beepTimes.forEach((beep, k) => expect(Math.abs(beep - back.flashTimes[k]!)).toBeLessThan(0.012));
    expect(chaptersOf(request.output)).toHaveLength(SPANS.length);
  }); // prettier-ignore

  it('has the same bytes with one, two and three encoders at work, and leaves nothing behind', { tags: 'slow' }, async () => {
    const films: Buffer[][] = [];
    for (const workers of [1, 2, 3]) {
      const [cut, reel] = [cutsOf(irregular, at(`cut-${workers}.mp4`)), reelOf(`reel-${workers}.mp4`, shots())];
      await encodeCuts(cut, { workers });
      await encodeReel(reel, { workers });
      films.push([await readFile(cut.output), await readFile(reel.output)]);
    }
    for (const [cut, reel] of films.slice(1)) expect([cut!.equals(films[0]![0]!), reel!.equals(films[0]![1]!)]).toEqual([true, true]);
    expect((await readdir(folder)).filter((name) => name.includes('.part-'))).toEqual([]);
  }); // prettier-ignore

  it('encodes only what changed, to the same bytes as a film made at once', { tags: 'slow' }, async () => {
    const { parts, counts } = storeIn('kept');
    await encodeReel(reelOf('first.mp4', shots(), 0), { workers: 2, parts });
    expect(counts()).toEqual([0, 4]);
    // Another shot in the second place, so that all behind it begin elsewhere.
    const changed = shots().with(1, reelCut(irregular, 90, 120));
    await encodeReel(reelOf('changed.mp4', changed, 0), { workers: 2, parts });
    expect(counts()).toEqual([3, 1]);
    await encodeReel(reelOf('plain.mp4', changed, 0));
    expect((await readFile(at('changed.mp4'))).equals(await readFile(at('plain.mp4')))).toBe(true);

    // Where shots fade, the next one has pictures of both.
    await encodeReel(reelOf('faded.mp4', shots()), { parts });
    expect(counts()).toEqual([0, 4]);
    await encodeReel(reelOf('faded-changed.mp4', changed), { parts });
    // What ends in another way is another part too: the lengths of the fades may change.
    expect(counts()).toEqual([2, 2]);
    await encodeReel(reelOf('faded-plain.mp4', changed));
    expect((await readFile(at('faded-changed.mp4'))).equals(await readFile(at('faded-plain.mp4')))).toBe(true);
  });

  it('keeps no part of a film that failed, and says so when a kept one is cut off', { tags: 'slow' }, async () => {
    const { parts, counts, files } = storeIn('odd');
    const tooMany = [reelCut(steady, 5, 30), { ...reelCut(steady, 150, 180), frameCount: 99 }];
    await expect(encodeReel(reelOf('failed.mp4', tooMany, 0), { parts })).rejects.toMatchObject({ code: 'film-incomplete' }); // prettier-ignore
    expect(counts()).toEqual([0, 0]);
    const film = reelOf('sound.mp4', shots(), 0);
    await encodeReel(film, { parts });
    await truncate(files()[1]!, 2000);
    await expect(encodeReel(film, { parts })).rejects.toMatchObject({ code: 'film-incomplete' });
    expect((await readdir(folder)).filter((name) => name.includes('.part-'))).toEqual([]);
  });
});

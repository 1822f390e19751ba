import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type Outcome, type OptionsInput, type VideoSummary } from 'throughline-video';
import { toSeconds } from '../../src/base/index.js';
import type { DemoTopic } from '../../src/demo/index.js';
import { decode, locateFfmpeg, probe } from '../../src/media/index.js';
import { copyAnalysis, drawTopic } from '../fixtures/drawn-topic.js';

let home: string;
let topic: DemoTopic;
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-wishes-'));
  topic = await drawTopic({ folder: at('topic'), ffmpeg: (await locateFfmpeg()).path, scale: 0.2, videoCount: 4 });
  await copyAnalysis(at('cache'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

let runs = 0;
/** Without evidence, so that only wishes and the balance decide. */
function run(options: OptionsInput): Promise<Outcome> {
  return summarizeTopic(at('topic'), {
    ...{ cache: at('cache'), out: at(`out-${runs++}`), films: false, evidence: 0 },
    ...options,
  });
}

const videoOf = ({ document }: Outcome, path: string): VideoSummary =>
  document.videos.find((video) => video.path === path)!;
const filmTicks = ({ clips }: VideoSummary): number =>
  clips.reduce((sum, { range }) => sum + range.end - range.start, 0);
const clipSeconds = ({ clips, timeBase }: VideoSummary): number[] =>
  clips.map(({ range }) => toSeconds(range.end - range.start, timeBase));

describe('pins and vetoes', () => {
  it(
    'a pinned shot and an exact stretch are in, a vetoed shot and stretch are not, and the length is kept',
    { tags: 'slow' },
    async () => {
      const outcome = await run({
        length: '40%',
        pin: ['aiko.mp4#3', 'bruno.mp4@0:02-0:04.2'],
        veto: ['aiko.mp4#1', 'bruno.mp4@0:10-0:12'],
      });
      const aiko = videoOf(outcome, 'aiko.mp4');
      expect(aiko.shots[2]).toMatchObject({ pinned: true, chosen: true, rank: 0 });
      expect(aiko.shots[0]).toMatchObject({ vetoed: true, chosen: false, rank: aiko.shots.length - 1, score: 0 });
      expect(aiko.clips.some(({ startFrame, endFrame }) => startFrame <= aiko.shots[2]!.startFrame && endFrame >= aiko.shots[2]!.endFrame)).toBe(true); // prettier-ignore
      const bruno = videoOf(outcome, 'bruno.mp4');
      // 25 frames a second: 2 s is frame 50, 4.2 s frame 105, 10 and 12 s frames 250 and 300.
      const holds = (from: number, to: number): boolean =>
        bruno.clips.some(({ startFrame, endFrame }) => startFrame < to && endFrame > from);
      expect(bruno.clips.some(({ startFrame, endFrame }) => startFrame <= 50 && endFrame >= 105)).toBe(true);
      expect(holds(250, 300)).toBe(false);
      const { base, start } = bruno.range;
      const first = bruno.clips.find(({ startFrame }) => startFrame === 50);
      if (first) expect(toSeconds(first.range.start - start, base)).toBe(2);
      for (const video of outcome.document.videos) {
        expect(filmTicks(video)).toBeLessThanOrEqual(0.4 * (video.range.end - video.range.start));
      }
      expect(outcome.document.options).toMatchObject({
        pin: ['aiko.mp4#3', 'bruno.mp4@0:02-0:04.2'],
        veto: ['aiko.mp4#1', 'bruno.mp4@0:10-0:12'],
      });
      expect(await readFile(outcome.report, 'utf8')).toContain('Asked for by a wish.');
    },
  );

  it('what a pinned shot shows is not chosen again', { tags: 'slow' }, async () => {
    // Both fireworks shots of aiko's video; one of them pinned, the other has little left to show.
    const plain = videoOf(await run({ shotsBy: 'frames', minShot: 16, maxShot: 40 }), 'aiko.mp4');
    const scenes = topic.videos.find(({ file }) => file === 'aiko.mp4')!.scenes;
    const fireworks = scenes.find(({ name }) => name === 'fireworks')!;
    const [one, other] = plain.shots.filter(({ startFrame }) => startFrame >= fireworks.startFrame);
    expect(other).toBeDefined();
    const pinned = videoOf(
      await run({ shotsBy: 'frames', minShot: 16, maxShot: 40, pin: [`aiko.mp4#${one!.index + 1}`] }),
      'aiko.mp4',
    );
    expect(plain.shots[other!.index]!.rank).toBeLessThan(plain.shots.length - 2);
    expect(pinned.shots[other!.index]!.rank).toBe(pinned.shots.length - 1);
  });

  it('are heeded by every method', { tags: 'slow' }, async () => {
    for (const method of ['kmeans', 'cosum', 'uniform', 'smrs'] as const) {
      const aiko = videoOf(await run({ method, pin: ['aiko.mp4#2'], veto: ['aiko.mp4#5'] }), 'aiko.mp4');
      expect(aiko.shots[1], method).toMatchObject({ chosen: true, rank: 0 });
      expect(aiko.shots[4], method).toMatchObject({ chosen: false, rank: aiko.shots.length - 1 });
    }
  });

  it('that are longer than the length are all taken, and that is said', { tags: 'slow' }, async () => {
    const outcome = await run({ length: '2s', pin: ['aiko.mp4@0-0:05'] });
    expect(clipSeconds(videoOf(outcome, 'aiko.mp4'))).toEqual([5]);
    expect(outcome.document.notes.join()).toContain('The film of "aiko.mp4" is 5.0 s long (asked for: 2s): the pinned parts are longer, and were taken whole.'); // prettier-ignore
  });

  it.each([
    ['outside-video', { pin: ['aiko.mp4@0:17-0:19'] }, 'which lasts 0:17.880, found "aiko.mp4@0:17-0:19"'],
    ['unknown-shot', { veto: ['aiko.mp4#99'] }, 'found 99'],
    ['contradicting-wishes', { pin: ['aiko.mp4#1'], veto: ['aiko.mp4@0-0:01'] }, 'for the same pictures'],
    ['all-vetoed', { veto: ['aiko.mp4@0-0:18'] }, 'Expected a shot of "aiko.mp4" that is not vetoed, found none'],
  ])('that cannot be are refused: %s', async (code, options, sentence) => {
    await expect(run(options)).rejects.toMatchObject({ name: 'UsageError', code, message: expect.stringContaining(sentence) }); // prettier-ignore
  });

  it('that name no video of the topic, or lie far outside one, are refused before any video is read', async () => {
    const events: string[] = [];
    const refused = (pin: string): Promise<unknown> =>
      summarizeTopic(at('topic'), { pin: [pin], out: at('never'), cache: at('cache') }, { onEvent: ({ type, ...more }) => events.push(`${type} ${'stage' in more ? more.stage : ''}`) }); // prettier-ignore
    await expect(refused('zoe.mp4#1')).rejects.toMatchObject({ code: 'unknown-video' });
    expect(events).toEqual([]);
    await expect(readdir(at('never'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(refused('aiko.mp4@0:01-1:00')).rejects.toMatchObject({ code: 'outside-video' });
    expect(events).not.toContain('stage-started analyse');
  });

  it('about a video that had to be left out are named', async () => {
    const outcome = await summarizeTopic([at('topic', 'aiko.mp4'), at('topic', 'truth.json')], {
      pin: ['truth.json#1'],
      ...{ out: at('left-out'), cache: at('cache'), films: false },
    });
    expect(outcome.document.notes.join()).toContain(
      '"truth.json" was left out, so the wish "truth.json#1" has no effect',
    );
  });
});

describe('clips', () => {
  it('are widened, trimmed and given handles, to the frame, within the length', { tags: 'slow' }, async () => {
    const outcome = await run({ length: '50%', maxClip: 2, handles: 5 });
    for (const video of outcome.document.videos) {
      expect(filmTicks(video)).toBeLessThanOrEqual(0.5 * (video.range.end - video.range.start));
      const longest = 2 + 10 / (video.frameRate!.num / video.frameRate!.den);
      for (const seconds of clipSeconds(video)) expect(seconds).toBeLessThanOrEqual(longest + 1e-9);
    }
    const wide = await run({ length: '2 shots', minClip: 5 });
    for (const seconds of wide.document.videos.flatMap(clipSeconds)) expect(seconds).toBeGreaterThanOrEqual(5);
  });

  it('play as filmed, or the most important first', { tags: 'slow' }, async () => {
    const options = { length: '3 shots', maxClip: 1, films: true } as const;
    const [filmed, ranked] = [await run(options), await run({ ...options, order: 'importance' })];
    const [before, after] = [filmed, ranked].map((outcome) => videoOf(outcome, 'aiko.mp4'));
    const byFrame = (video: VideoSummary): VideoSummary['clips'] =>
      video.clips.toSorted((a, b) => a.startFrame - b.startFrame);
    expect(before!.clips).toEqual(byFrame(before!));
    expect(byFrame(after!)).toEqual(before!.clips);
    expect(after!.clips).not.toEqual(before!.clips);
    const ranks = after!.clips.map(({ startFrame }) => after!.shots.find((shot) => shot.endFrame > startFrame)!.rank);
    expect(ranks).toEqual([0, 1, 2]);
    // The film shows them in that order: its pictures are the source's, at the beginning of each clip.
    const source = await pictures(at('topic', 'aiko.mp4'));
    const film = await pictures(join(ranked.folder, after!.film!));
    expect(film.length).toBe(after!.clips.reduce((sum, { startFrame, endFrame }) => sum + endFrame - startFrame, 0));
    let played = 0;
    for (const { startFrame, endFrame } of after!.clips) {
      for (const frame of [startFrame, endFrame - 1]) {
        const shown = film[played + frame - startFrame]!;
        const differences = [startFrame, endFrame - 1, 0, 200].map((other) => difference(shown, source[other]!));
        expect(difference(shown, source[frame]!)).toBeLessThan(6);
        expect(Math.min(...differences)).toBe(difference(shown, source[frame]!));
      }
      played += endFrame - startFrame;
    }
  });
});

describe('own against shared', () => {
  it('leads from what one video alone has to what the topic shares', { tags: 'slow' }, async () => {
    const shares = await sharesOfShared([0, 0.25, 0.5, 1], { evidence: 0 });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares[0]).toBeLessThan(0.3);
    expect(shares.at(-1)).toBe(1);
  });

  it('does so with evidence too, which at 0 prefers what the other videos do not show', { tags: 'slow' }, async () => {
    const shares = await sharesOfShared([0, 0.25, 0.5], { evidence: 1 });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares[0]).toBeLessThanOrEqual(0.5);
    expect(shares.at(-1)).toBeGreaterThan(0.8);
  });
});

/** The share of shots from shared scenes among two chosen of each video, for each value of `shared`. */
async function sharesOfShared(values: readonly number[], options: OptionsInput): Promise<number[]> {
  const shares: number[] = [];
  for (const shared of values) {
    const { document } = await run({ shared, length: '2 shots', ...options });
    const kinds = document.videos.flatMap((video) => {
      const { scenes } = topic.videos.find(({ file }) => file === video.path)!;
      return video.shots.filter(({ chosen }) => chosen).map((shot) => {
        const middle = (shot.startFrame + shot.endFrame) / 2;
        return scenes.find(({ startFrame, endFrame }) => startFrame <= middle && middle < endFrame)!.kind;
      }); // prettier-ignore
    });
    shares.push(kinds.filter((kind) => kind === 'shared').length / kinds.length);
  }
  return shares;
}

/** Every frame of a video, 16 × 9 pixels. */
async function pictures(path: string): Promise<Uint8Array[]> {
  const frames: Uint8Array[] = [];
  const view = { name: 'small', widthPx: 16, heightPx: 9, every: 1 };
  for await (const frame of decode(await probe(path), [view]).frames)
    frames.push(Uint8Array.from(frame.pictures['small']!));
  return frames;
}

/** Mean difference of two pictures, in levels of 255. */
function difference(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, value, at) => sum + Math.abs(value - b[at]!), 0) / a.length;
}

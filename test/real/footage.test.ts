import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { lengthInSeconds, toSeconds } from '../../src/base/index.js';
import { decode, probe } from '../../src/media/index.js';
import { summarizeTopic, type Outcome } from '../../src/index.js';
import { footage } from './folder.js';

let work: string;

beforeAll(async () => {
  if (!existsSync(footage))
    throw new Error(`Expected real footage in "${footage}". Set THROUGHLINE_REAL_VIDEOS to its folder.`);
  work = await mkdtemp(join(tmpdir(), 'throughline-real-'));
});
afterAll(() => rm(work, { recursive: true, force: true }));

function summarize(topic: string, length: string): Promise<Outcome> {
  return summarizeTopic(join(footage, topic), { out: join(work, topic), length });
}

/** A film has the frames of its clips, and the pictures of its first clip's first shot come first. */
async function checkFilms({ document, folder }: Outcome): Promise<void> {
  for (const video of document.videos) {
    const info = await probe(join(folder, video.film!));
    const decoding = decode(info, [{ name: 'small', widthPx: 16, heightPx: 16, every: 1 }]);
    let frames = 0;
    let last = -1;
    for await (const frame of decoding.frames) {
      frames++;
      expect(frame.ticks, video.path).toBeGreaterThan(last);
      last = frame.ticks;
    }
    expect(frames, video.path).toBe(video.clips.reduce((sum, clip) => sum + clip.endFrame - clip.startFrame, 0));
    expect(info.audio.length, video.path).toBe(Math.min(1, video.audioTracks));
  }
}

describe('real topics', () => {
  it.each([
    ['surfing', 9],
    ['traffic', 7],
  ])('%s: every video has a film, every solve its proof', async (topic, count) => {
    const outcome = await summarize(topic, '20%');
    expect(outcome.document.skipped).toEqual([]);
    expect(outcome.document.videos).toHaveLength(count);
    for (const video of outcome.document.videos) {
      expect(video.solver.converged, video.path).toBe(true);
      // Four seconds, and a frame of the slowest video.
      for (const shot of video.shots) expect(lengthInSeconds(shot.range), video.path).toBeLessThanOrEqual(4.1);
      expect(video.shots.at(-1)!.endFrame, video.path).toBe(video.frames);
      expect(
        video.shots.filter((shot) => shot.chosen).every((shot) => shot.support.length > 0),
        video.path,
      ).toBe(true);
    }
    await checkFilms(outcome);
  });
});

describe('one film of a real topic', () => {
  it.each([
    // A whip under water, a near-black pan and the whip after it; dark swell, spray, dusk and a misty day are good pictures.
    ['surfing', 9, { '02_under_over_wave.mp4': ['0:shaken'], '06_barrel.mp4': ['11:shaken,exposed', '14:shaken'] }],
    ['traffic', 7, {}],
  ])(
    '%s: of its videos, none longer than it may be, with every frame it plans, and sound; no bad picture',
    async (topic, count, bad) => {
      const { document, folder } = await summarizeTopic(join(footage, topic), {
        ...{
          out: join(work, `${topic}-concept`),
          films: false,
          concept: '30s',
          perSource: 8,
        },
      });
      const { shots, frame, frames, alike, film, solver } = document.concept!;
      expect(solver.converged).toBe(true);
      // All that one video shows may be shown by the others, and nothing is shown twice.
      expect(new Set(shots.map((shot) => shot.video)).size).toBeGreaterThanOrEqual(count - 1);
      const flawed = document.videos.flatMap(({ path, id, range: { start, base }, shots: all }) =>
        all.flatMap(({ flaws = [], index, range }) => {
          const kinds = flaws.map(({ kind }) => kind).filter((kind) => kind !== 'short');
          return kinds.length === 0 ? [] : [{ path, id, index, says: `${Math.floor(toSeconds(range.start - start, base))}:${kinds.join(',')}` }]; // prettier-ignore
        }),
      );
      expect(Object.fromEntries([...new Set(flawed.map(({ path }) => path))].map((name) => [name, flawed.filter(({ path }) => path === name).map(({ says }) => says)]))).toEqual(bad); // prettier-ignore
      for (const { id, index } of flawed) expect(shots.some(({ video, shot }) => video === id && shot === index)).toBe(false); // prettier-ignore
      expect(alike).toBeGreaterThan(0.8);
      expect(alike).toBeLessThan(0.95);
      const secondsOf = (of: typeof shots): number => of.reduce((sum, shot) => sum + lengthInSeconds(shot.range), 0);
      // Sources of other rates are brought to the rate of the film, so its own frames say how long it is.
      expect((frames * frame.rate.den) / frame.rate.num).toBeLessThanOrEqual(30);
      for (const { id } of document.videos)
        expect(secondsOf(shots.filter((shot) => shot.video === id)), id).toBeLessThanOrEqual(8);
      const info = await probe(join(folder, film!));
      expect(info).toMatchObject({ widthPx: frame.widthPx, heightPx: frame.heightPx, frameRate: frame.rate });
      expect(info.audio).toHaveLength(document.videos.some((video) => video.audioTracks > 0) ? 1 : 0);
      let decoded = 0;
      for await (const _ of decode(info, [{ name: 'small', widthPx: 16, heightPx: 16, every: 1 }]).frames) decoded++;
      expect(decoded).toBe(frames);
    },
  );
});

describe('odd files', () => {
  it('are summarised or named, one by one', async () => {
    const outcome = await summarize('odd', '30%');
    const { videos, skipped, notes } = outcome.document;
    expect(Object.fromEntries(skipped.map(({ path, code }) => [path, code]))).toEqual({
      'audio_only.mp4': 'no-video-track',
      'audio_only_multiple_aac.mp4': 'no-video-track',
      'empty_258_bytes_no_stream.mp4': 'no-video-track',
      'git_lfs_pointer_text.mp4': 'not-video',
      'moov_missing_44_bytes.mp4': 'not-video',
    });
    expect(videos).toHaveLength(30);
    expect(notes.filter((note) => note.includes('cut off')).map((note) => /"(.*?)"/.exec(note)![1])).toEqual([
      'no_initial_keyframe.ts',
      'truncated_bytes.mp4',
    ]);
    const facts = (path: string) => videos.find((video) => video.path === path)!;
    expect(facts('start_time_1h.ts').range).toMatchObject({ start: 323856180, base: { num: 1, den: 90000 } });
    expect(facts('rotate90_meta.mp4')).toMatchObject({ widthPx: 360, heightPx: 640 });
    expect(facts('iphone_gps_rotated_-90.mov')).toMatchObject({ widthPx: 320, heightPx: 568 });
    expect(facts('vfr_random.mp4')).toMatchObject({ frames: 208, frameRate: null });
    expect(facts('fps120.mp4')).toMatchObject({ frames: 600, frameRate: { num: 120, den: 1 } });
    expect(facts('anamorphic_sar_2x1.mp4').sampleAspect).toEqual({ num: 2, den: 1 });
    expect(facts('one_frame.mp4').shots).toHaveLength(1);
    expect(facts('three_audio_tracks.mkv').audioTracks).toBe(3);
    expect(facts('all_black_12s.mp4').shots.map(({ flaws }) => flaws!.map(({ kind }) => kind))).toEqual(facts('all_black_12s.mp4').shots.map(() => ['black'])); // prettier-ignore
    await checkFilms(outcome);
  });
});

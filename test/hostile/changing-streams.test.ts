import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type Outcome } from 'throughline-video';
import { locateFfmpeg, probe, toFileTicks } from '../../src/media/index.js';
import { joinStreams, makeResizing } from '../fixtures/streams.js';
import { makeVideo } from '../fixtures/video.js';

const SIZE = { widthPx: 192, heightPx: 108 };
let home: string;
let outcome: Outcome;
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-streams-'));
  await mkdir(at('topic'));
  const { path: ffmpeg } = await locateFfmpeg();
  await makeVideo(ffmpeg, at('topic', 'good.mp4'), { frameCount: 100, cuts: [40, 70] });
  await joinStreams(ffmpeg, at('topic', 'joined.ts'), [{ cuts: [30] }, { cuts: [20, 50] }, { startSeconds: 3600 }]);
  await makeResizing(ffmpeg, at('topic', 'call.webm'), [SIZE, { widthPx: 108, heightPx: 192 }, { widthPx: 384, heightPx: 216 }]); // prettier-ignore
  // A recording that was switched on between two key pictures: the frames before the second one cannot be shown.
  await makeVideo(ffmpeg, at('late.ts'), { container: 'ts', frameCount: 100, tones: [] });
  const whole = await readFile(at('late.ts'));
  const head = whole.subarray(0, 3 * 188);
  await writeFile(at('topic', 'late.ts'), Buffer.concat([head, whole.subarray(188 * Math.ceil(whole.length / 188 / 5))])); // prettier-ignore
  outcome = await summarizeTopic(at('topic'), {
    ...{ features: 'shallow', length: '50%', concept: '3s', pictures: 'storyboard,stills', preview: 'gif' },
    ...{ pin: ['call.webm@0:01-0:05'], out: at('out'), cache: at('cache') },
  });
});
afterAll(() => rm(home, { recursive: true, force: true }));

const video = (path: string) => outcome.document.videos.find((each) => each.path === path)!;
/** Notes about the streams of a video. Others may say that its film is shorter than asked for. */
const notesAbout = (path: string) =>
  outcome.document.notes.filter((each) => each.includes(`"${path}"`) && !each.startsWith('The film of'));

describe('a topic with streams that change', () => {
  it('is summarised whole: nothing hangs, nothing is skipped', async () => {
    expect(outcome.document.skipped).toEqual([]);
    for (const { film, widthPx, heightPx } of outcome.document.videos) {
      expect(await probe(at('out', film!))).toMatchObject({ widthPx, heightPx });
    }
    expect(notesAbout('good.mp4')).toEqual([]);
    expect(video('good.mp4').normalised).toBeUndefined();
  });

  it('keeps every frame behind a restart of the clock, says so, and tells the times in the file', () => {
    const { frames, range, shots, normalised } = video('joined.ts');
    expect(frames).toBe(225);
    expect(range.end - range.start).toBe(225 * 3600);
    expect(notesAbout('joined.ts')).toEqual([expect.stringContaining('restarts 2 times')]);
    const first = range.start;
    expect(normalised!.clock).toEqual([
      { ticks: first + 75 * 3600, fileTicks: first },
      { ticks: first + 150 * 3600, fileTicks: first + 3600 * 90_000 - 7200 },
    ]);
    const inSecond = shots.filter(({ startFrame }) => startFrame >= 75 && startFrame < 150);
    expect(inSecond.length).toBeGreaterThan(0);
    for (const { startFrame, range: shown } of inSecond) {
      expect(toFileTicks(shown.start, normalised!.clock)).toBe(first + (startFrame - 75) * 3600);
    }
  });

  it('brings every picture to one size, and says so', () => {
    expect(video('call.webm')).toMatchObject({ frames: 150, ...SIZE });
    expect(notesAbout('call.webm')).toEqual(expect.arrayContaining([expect.stringContaining('All were brought to 192×108')])); // prettier-ignore
  });

  it('counts what could not be shown, with numbers', () => {
    const { frames } = video('late.ts');
    const [, stored, read, missing] = /stores (\d+) pictures, but (\d+) frames could be read: (\d+) are missing/.exec(notesAbout('late.ts').join('\n'))!.map(Number); // prettier-ignore
    expect(read).toBe(frames);
    expect(missing).toBe(stored! - read!);
    expect(missing).toBeGreaterThan(5);
  });
});

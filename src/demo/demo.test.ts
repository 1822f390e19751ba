import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runFfmpeg } from '../../test/fixtures/run.js';
import { CancelledError } from '../base/index.js';
import { locateFfmpeg } from '../media/index.js';
import { demoTruth, type DemoTopic, type DemoVideo, drawTopic } from './index.js';

let folder = '';
let ffmpeg = '';
let topic: DemoTopic;
const fractions: number[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-demo-'));
  ffmpeg = (await locateFfmpeg()).path;
  const onProgress = (fraction: number): void => void fractions.push(fraction);
  topic = await drawTopic({
    folder: join(folder, 'topic'),
    ffmpeg,
    scale: 0.25,
    pace: 0.42,
    videoCount: 3,
    onProgress,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Mean change of each frame against the one before, at 32 × 18 pixels of RGB. */
async function measureChanges(video: DemoVideo): Promise<number[]> {
  const path = join(topic.folder, video.file);
  const scaled = ['-vf', 'scale=32:18:flags=area', '-vsync', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const { stdout } = await runFfmpeg(ffmpeg, ['-v', 'error', '-i', path, '-map', '0:v', ...scaled]);
  const size = 32 * 18 * 3;
  return Array.from({ length: stdout.length / size }, (_, frame) => {
    if (frame === 0) return 0;
    let sum = 0;
    for (let i = 0; i < size; i++)
      sum += Math.abs((stdout[frame * size + i] ?? 0) - (stdout[(frame - 1) * size + i] ?? 0));
    return sum / size;
  });
}

test('the truth is written beside the videos, and names every frame once', async () => {
  const { folder: _, ...rest } = topic;
  expect(demoTruth.parse(JSON.parse(await readFile(join(topic.folder, 'truth.json'), 'utf8')))).toEqual(rest);
  expect((await readdir(topic.folder)).sort()).toEqual(['aiko.mp4', 'bruno.mp4', 'carla.mp4', 'truth.json']);
  for (const { scenes, frameCount } of topic.videos) {
    expect(scenes.map((scene) => scene.startFrame)).toEqual([0, ...scenes.slice(0, -1).map((scene) => scene.endFrame)]);
    expect(scenes.at(-1)?.endFrame).toBe(frameCount);
  }
});

test('scenes are shared, private or filler, and shared ones know their counterparts', () => {
  for (const video of topic.videos) {
    const kinds = video.scenes.map((scene) => scene.kind);
    expect(kinds).toContain('private');
    expect(kinds.filter((kind) => kind === 'shared').length).toBeGreaterThanOrEqual(3);
    for (const { kind, alsoIn } of video.scenes) expect(alsoIn.length > 0).toBe(kind === 'shared');
  }
  expect(topic.subjects[0]).toMatchObject({ kind: 'shared', videos: ['aiko.mp4', 'bruno.mp4', 'carla.mp4'] });
  expect(topic.subjects.filter((subject) => subject.kind === 'filler').map((subject) => subject.videos.length)).toEqual(
    [1, 1],
  );
});

test('every cut is where the truth says, and nowhere else', async () => {
  for (const video of topic.videos) {
    const changes = await measureChanges(video);
    expect(changes).toHaveLength(video.frameCount);
    const cuts = video.scenes.slice(1).filter((scene) => scene.dissolveFrames === 0).map((scene) => scene.startFrame); // prettier-ignore
    const strongest = changes.map((change, frame) => ({ change, frame })).sort((a, b) => b.change - a.change);
    expect(strongest.slice(0, cuts.length).map((entry) => entry.frame).sort((a, b) => a - b)).toEqual(cuts); // prettier-ignore
    expect(strongest[cuts.length - 1]?.change).toBeGreaterThan(1.5 * (strongest[cuts.length]?.change ?? 0));
  }
});

test('every scene moves, and every scene sounds without clipping', async () => {
  for (const video of topic.videos) {
    const changes = await measureChanges(video);
    const args = ['-v', 'error', '-i', join(topic.folder, video.file), '-map', '0:a', '-ac', '1', '-ar', '48000'];
    const { stdout } = await runFfmpeg(ffmpeg, [...args, '-f', 's16le', '-']);
    const sound = new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1);
    const perFrame = (48_000 * video.frameRate.den) / video.frameRate.num;
    for (const { startFrame, endFrame } of video.scenes) {
      const inside = changes.slice(startFrame + 2, endFrame - 2);
      expect(inside.reduce((sum, change) => sum + change, 0) / inside.length).toBeGreaterThan(0.1);
      const part = sound.subarray(Math.round(startFrame * perFrame), Math.round(endFrame * perFrame));
      const loudness = Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / part.length);
      expect(loudness).toBeGreaterThan(200);
      expect(part.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0)).toBeLessThan(32_000);
    }
    expect(Math.abs(sound.length / perFrame - video.frameCount)).toBeLessThan(2);
  }
});

test('progress rises to 1, one step a frame', () => {
  expect(fractions).toHaveLength(topic.videos.reduce((sum, video) => sum + video.frameCount, 0));
  expect(fractions.at(-1)).toBe(1);
  expect(fractions.every((fraction, i) => i === 0 || fraction > (fractions[i - 1] ?? 0))).toBe(true);
});

test('a video is the same bytes however often and with however many others it is drawn', { tags: 'slow' }, async () => {
  const again = join(folder, 'again');
  await drawTopic({ folder: again, ffmpeg, scale: 0.25, pace: 0.42, videoCount: 1 });
  const [first, second] = await Promise.all([topic.folder, again].map((from) => readFile(join(from, 'aiko.mp4'))));
  expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
});

test('stopping leaves no half-written file', async () => {
  const stopped = join(folder, 'stopped');
  const stop = new AbortController();
  const onProgress = (fraction: number): void => void (fraction > 0.1 && stop.abort());
  const drawing = drawTopic({
    folder: stopped,
    ffmpeg,
    scale: 0.25,
    pace: 0.3,
    videoCount: 1,
    signal: stop.signal,
    onProgress,
  });
  await expect(drawing).rejects.toBeInstanceOf(CancelledError);
  expect(await readdir(stopped)).toEqual([]);
});

test('a missing ffmpeg is named in the error', async () => {
  const drawing = drawTopic({
    folder: join(folder, 'none'),
    ffmpeg: join(folder, 'no-ffmpeg'),
    scale: 0.1,
    videoCount: 1,
  });
  await expect(drawing).rejects.toMatchObject({ code: 'encode-failed', message: expect.stringContaining('no-ffmpeg') });
});

test('finished videos are not drawn again, missing ones are', { tags: 'slow' }, async () => {
  const options = { folder: join(folder, 'twice'), ffmpeg, scale: 0.15, pace: 0.42, videoCount: 1 };
  const draw = async (): Promise<number> => {
    let frames = 0;
    await drawTopic({ ...options, onProgress: () => frames++ });
    return frames;
  };
  expect(await draw()).toBeGreaterThan(0);
  expect(await draw()).toBe(0);
  await rm(join(options.folder, topic.videos[0]!.file));
  expect(await draw()).toBeGreaterThan(0);
});

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type Outcome } from 'throughline-video';
import { locateFfmpeg, probe } from '../../src/media/index.js';
import { topicClipsOf } from '../../src/summary/index.js';
import { makeVideo } from '../fixtures/make.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-films-'));
  const { path: ffmpeg } = await locateFfmpeg();
  await mkdir(at('topic'));
  const spec = { frameCount: 300, cuts: [60, 140, 230], hasFlashes: false };
  await makeVideo(ffmpeg, at('topic', 'one.mp4'), spec);
  await makeVideo(ffmpeg, at('topic', 'two.avi'), { ...spec, container: 'avi', codec: 'mpeg4', hasBFrames: false });
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Both videos show the same; that is said elsewhere. */
const run = (out: string, options: OptionsInput): Promise<Outcome> =>
  summarizeTopic(at('topic'), {
    ...{ out: at(out), cache: at('cache'), features: 'shallow', length: '60%', relate: false },
    ...options,
  });

/** The chapters of a film as ffmpeg reads them, in frames: 25 a second, from the first picture. */
async function chaptersOf(path: string): Promise<{ frame: number; title: string }[]> {
  const { path: ffmpeg } = await locateFfmpeg();
  const read = promisify(execFile);
  const { stdout } = await read(ffmpeg, ['-v', 'error', '-copyts', '-i', path, '-f', 'ffmetadata', '-']);
  const times = await read(ffmpeg, ['-v', 'info', '-copyts', '-i', path, '-map', '0:v', '-vf', 'showinfo', '-frames:v', '1', '-f', 'null', '-']); // prettier-ignore
  const first = Number(/pts_time:(\S+)/.exec(times.stderr)![1]);
  const chapters = stdout.matchAll(/TIMEBASE=(\d+)\/(\d+)\nSTART=(\d+)\nEND=\d+\ntitle=(.*)/g);
  return [...chapters].map(([, num, den, start, title]) => {
    const frame = 25 * ((Number(start) * Number(num)) / Number(den) - first);
    // Times in these files are milliseconds or finer, a fortieth of a frame.
    expect(Math.abs(frame - Math.round(frame))).toBeLessThanOrEqual(0.026);
    return { frame: Math.round(frame), title: title!.replace(/\\(.)/g, '$1') };
  });
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(at(folder))).filter((name) => name !== '.throughline').sort();

describe('the films of a topic', () => {
  it('are written as asked for, with previews, and named in the record', { tags: 'slow' }, async () => {
    const { document } = await run('webm', { format: 'webm', preview: 'gif', fade: 0.2, pictures: 'none' });
    expect(await namesIn('webm')).toEqual([
      ...['one.preview.gif', 'one.webm', 'report.html', 'summary.json', 'two.preview.gif', 'two.webm'],
    ]);
    for (const video of document.videos) {
      expect(video).toMatchObject({ film: `${video.id}.webm`, pictures: [`${video.id}.preview.gif`] });
      const film = await probe(at('webm', video.film!));
      expect(film).toMatchObject({ codec: 'vp9', audio: [{ codec: 'opus' }] });
      const ticks = video.clips.reduce((sum, { range }) => sum + range.end - range.start, 0);
      const seconds = (ticks * video.timeBase.num) / video.timeBase.den - 0.2 * (video.clips.length - 1);
      expect(Math.abs(film.durationHint! - seconds)).toBeLessThan(0.05);
    }
    expect((await readFile(at('webm', 'report.html'), 'utf8')).includes('one.webm')).toBe(true);
  });

  it.for([
    ['mp4', 'cut', {}],
    ['webm', 'cut', { format: 'webm' }],
    ['copy', 'cut', { format: 'copy' }],
    ['mp4', 'silent', { sound: 'none' }],
    ['mp4', 'faded', { fade: 0.4 }],
  ] as const)(
    'as %s (%s) have a chapter for every clip, to the frame',
    { tags: 'slow' },
    async ([format, how, options]) => {
      const out = `chapters-${format}-${how}`;
      const { document } = await run(out, {
        length: '50%',
        pin: ['one.mp4@0.6-3', 'one.mp4@8-11'],
        pictures: 'none',
        concept: '8s',
        title: 'Day; #1 = one',
        ...options,
      });
      const [video] = document.videos;
      expect(video!.clips.length).toBeGreaterThan(1);
      const found = await chaptersOf(at(out, video!.film!));
      const fade = how === 'faded' ? 10 : 0;
      let before = 0;
      const expected = video!.clips.map(({ startFrame, endFrame }) => {
        const start = before;
        before += endFrame - startFrame - fade;
        return { frame: start, title: `one 0:${String(Math.floor(startFrame / 25)).padStart(2, '0')}` };
      });
      expect(found).toEqual(expected);
      const film = document.concept!;
      const [card, ...chapters] = await chaptersOf(at(out, film.film!));
      expect(card).toEqual({ frame: 0, title: 'Day; #1 = one' });
      const clips = topicClipsOf(film.shots);
      expect(chapters.map(({ frame }) => frame)).toEqual(clips.map(({ shots }) => shots[0]!.filmFrame));
    },
  );

  it(
    'are copied where that can be, and the record says where it cannot, in a second run too',
    { tags: 'slow' },
    async () => {
      const { document } = await run('copied', { format: 'copy', sound: 'none' });
      expect(document.videos.map((video) => video.film)).toEqual(['one.mp4', 'two.mp4']);
      expect(document.notes).toContain(
        'The film of "two.avi" was encoded, not copied: it is MPEG4, and only H.264 can be copied.',
      );
      const before = await readFile(at('copied', 'summary.json'), 'utf8');
      await run('copied', { format: 'copy', sound: 'none' });
      expect(await readFile(at('copied', 'summary.json'), 'utf8')).toBe(before);
      const film = await probe(at('copied', 'one.mp4'));
      expect(film).toMatchObject({ codec: 'h264', audio: [] });
    },
  );

  it.each(['mp4', 'webm', 'copy'] as const)(
    'leave nothing behind when a run is stopped on the way (%s)',
    { tags: 'slow' },
    async (format) => {
      const stop = new AbortController();
      const options = { out: at(`stopped-${format}`), cache: at('cache'), features: 'shallow', format } as const;
      const stopped = summarizeTopic(
        at('topic'),
        { ...options, length: '90%', pictures: 'none', fade: format === 'webm' ? 0.5 : 0 },
        {
          signal: stop.signal,
          onEvent: (event) => {
            if (event.type === 'progress' && event.stage === 'render' && event.frames > 0) stop.abort();
          },
        },
      );
      await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
      expect(await namesIn(`stopped-${format}`)).toEqual([]);
    },
  );
});

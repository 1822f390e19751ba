import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type Outcome } from 'throughline-video';
import { locateFfmpeg, probe } from '../../src/media/index.js';
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

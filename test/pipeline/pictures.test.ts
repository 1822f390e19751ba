import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { summarizeTopic } from 'throughline-video';
import { locateFfmpeg } from '../../src/media/index.js';
import { makeVideo, readFrameNumber } from '../fixtures/make.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-pictures-'));
  const { path: ffmpeg } = await locateFfmpeg();
  const spec = { widthPx: 320, heightPx: 180, frameCount: 200, cuts: [50, 100, 150] } as const;
  await makeVideo(ffmpeg, at('a.mp4'), spec);
  await makeVideo(ffmpeg, at('b.mp4'), { ...spec, cuts: [80, 140] });
});
afterAll(() => rm(home, { recursive: true, force: true }));

it(
  'draws every kind of picture: links lead to the video, stills are the frames their names say',
  { tags: 'slow' },
  async () => {
    const { document } = await summarizeTopic([at('a.mp4'), at('b.mp4')], {
      ...{ pictures: 'storyboard,svg,sheet,pdf,stills', films: false, length: '50%' },
      ...{ out: at('out'), cache: at('cache') },
    });
    expect(document.contactSheets).toEqual(['contact-sheet.png', 'contact-sheet.pdf']);
    const shots = document.videos.reduce((sum, video) => sum + video.shots.length, 0);
    const pdf = await readFile(at('out', 'contact-sheet.pdf'), 'latin1');
    expect(pdf).toContain(`/Count ${Math.ceil(shots / 24)} `);
    expect((await sharp(at('out', 'contact-sheet.png')).metadata()).format).toBe('png');
    for (const video of document.videos) {
      const chosen = video.shots.filter((shot) => shot.chosen);
      const [svg, ...stills] = video.pictures!;
      expect(stills).toHaveLength(chosen.length);
      const page = await readFile(at('out', svg!), 'utf8');
      expect(page.match(new RegExp(`href="\\./\\.\\./${video.path}#t=`, 'g'))).toHaveLength(video.shots.length);
      for (const [place, name] of stills.entries()) {
        const { data, info } = await sharp(at('out', name)).raw().toBuffer({ resolveWithObject: true });
        const frame = readFrameNumber({ data, widthPx: info.width, heightPx: info.height })!;
        const { startFrame, endFrame } = chosen[place]!;
        expect(frame).toBe(Math.ceil((startFrame + endFrame) / 2));
        expect(name).toBe(`${video.id}.stills/00h00m${(frame / 25).toFixed(3).padStart(6, '0')}s.jpg`);
      }
    }
  },
);

it('draws none where none is wanted, and says so in the record', { tags: 'slow' }, async () => {
  const { document } = await summarizeTopic(at('a.mp4'), {
    ...{ pictures: 'none', films: false, out: at('bare'), cache: at('cache') },
  });
  expect(document.videos[0]).toMatchObject({ storyboard: null });
  expect((await readdir(at('bare'))).toSorted()).toEqual(['.throughline', 'report.html', 'summary.json']);
});

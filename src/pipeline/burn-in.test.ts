import { expect, it } from 'vitest';

import { rational } from '../base/index.js';
import { optionsSchema } from '../options/index.js';
import type { VideoInfo } from '../media/index.js';
import type { OutlinedVideo } from './analyse-videos.js';
import { filmOf } from './cut-video.js';
import { layOut } from './edit-concept.js';

it('both kinds of film get the name and the first tick of each source if --burn-in is given, else neither', () => {
  const base = { num: 1, den: 25 };
  const info = { widthPx: 640, heightPx: 360, sampleAspect: rational(1, 1), audio: [] } as unknown as VideoInfo;
  const analysis = { frameRate: rational(25, 1), timeBase: base, isDamaged: false, start: 7 };
  const video = { id: 'a', name: 'a.mp4', info, analysis } as unknown as OutlinedVideo;
  const clip = { startFrame: 0, endFrame: 25, range: { start: 7, end: 32, base } };
  const made = (burnIn: boolean) => {
    const options = optionsSchema.parse({ burnIn });
    const { film } = layOut([{ video: 'a', ...clip }], new Map([['a', video]]), options);
    const { caption, startTick } = film.clips[0]!;
    return { ofTopic: { caption, startTick }, ofVideo: filmOf({ ...video, clips: [clip] }, options).burnIn };
  };
  const burned = { name: 'a.mp4', startTick: 7 };
  expect(made(true)).toEqual({ ofTopic: { caption: 'a.mp4', startTick: 7 }, ofVideo: burned });
  expect(made(false)).toEqual({ ofTopic: {} });
});

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import type * as Throughline from 'throughline-video';
import { locateFfmpeg } from '../../src/media/index.js';
import { readBack } from '../fixtures/make.js';
import { runFfmpeg } from '../fixtures/run.js';
import { makeVideo } from '../fixtures/video.js';

let home: string;
let ffmpeg: string;
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-hdr-topic-'));
  await mkdir(at('topic'));
  ffmpeg = (await locateFfmpeg()).path;
  await makeVideo(ffmpeg, at('plain.mp4'), { frameCount: 50, cuts: [25], tones: [] });
  const zscale = 'zscale=tin=bt709:pin=bt709:min=bt709:t=arib-std-b67:p=bt2020:m=bt2020nc:npl=203,format=yuv420p10le';
  const x265 = 'log-level=error:colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc';
  await runFfmpeg(ffmpeg, ['-v', 'error', '-i', at('plain.mp4'), '-vf', zscale, '-c:v', 'libx265', '-x265-params', x265, '-tag:v', 'hvc1', at('topic', 'hlg.mp4')]); // prettier-ignore
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function summarize(program: string, out: string): Promise<Throughline.Outcome> {
  vi.stubEnv('FFMPEG_PATH', program);
  vi.resetModules();
  try {
    const { summarizeTopic } = await import('throughline-video');
    return await summarizeTopic(at('topic'), { features: 'shallow', length: '100%', out: at(out), cache: at('cache') });
  } finally {
    vi.unstubAllEnvs();
  }
}

it('a video in HLG is converted, which is recorded and told', async () => {
  const { document } = await summarize(ffmpeg, 'out');
  const [video] = document.videos;
  expect(video!.normalised).toMatchObject({ colours: 'HLG' });
  expect(document.notes).toContainEqual(expect.stringMatching(/"hlg.mp4" \(HLG\) were converted/));
  // The marks of the frames are black and white: they can be read only where both are what they were.
  expect((await readBack(ffmpeg, at('out', video!.film!))).frameNumbers).toEqual(Array.from({ length: 50 }, (_, k) => k)); // prettier-ignore
});

it.runIf(process.platform !== 'win32')('a decoder that cannot convert colours: a note names the file', async () => {
  const poor = at('ffmpeg');
  await writeFile(poor, `#!/bin/sh\ncase "$*" in *-filters*) "${ffmpeg}" "$@" | grep -v zscale; exit;; esac\nexec "${ffmpeg}" "$@"\n`); // prettier-ignore
  await chmod(poor, 0o755);
  const { document } = await summarize(poor, 'poor');
  expect(document.videos[0]!.normalised).toBeUndefined();
  expect(document.notes).toContainEqual(expect.stringMatching(/"hlg.mp4" \(HLG\) could not be converted.*no zscale/));
});

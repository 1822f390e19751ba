import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { drawTopic } from '../../src/demo/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { makeBroken, makeVideo } from '../fixtures/make.js';
import { runFfmpeg } from '../fixtures/run.js';

/**
 * A small topic with one of everything that can be the matter with a video: a copy by content, a re-upload of another
 * video, a stray, one that is cut off, and one that is no video.
 */
export async function makeTroubledTopic(folder: string): Promise<void> {
  const ffmpeg = (await locateFfmpeg()).path;
  await mkdir(folder, { recursive: true });
  const { videos } = await drawTopic({ folder: join(folder, '..', 'drawn'), ffmpeg, scale: 0.2 });
  for (const { file } of videos) await copyFile(join(folder, '..', 'drawn', file), join(folder, file));
  await copyFile(join(folder, 'aiko.mp4'), join(folder, 'z same.mp4'));
  const copy = ['-ss', '1', '-i', join(folder, 'carla.mp4'), '-vf', 'scale=96:-2', '-an', '-c:v', 'mpeg4', '-q:v', '5'];
  await runFfmpeg(ffmpeg, ['-v', 'error', '-y', ...copy, join(folder, 'reupload.avi')]);
  const cuts = [50, 100, 150, 200, 250];
  await makeVideo(ffmpeg, join(folder, 'testcard.mp4'), { frameCount: 300, cuts, tones: [] });
  await makeBroken('text', { folder, ffmpeg });
  await makeBroken('truncated', { folder, ffmpeg });
}

/** Every file of a folder with its content, but for hidden ones. */
export async function contentsOf(folder: string): Promise<Record<string, string>> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const file of files) {
    if (!file.isFile() || file.name.startsWith('.')) continue;
    const path = join(file.parentPath, file.name);
    found[relative(folder, path)] = createHash('sha256').update(await readFile(path)).digest('hex'); // prettier-ignore
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

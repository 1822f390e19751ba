import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { locateFfmpeg } from '../../src/media/index.js';
import { makeBroken } from '../fixtures/make.js';
import { runFfmpeg } from '../fixtures/run.js';

/** What the videos show; some of it is seen in several. */
const SCENES = {
  bars: 'smptebars=',
  card: 'testsrc2=',
  depth: 'mandelbrot=start_scale=0.1:',
  cells: 'life=mold=10:seed=7:ratio=0.2:death_color=#C83232:life_color=#00ff00:',
  sky: 'gradients=seed=3:speed=0.02:c0=0x0055ff:c1=0xffeecc:',
  dusk: 'gradients=seed=9:speed=0.05:c0=0x331100:c1=0xff6600:',
};
/** Just longer than the shortest shot. */
const SCENE_SECONDS = 1.4;
const VIDEOS: Record<string, (keyof typeof SCENES)[]> = {
  'anna.mp4': ['bars', 'sky', 'card', 'dusk'],
  'bela.mp4': ['sky', 'depth', 'bars'],
  'cora.mp4': ['cells', 'card', 'dusk', 'sky', 'bars'],
  'dino.mp4': ['dusk', 'bars', 'depth'],
  'ella.mp4': ['card', 'sky', 'cells'],
  'finn.mp4': ['depth', 'dusk', 'sky', 'bars'],
};

/**
 * A small topic with one of everything that can be the matter with a video: a copy by content, a re-upload of another
 * video, one that is cut off, and one that is no video.
 */
export async function makeTroubledTopic(folder: string): Promise<void> {
  const ffmpeg = (await locateFfmpeg()).path;
  await mkdir(folder, { recursive: true });
  for (const [name, scenes] of Object.entries(VIDEOS)) {
    const inputs = scenes.flatMap((scene) => [
      '-f',
      'lavfi',
      '-t',
      `${SCENE_SECONDS}`,
      '-i',
      `${SCENES[scene]}s=192x108:r=25`,
    ]);
    const sound = [
      '-f',
      'lavfi',
      '-i',
      `sine=frequency=${400 + 100 * scenes.length}:duration=${SCENE_SECONDS * scenes.length}`,
    ];
    const join = `concat=n=${scenes.length}:v=1:a=0,format=yuv420p`;
    const coded = ['-filter_complex', join, '-c:v', 'libx264', '-preset', 'veryfast', '-threads', '1', '-c:a', 'aac'];
    await runFfmpeg(ffmpeg, ['-v', 'error', '-y', ...inputs, ...sound, ...coded, '-shortest', `${folder}/${name}`]);
  }
  await copyFile(join(folder, 'anna.mp4'), join(folder, 'z same.mp4'));
  const copy = [
    '-ss',
    '0.4',
    '-i',
    join(folder, 'cora.mp4'),
    '-vf',
    'scale=96:-2',
    '-an',
    '-c:v',
    'mpeg4',
    '-q:v',
    '5',
  ];
  await runFfmpeg(ffmpeg, ['-v', 'error', '-y', ...copy, join(folder, 'reupload.avi')]);
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

/** Frames of a scene of a tiny video: just more than the shortest shot has. */
const TINY_SCENE = 36;

/**
 * Videos of 32 × 18 pixels and two scenes, each with marks of its own; so small that a topic may have many. One of seven
 * things is seen in a scene, so that some videos show the same as others, in the same order.
 */
export async function makeTinyTopic(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const scene = `floor(N/${TINY_SCENE})`;
  const shown = `mod(3*${scene}+mod(${scene},5)*mod(${scene},3),7)`;
  // A faint stripe, at another place in every scene, tells files apart.
  const stripe = `20*eq(mod(X+${scene},32),5)*mod(floor(${scene}/32)+Y,3)`;
  const drawn = [
    `lum='128+90*sin((X*(1+${shown})+Y*(7-${shown}))/6+N/90)+${stripe}'`,
    `cb='128+100*cos(${shown}*2)'`,
    `cr='128+100*sin(${shown}*3+Y/9)'`,
  ];
  const ends = Array.from({ length: count - 1 }, (_, at) => 2 * TINY_SCENE * (at + 1));
  await runFfmpeg((await locateFfmpeg()).path, [
    ...['-v', 'error', '-f', 'lavfi', '-i', `nullsrc=s=32x18:r=25,format=yuv420p,geq=${drawn.join(':')}`],
    ...['-frames:v', String(2 * TINY_SCENE * count), '-c:v', 'mpeg4', '-q:v', '2', '-g', '1', '-threads', '1'],
    ...['-f', 'segment', '-segment_frames', ends.join(','), '-reset_timestamps', '1', join(folder, '%03d.mp4')],
  ]);
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

import { random } from '../../src/base/index.js';

/** The shortest shots there are, so that nothing of the same length has more of them. */
const SHOT_FRAMES = 32;
const FPS = 25;
/** Scenes of a video of a topic. */
const SCENES = 8;
/** Places that are filmed again and again, each time otherwise, so that the videos have something in common. */
const PLACES = 60;
const [WIDTH, HEIGHT] = [320, 180];
/** The camera moves along a picture this much wider. */
const ROOM = 64;

const videoSeconds = (SCENES * SHOT_FRAMES) / FPS;

/** Draws the material, or finds that an earlier run did: so many videos, and the film of all of them in a row. */
export async function drawMaterial(
  folder: string,
  ffmpeg: string,
  count: number,
): Promise<{ film: string; videos: string[] }> {
  const film = join(folder, `film-${count}.mp4`);
  const videos = join(folder, `videos-${count}`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(film)) await drawFilm(film, ffmpeg, count);
  if (!existsSync(videos)) {
    const draft = `${videos}.part`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft);
    const cut = ['-f', 'segment', '-segment_time', String(videoSeconds), '-reset_timestamps', '1'];
    run(ffmpeg, ['-i', film, '-c', 'copy', ...cut, join(draft, '%04d.mp4')]);
    renameSync(draft, videos);
  }
  return { film, videos: readdirSync(videos).toSorted().map((name) => join(videos, name)) }; // prettier-ignore
}

/** The film over and over, `seconds` long. */
export function loop(film: string, seconds: number, path: string, ffmpeg: string): void {
  run(ffmpeg, ['-stream_loop', '-1', '-i', film, '-c', 'copy', '-t', String(seconds), '-y', path]);
}

function run(ffmpeg: string, args: readonly string[]): void {
  const { status } = spawnSync(ffmpeg, ['-v', 'error', '-nostdin', ...args], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`ffmpeg ended with ${status}`);
}

/** One still a scene goes in; the encoder's side repeats it and moves along it. A key picture begins every video. */
async function drawFilm(film: string, ffmpeg: string, count: number): Promise<void> {
  const pan = `crop=${WIDTH}:${HEIGHT}:2*mod(n\\,${SHOT_FRAMES}):0`;
  const group = String(SCENES * SHOT_FRAMES);
  const draft = `${film}.part.mp4`;
  const child = spawn(
    ffmpeg,
    [
      ...['-v', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${WIDTH + ROOM}x${HEIGHT}`],
      ...['-r', `${FPS}/${SHOT_FRAMES}`, '-i', '-', '-vf', `fps=${FPS},${pan},format=yuv420p`],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '30', '-g', group, '-keyint_min', group],
      ...['-sc_threshold', '0', '-y', draft],
    ],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
  const ended = once(child, 'close');
  for (let scene = 0; scene < count * SCENES; scene++) {
    const picture = await sharp(Buffer.from(drawScene(scene))).removeAlpha().raw().toBuffer(); // prettier-ignore
    if (!child.stdin.write(picture)) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  const [code] = (await ended) as [number];
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}`);
  renameSync(draft, film);
}

/** One of the places as it looks this time: its shapes and colours, moved a little. Half of the scenes are seen once. */
function drawScene(scene: number): string {
  const own = random(scene + 1);
  const place = own.next() < 0.5 ? random(1e6 + own.below(PLACES)) : random(2e6 + scene);
  const about = (most: number): string => (place.next() * most + own.normal() * most * 0.04).toFixed(0);
  const colour = (): string => `hsl(${about(360)},${about(90)}%,${about(90)}%)`;
  const shape = (): string =>
    [
      `<rect x="${about(384)}" y="${about(180)}" width="${about(150)}" height="${about(90)}" fill="${colour()}"/>`,
      `<ellipse cx="${about(384)}" cy="${about(180)}" rx="${about(60)}" ry="${about(60)}" fill="${colour()}"/>`,
      `<path d="M${about(384)} ${about(180)}L${about(384)} ${about(180)}L${about(384)} ${about(180)}Z" fill="${colour()}"/>`,
      `<path d="M0 ${about(180)}Q${about(384)} ${about(180)} 384 ${about(180)}" stroke="${colour()}" stroke-width="${about(14)}" fill="none"/>`,
    ][place.below(4)]!;
  const shapes = Array.from({ length: 4 + place.below(14) }, shape).join('');
  const size = `width="${WIDTH + ROOM}" height="${HEIGHT}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect ${size} fill="${colour()}"/>${shapes}</svg>`;
}

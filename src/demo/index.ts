/**
 * demo: draws a topic of seven films of one weekend in a harbour town, so that no footage need be included and it is known
 * what a good summary must contain: scenes that several films share, private ones, and fillers, among them the defects of
 * the last film. The same call draws the same bytes with one ffmpeg build and processor family. It shows whether the program
 * works, not how good a method is.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawFilm } from './film.js';
import { fillers, type SceneName, scenes } from './scenes/index.js';
import { buildSet, type Set } from './stage.js';
import {
  type Film,
  films,
  type Take,
  TITLE,
  type DemoScene,
  type DemoSubject,
  type DemoTopic,
  type DemoVideo,
  type SceneKind,
} from './topic.js';

export { demoTruth, type DemoTopic, type DemoVideo } from './topic.js';

/** What to draw, where, and with which ffmpeg. */
type DrawOptions = {
  readonly folder: string;
  readonly ffmpeg: string;
  readonly signal?: AbortSignal;
  /** Called after every frame with the share of the whole in [0, 1] and the video being drawn. */
  readonly onProgress?: (fraction: number, file: string) => void;
  /** Factor for the size of the pictures, 640 × 360 and 512 × 288 (default 1). */
  readonly scale?: number;
  /** Factor for the length of the scenes, two to three and a half seconds (default 1). */
  readonly pace?: number;
  /** How many of the seven videos to draw (default all). */
  readonly videoCount?: number;
  /** Only the video of this name. */
  readonly file?: string;
};

/** Pixels per unit of a rasterised scene at scale 1: enough for the closest camera. */
const PX_PER_UNIT = 0.8;

/** Raise this when the same topic would be drawn differently. */
const DRAWING_VERSION = 2;

/** What `drawTopic` draws with these options, and the text of its `truth.json`. */
export function planTopic(options: Pick<DrawOptions, 'folder' | 'scale' | 'pace' | 'videoCount' | 'file'>): {
  readonly drawn: readonly Film[];
  readonly topic: DemoTopic;
  readonly truth: string;
} {
  const { folder, scale = 1, pace = 1, videoCount = films.length, file } = options;
  const wanted = films.filter((film, at) => at < videoCount && (file === undefined || film.file === file));
  const drawn = wanted.map((film) => resize(film, scale, pace));
  const videos = drawn.map((film) => describe(film, drawn));
  const topic: DemoTopic = {
    schema: 'demo-truth.1',
    drawing: DRAWING_VERSION,
    title: TITLE,
    folder,
    subjects: listSubjects(videos),
    videos,
  };
  return { drawn, topic, truth: `${JSON.stringify({ ...topic, folder: undefined }, null, 2)}\n` };
}

/**
 * Draws the videos and `truth.json` into `folder`, which is made if missing. The same call writes the same bytes; videos that
 * an earlier call finished are left as they are.
 */
export async function drawTopic(options: DrawOptions): Promise<DemoTopic> {
  const { folder, ffmpeg, signal, onProgress, scale = 1 } = options;
  const { drawn, topic, truth } = planTopic(options);
  const total = topic.videos.reduce((sum, video) => sum + video.frameCount, 0);
  const openSet = setKeeper(drawn, PX_PER_UNIT * scale);
  await mkdir(folder, { recursive: true });
  // The truth is written last: if it is there and unchanged, all films were finished.
  const earlier = await readFile(join(folder, 'truth.json'), 'utf8').catch(() => null);
  if (earlier === truth && drawn.every((film) => existsSync(join(folder, film.file)))) return topic;
  let done = 0;
  for (const film of drawn) {
    const onFrame = (): void => onProgress?.(++done / total, film.file);
    await drawFilm(film, { ffmpeg, path: join(folder, film.file), openSet, onFrame, ...(signal ? { signal } : {}) });
  }
  await rm(join(folder, 'truth.json.part'), { force: true });
  await writeFile(join(folder, 'truth.json.part'), truth, { flag: 'wx' });
  await rename(join(folder, 'truth.json.part'), join(folder, 'truth.json'));
  return topic;
}

function resize(film: Film, scale: number, pace: number): Film {
  const even = (px: number): number => Math.max(2, 2 * Math.round((px * scale) / 2));
  const takes = film.takes.map((take) => ({
    ...take,
    frames: Math.max(2, Math.round(take.frames * pace)),
    dissolve: 2 * Math.round((take.dissolve * Math.min(1, pace)) / 2),
  }));
  return { ...film, widthPx: even(film.widthPx), heightPx: even(film.heightPx), takes };
}

/** Builds sets when first asked for; sets that several films use are kept, the others are dropped after use. */
function setKeeper(drawn: readonly Film[], pxPerUnit: number): (scene: SceneName) => Promise<Set> {
  const kept = new Map<SceneName, Promise<Set>>();
  return (scene) => {
    const set = kept.get(scene) ?? buildSet(scenes[scene](), pxPerUnit);
    if (filmsWith(scene, drawn).length > 1) kept.set(scene, set);
    return set;
  };
}

/** Films with a good take of a scene. */
function filmsWith(scene: SceneName, drawn: readonly Film[]): string[] {
  return drawn.filter((film) => film.takes.some((take) => take.scene === scene && !take.defect)).map(({ file }) => file); // prettier-ignore
}

function kindOf({ scene, defect }: Take, drawn: readonly Film[]): SceneKind {
  if (defect || fillers.includes(scene)) return 'filler';
  return filmsWith(scene, drawn).length > 1 ? 'shared' : 'private';
}

function describe(film: Film, drawn: readonly Film[]): DemoVideo {
  let frameCount = 0;
  const list = film.takes.map((take): DemoScene => {
    const startFrame = frameCount;
    frameCount += take.frames;
    const { scene: name, dissolve: dissolveFrames, defect } = take;
    const alsoIn = defect ? [] : filmsWith(name, drawn).filter((file) => file !== film.file);
    const range = { startFrame, endFrame: frameCount };
    return { name, kind: kindOf(take, drawn), ...range, dissolveFrames, alsoIn, ...(defect ? { defect } : {}) };
  });
  const { file, widthPx, heightPx, frameRate } = film;
  return { file, widthPx, heightPx, frameRate, frameCount, scenes: list };
}

function listSubjects(videos: readonly DemoVideo[]): DemoSubject[] {
  const subjects = new Map<string, DemoSubject>();
  const isGood = ({ defect }: DemoScene): boolean => defect === undefined;
  for (const scene of videos.flatMap((video) => video.scenes.filter(isGood))) {
    const seenIn = videos.filter((video) => video.scenes.some((other) => other.name === scene.name && isGood(other)));
    subjects.set(scene.name, { name: scene.name, kind: scene.kind, videos: seenIn.map((video) => video.file) });
  }
  return [...subjects.values()].sort((a, b) => b.videos.length - a.videos.length);
}

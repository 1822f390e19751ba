import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { SIGNAL_SIZE, type ShotFinder } from './analysis/analyse.js';
import { UsageError, whyUnreadable } from '../base/index.js';
import type { Run } from './run.js';
import {
  createSegmenter,
  shortestFrames,
  readShotList,
  shotsFromList,
  type Segmenter,
  type ShotList,
} from '../shots/index.js';
import type { Video } from './admit.js';

/** How the shots of a video are found. */
export type ShotPlan = {
  newFinder(): ShotFinder;
  /** Identifies the way in which they are found: part of the cache key. */
  readonly identity: unknown;
  /** The caller knows the shots already; they are not found in the pictures. */
  readonly listed: boolean;
  /** Frames of the shortest shot that may be chosen, as far as the rate is known. */
  readonly shortest?: number;
};

/** How the shots of each video are found under the options of a run: by a list of shots, else by a segmenter. */
export async function planFromOptions(run: Run): Promise<(video: Video) => ShotPlan> {
  const list = await openShotList(run);
  if (list !== null) {
    return (video) => ({
      newFinder: () => ({ push: () => undefined, end: (clock) => shotsFromList(list.shots, video.name, clock) }),
      identity: ['list', video.name, list.text],
      listed: true,
    });
  }
  const { segmenter: name, shotsBy: by, minShot: min, maxShot: max } = run.options;
  return ({ info: { frameRate } }) => {
    const rate = frameRate ? frameRate.num / frameRate.den : undefined;
    const newFinder = (): Segmenter => createSegmenter(name, { ...SIGNAL_SIZE, by, min, max, rate });
    const shortest = shortestFrames({ by, min, max }, rate);
    return { newFinder, identity: [name, newFinder().version], listed: false, ...(shortest ? { shortest } : {}) };
  };
}

/** A shot list as read, and its text, which identifies it. */
type GivenShots = { readonly text: string; readonly shots: ShotList };

async function openShotList({ options }: Run): Promise<GivenShots | null> {
  if (options.shots === undefined) return null;
  const text = await readFile(options.shots, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      'bad-shot-list',
      `Could not read the shot list "${options.shots}" (${whyUnreadable(error)}). Check the path.`,
    );
  });
  return { text, shots: readShotList(text, basename(options.shots)) };
}

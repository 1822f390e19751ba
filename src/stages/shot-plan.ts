import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { SIGNAL_SIZE, type ShotFinder } from '../analyse/index.js';
import { UsageError, whyUnreadable } from '../base/index.js';
import type { Run } from '../run.js';
import {
  createSegmenter,
  readShotList,
  shotsFromList,
  shotsFromStarts,
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
  /** Frames of the shortest shot that can be found. */
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
  const { segmenter: name, minShot, maxShot } = run.options;
  const bounds = { minFrames: minShot, maxFrames: maxShot, frames: Math.round((minShot + maxShot) / 2) };
  const create = (): Segmenter => createSegmenter(name, { ...SIGNAL_SIZE, ...bounds });
  const newFinder = (): ShotFinder => {
    const segmenter = create();
    return {
      push: (picture) => segmenter.push(picture),
      end: (clock) => shotsFromStarts(segmenter.end(), clock.frameTicks, clock.endTicks, clock.timeBase),
    };
  };
  const identity = [name, create().version, minShot, maxShot];
  return () => ({ newFinder, identity, listed: false, shortest: minShot });
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

import type { ShotFrames } from '../types.js';
import { shotFramesFromStarts } from './frame-scores.js';
import type { Refuse } from '../../features/index.js';

/** How far a change of scores may be from the two-second grid, as a share of a shot: for rounding and uneven time stamps. */
const TOLERANCE = 0.05;

/**
 * The two-second shots people scored, found where anyone's score changes: the true grid is of time, so its starts drift
 * away from multiples of 2·round(fps). Where nobody changed between two changes the stretch is divided evenly; what is left
 * at the end and is shorter than a shot belongs to the last one.
 */
export function scoredShots(people: readonly Float32Array[], seconds: number, refuse: Refuse): ShotFrames[] {
  const frameCount = people[0]!.length;
  const nominal = (2 * frameCount) / seconds;
  const changes = changesOf(people);
  const starts = [0];
  let [last, pieces] = [0, 0];
  for (const change of changes) {
    const count = Math.round((change - last) / nominal);
    if (count < 1 || Math.abs((change - last) / count - nominal) > TOLERANCE * nominal) {
      throw refuse(
        'scores that change every two seconds',
        `a change at frame ${change}, ${change - last} after the last`,
      );
    }
    for (let piece = 1; piece <= count; piece++) starts.push(last + Math.round(((change - last) * piece) / count));
    [last, pieces] = [change, pieces + count];
  }
  const framesPerShot = pieces > 0 ? last / pieces : nominal;
  const left = Math.floor((frameCount - last) / framesPerShot);
  for (let piece = 1; piece < left; piece++) starts.push(last + Math.round(framesPerShot * piece));
  return shotFramesFromStarts(starts, frameCount);
}

function changesOf(people: readonly Float32Array[]): number[] {
  const frameCount = people[0]!.length;
  const changes: number[] = [];
  for (let frame = 1; frame < frameCount; frame++) {
    if (people.some((scores) => scores[frame] !== scores[frame - 1])) changes.push(frame);
  }
  return changes;
}

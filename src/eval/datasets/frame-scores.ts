import { NumericError } from '../../base/index.js';
import type { Dataset, Judgement, ShotFrames } from '../types.js';

/** The scores that people gave each frame of a video. */
export type FrameScores = {
  readonly video: string;
  readonly frameCount: number;
  /**
   * Which shots are a person's reference. `top-half`: the ⌊n/2⌋ shots with the highest marks, at least one.
   * `mostly-chosen`: scores are 0 and 1, and shots at least half chosen count; if there is none, the one chosen most.
   */
  readonly reference: 'top-half' | 'mostly-chosen';
  readonly people: readonly { readonly judge: string; readonly scores: Float32Array }[];
};

/** A data set that labels frames, so that any shots of a video can be judged. */
export type FrameLabelledDataset = Dataset & { readonly frameScores: ReadonlyMap<string, FrameScores> };

/** A re-encoded file has a few frames more or fewer than the one people saw; beyond this share it is another video. */
const MAX_FRAME_DIFFERENCE = 0.02;

/** Whether a file with so many frames can be the video whose labels have `labelled` frames. */
export function fitsLabels(frameCount: number, labelled: number): boolean {
  return Math.abs(frameCount - labelled) <= MAX_FRAME_DIFFERENCE * labelled;
}

/**
 * The labels of a video for `shots`: a person's mark of a shot is the mean of the scores of its frames.
 * `frameCount` is that of the file the shots were cut from; frames it has past the labels take the last frame's score.
 */
export function judgeShots(
  frameScores: FrameScores,
  shots: readonly ShotFrames[],
  frameCount: number = shots.at(-1)?.endFrame ?? 0,
): { judgements: Judgement[]; notes: string[] } {
  const { video, people, reference } = frameScores;
  const notes = compareLengths(frameScores, frameCount);
  const wrong = shots.find(({ startFrame, endFrame }) => !(startFrame >= 0 && startFrame < endFrame));
  if (wrong) {
    throw new NumericError(
      'empty-shot',
      `Expected shots of at least one frame in video "${video}", found frames ${wrong.startFrame} to ${wrong.endFrame}.`,
    );
  }
  const judgements = people.map(({ judge, scores }) => {
    const marks = meanOverShots(scores, shots);
    const order = orderByMark(marks);
    return { judge, marks, order, reference: new Set(order.slice(0, referenceSize(marks, reference))) };
  });
  return { judgements, notes };
}

/** Shots from best to worst mark; of equal marks the earlier shot comes first. */
export function orderByMark(marks: Float64Array): number[] {
  return Array.from(marks.keys()).sort((a, b) => marks[b]! - marks[a]! || a - b);
}

/**
 * Shots of `framesPerShot` frames, which need not be whole: shot k starts at round(k · framesPerShot), so lengths differ
 * by a frame and the grid never drifts. A remainder shorter than a shot belongs to the last one.
 */
export function uniformShots(frameCount: number, framesPerShot: number): ShotFrames[] {
  const count = Math.max(1, Math.floor(frameCount / framesPerShot));
  return shotFramesFromStarts(
    Array.from({ length: count }, (_, shot) => Math.round(shot * framesPerShot)),
    frameCount,
  );
}

/** Shots that begin at `starts`, each up to the next, the last up to `endFrame`. */
export function shotFramesFromStarts(starts: readonly number[], endFrame: number): ShotFrames[] {
  return starts.map((startFrame, shot) => ({ startFrame, endFrame: starts[shot + 1] ?? endFrame }));
}

function compareLengths({ video, frameCount: labelled }: FrameScores, frameCount: number): string[] {
  if (frameCount === labelled) return [];
  const difference = `the labels of video "${video}" are of ${labelled} frames, the file has ${frameCount}`;
  if (!fitsLabels(frameCount, labelled)) {
    throw new NumericError(
      'other-length',
      `Expected at most 2 % difference in length, found that ${difference}. Check that it is the same video.`,
    );
  }
  return [
    `${difference[0]!.toUpperCase()}${difference.slice(1)}: each frame takes the score of the nearest labelled one.`,
  ];
}

function meanOverShots(scores: Float32Array, shots: readonly ShotFrames[]): Float64Array {
  const sums = new Float64Array(scores.length + 1);
  scores.forEach((score, frame) => (sums[frame + 1] = sums[frame]! + score));
  const last = scores.length - 1;
  const sumBefore = (frame: number): number =>
    frame <= scores.length ? sums[frame]! : sums[scores.length]! + (frame - scores.length) * scores[last]!;
  return Float64Array.from(
    shots,
    ({ startFrame, endFrame }) => (sumBefore(endFrame) - sumBefore(startFrame)) / (endFrame - startFrame),
  );
}

function referenceSize(marks: Float64Array, reference: FrameScores['reference']): number {
  if (marks.length === 0) return 0;
  if (reference === 'top-half') return Math.max(1, Math.floor(marks.length / 2));
  const chosen = marks.reduce((count, mark) => count + (mark >= 0.5 ? 1 : 0), 0);
  return chosen > 0 || marks.every((mark) => mark === 0) ? chosen : 1;
}

import { describe, expect, it } from 'vitest';
import { activityOf } from './measures.js';

/** Frames of shots of ten frames each, with this change between frames and this move of the camera in eighths of a pixel. */
function measured(changes: readonly number[], moves: readonly number[] = changes.map(() => 0)) {
  const frames = (values: readonly number[]): number[] =>
    values.flatMap((value) => Array.from({ length: 10 }, () => value));
  return {
    shots: changes.map((_, i) => ({ startFrame: 10 * i, endFrame: 10 * i + 10 })),
    measures: {
      motion: Float32Array.from(frames(changes)),
      moveX: Int8Array.from(frames(moves)),
      moveY: new Int8Array(10 * changes.length),
    },
  };
}

describe('activity', () => {
  it('by hand: log of noise and mean change', () => {
    const { shots, measures } = measured([1, 3]);
    expect([...activityOf(shots, measures)!]).toEqual([1, 3].map((value) => expect.closeTo(Math.log(0.2 + value), 6)));
  });

  it('is halved by a camera that moves one pixel per frame', () => {
    const { shots, measures } = measured([2, 2], [0, 8]);
    expect([...activityOf(shots, measures)!]).toEqual([2, 1].map((value) => expect.closeTo(Math.log(0.2 + value), 6)));
  });

  it('does not count the cut into a shot', () => {
    const { shots, measures } = measured([1, 1]);
    measures.motion[10] = 200;
    const [first, second] = activityOf(shots, measures)!;
    expect(second).toBe(first);
  });

  it('is unknown where a cut falls into each still', () => {
    const long = [0, 1, 2].map((i) => ({ startFrame: 30 * i, endFrame: 30 * i + 30 }));
    const motion = new Float32Array(90);
    for (const { startFrame } of long) motion[startFrame + 4] = 60;
    const moves = { moveX: new Int8Array(90), moveY: new Int8Array(90) };
    expect(activityOf(long, { motion, ...moves })).toBeNull();
  });

  it('is unknown for stills, and for no shots', () => {
    const { shots, measures } = measured([0, 0.01, 9]);
    expect(activityOf(shots, measures)).toBeNull();
    expect(activityOf([], measures)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';

import { clipCollector } from './embed-clips.js';

/** Pushes shots of frames that each hold their own number; gives the frame numbers of every clip. */
function clipsOf(shots: readonly number[][], length: number, every: number): number[][] {
  const collector = clipCollector(length, every);
  return shots.flatMap((frames) =>
    frames.flatMap((frame, at) =>
      collector.push(Uint8Array.of(frame, frame), at === frames.length - 1).map((clip) => {
        expect(clip.filter((_, k) => k % 2 === 1)).toEqual(clip.filter((_, k) => k % 2 === 0));
        return [...clip.filter((_, k) => k % 2 === 0)];
      }),
    ),
  );
}

const range = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, k) => start + k);

describe('clips', () => {
  it('begin with their shot and never cross its end: 32 frames give 2 of 16, so do 47, 48 give 3', () => {
    expect(clipsOf([range(0, 32), range(32, 79), range(79, 127)], 16, 16)).toEqual([
      ...[range(0, 16), range(16, 32)],
      ...[range(32, 48), range(48, 64)],
      ...[range(79, 95), range(95, 111), range(111, 127)],
    ]);
  });

  it('of a shot shorter than one repeat its last frame', () => {
    expect(clipsOf([[7, 8, 9], [4]], 5, 5)).toEqual([[7, 8, 9, 9, 9], [4, 4, 4, 4, 4]]); // prettier-ignore
  });

  it('may overlap, or leave frames out', () => {
    expect(clipsOf([range(0, 6)], 4, 2)).toEqual([range(0, 4), range(2, 6)]);
    expect(clipsOf([range(0, 9)], 2, 4)).toEqual([[0, 1], [4, 5]]); // prettier-ignore
  });
});

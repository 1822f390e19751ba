import { expect, it } from 'vitest';
import { shotsFromFrames, shotsFromStarts } from './index.js';

const base = { num: 1, den: 90_000 };
/** Seven frames of a video with a variable rate that begins at tick 1000. */
const frameTicks = [1000, 4003, 7006, 7500, 13_012, 16_015, 19_018];

it('ends each shot where the next frame begins and the last at the end of the video', () => {
  expect(shotsFromStarts([0, 3, 5], frameTicks, 22_021, base)).toEqual([
    { index: 0, startFrame: 0, endFrame: 3, range: { start: 1000, end: 7500, base } },
    { index: 1, startFrame: 3, endFrame: 5, range: { start: 7500, end: 16_015, base } },
    { index: 2, startFrame: 5, endFrame: 7, range: { start: 16_015, end: 22_021, base } },
  ]);
  expect(shotsFromStarts([], [], 0, base)).toEqual([]);
  expect(shotsFromStarts([0], Float64Array.of(5), 9, base)).toHaveLength(1);
});

it('leaves gaps where the given frames do', () => {
  const clock = { frameTicks, endTicks: 22_021, timeBase: base };
  const ranges = shotsFromFrames(
    [
      { startFrame: 1, endFrame: 2 },
      { startFrame: 4, endFrame: 7 },
    ],
    clock,
  ).map((s) => s.range);
  expect(ranges).toEqual([
    { start: 4003, end: 7006, base },
    { start: 13_012, end: 22_021, base },
  ]);
});

it('refuses starts that are no division of the frames', () => {
  for (const starts of [[], [1, 3], [0, 0], [0, 5, 3], [0, 7], [0, 2.5]]) {
    expect(() => shotsFromStarts(starts, frameTicks, 22_021, base)).toThrow(/Expected/);
  }
  expect(() => shotsFromStarts([0], [], 0, base)).toThrow(/Expected the first shot/);
  expect(() => shotsFromStarts([0, 1], [10, 5], 20, base)).toThrow(/Expected rising frame times/);
});

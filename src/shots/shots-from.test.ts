import { expect, it } from 'vitest';
import { shotsFromFrames, shotsFromStarts } from './index.js';

const base = { num: 1, den: 90_000 };
/** Seven frames of a video with a variable rate that begins at tick 1000. */
const frameTicks = [1000, 4003, 7006, 7500, 13_012, 16_015, 19_018];
const clockOf = (ticks: ArrayLike<number>, endTicks: number) => ({ frameTicks: ticks, endTicks, timeBase: base });
const clock = clockOf(frameTicks, 22_021);

it('ends each shot where the next frame begins and the last at the end of the video', () => {
  const { shots, takes } = shotsFromStarts([0, 3, 5], clock);
  expect(takes).toEqual([
    { index: 0, startFrame: 0, endFrame: 3, range: { start: 1000, end: 7500, base } },
    { index: 1, startFrame: 3, endFrame: 5, range: { start: 7500, end: 16_015, base } },
    { index: 2, startFrame: 5, endFrame: 7, range: { start: 16_015, end: 22_021, base } },
  ]);
  expect(shots).toEqual(takes.map((take, index) => ({ ...take, take: index, view: index })));
  expect(shotsFromStarts([], clockOf([], 0))).toEqual({ takes: [], shots: [] });
  expect(shotsFromStarts([0], clockOf(Float64Array.of(5), 9)).shots).toHaveLength(1);
});

it('numbers the take and the view of each shot', () => {
  const { shots, takes } = shotsFromStarts([0, 1, 3, 5, 6], clock, { takes: [0, 5], views: [0, 3, 5] });
  expect(shots.map(({ take, view }) => [take, view])).toEqual([[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]]); // prettier-ignore
  expect(takes.map(({ range: { start, end } }) => [start, end])).toEqual([[1000, 16_015], [16_015, 22_021]]); // prettier-ignore
});

it('leaves gaps where the given frames do', () => {
  const ranges = shotsFromFrames(
    [
      { startFrame: 1, endFrame: 2 },
      { startFrame: 4, endFrame: 7 },
    ],
    clock,
  ).shots.map((s) => s.range);
  expect(ranges).toEqual([
    { start: 4003, end: 7006, base },
    { start: 13_012, end: 22_021, base },
  ]);
});

it('refuses starts that are no division of the frames', () => {
  for (const starts of [[], [1, 3], [0, 0], [0, 5, 3], [0, 7], [0, 2.5]]) {
    expect(() => shotsFromStarts(starts, clock)).toThrow(/Expected/);
  }
  expect(() => shotsFromStarts([0], clockOf([], 0))).toThrow(/Expected the first shot/);
  expect(() => shotsFromStarts([0, 1], clockOf([10, 5], 20))).toThrow(/Expected rising frame times/);
});

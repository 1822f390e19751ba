import { expect, it } from 'vitest';
import { uniform } from './segmenters.js';
import { cut, lengthsOf } from './segmenter.case.js';

function startsOf(frames: number, total: number): readonly number[] {
  const nothing = new Uint8Array(0);
  return cut(
    uniform({ by: 'frames', min: frames / 2, max: (3 * frames) / 2 }),
    Array.from({ length: total }, () => nothing),
  );
}

it('cuts by hand-counted places', () => {
  expect(startsOf(64, 192)).toEqual([0, 64, 128]);
  expect(startsOf(64, 200)).toEqual([0, 66, 133]);
  expect(startsOf(64, 95)).toEqual([0]);
  expect(startsOf(64, 96)).toEqual([0, 48]);
});

it('keeps lengths within one frame of each other and near what was asked', () => {
  for (let total = 1; total < 900; total++) {
    const lengths = lengthsOf(startsOf(50, total), total);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
    if (total >= 34) expect(Math.min(...lengths)).toBeGreaterThanOrEqual(33);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(75);
  }
});

it('measures in seconds by default, whatever the rate', () => {
  for (const rate of [12, 25, 187]) {
    const pictures = Array.from({ length: 10 * rate }, () => new Uint8Array(0));
    expect(cut(uniform(), pictures, rate).map((start) => start / rate)).toEqual(
      [0, 2.5, 5, 7.5].map((at) => Math.floor(at * rate) / rate),
    );
  }
});

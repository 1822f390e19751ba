import { expect, it } from 'vitest';
import { uniform } from './uniform.js';
import { lengthsOf } from './segmenter.case.js';

function startsOf(frames: number, total: number): readonly number[] {
  const segmenter = uniform({ frames });
  for (let i = 0; i < total; i++) segmenter.push(new Uint8Array(0));
  return segmenter.end();
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

it('refuses lengths that are no number of frames', () => {
  for (const frames of [0, -3, 1.5, NaN])
    expect(() => uniform({ frames })).toThrow(/Expected a whole number of frames/);
});

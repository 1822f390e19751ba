import { expect, it } from 'vitest';

import { looksSame, unlessSame } from './analyse.js';

it('works on a sample again only when it has changed', async () => {
  const sent: number[] = [];
  const embed = unlessSame(async ([first]) => {
    sent.push(first!);
    return Float32Array.of(first! / 2);
  });
  const vectors = await Promise.all([1, 1, 2, 2, 2, 1].map((value) => embed(Uint8Array.of(value, 7))));
  expect(sent).toEqual([1, 2, 1]);
  expect(vectors.map(([value]) => value)).toEqual([0.5, 0.5, 1, 1, 1, 0.5]);
});

it('compares with the sample last worked on, so that a slow change adds up', async () => {
  const sent: number[] = [];
  const embed = unlessSame(
    async ([first]) => sent.push(first!),
    ([a], [b]) => Math.abs(a! - b!) <= 2,
  );
  for (const value of [10, 11, 12, 13, 14, 15, 16]) await embed(Uint8Array.of(value));
  expect(sent).toEqual([10, 13, 16]);
});

/** A grey picture of 40 × 40, whose blocks at the right and below are cut off. */
const grey = (paint: (picture: Uint8Array) => void = () => undefined): Uint8Array => {
  const picture = new Uint8Array(3 * 40 * 40).fill(100);
  paint(picture);
  return picture;
};

it.each([
  ['noise of coding', (picture: Uint8Array) => picture.forEach((_, i) => (picture[i]! += [-2, 2, -1, 1][i % 4]!)), true],
  ['a little more light', (picture: Uint8Array) => picture.fill(102), true],
  ['more light', (picture: Uint8Array) => picture.fill(103), false],
  ['a dark pixel', (picture: Uint8Array) => picture.fill(0, 1200, 1203), true],
  ['a small thing in the middle', (picture: Uint8Array) => [20, 21, 22].forEach((y) => picture.fill(0, 3 * (40 * y + 20), 3 * (40 * y + 25))), false],
  ['a small thing in the last corner', (picture: Uint8Array) => picture.fill(0, picture.length - 6), false],
] as const)('compares pictures block by block: %s', (_, paint, isSame) => {
  expect(looksSame(40)(grey(), grey(paint))).toBe(isSame);
}); // prettier-ignore

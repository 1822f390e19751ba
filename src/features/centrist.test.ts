import { expect, it } from 'vitest';

import { random } from '../base/index.js';
import { censusCodes, centrist, CENTRIST_DIM, type GrayPicture } from './describe.js';
import { drawGray, mirror, noise, regray } from './drawn.case.js';

it('codes a patch as by hand: a bit for each neighbour not brighter than the centre, row by row', () => {
  const patch = { widthPx: 3, heightPx: 3, data: Uint8Array.of(10, 20, 30, 40, 25, 25, 5, 60, 0) };
  expect([...censusCodes(patch).data]).toEqual([0b11001101]);
});

it('counts by hand: a vertical edge in a 6 × 6 picture', () => {
  // Dark to x = 2, bright from x = 3. Right of the edge all neighbours are equal or darker (255, left out), as on the far
  // left; the dark column beside the edge has three brighter neighbours: 11010110.
  const histogram = centrist(drawGray(6, 6, (x) => (x < 3 ? 10 : 90)));
  const entries = [...histogram.entries()].filter(([, share]) => share > 0);
  const place = (block: number): number => block * 254 + 0b11010110 - 1;
  // Codes are 4 × 4, the column is their second: all, upper left, lower left, middle; a quarter is 2 × 2.
  expect(entries).toEqual([
    [place(0), Math.sqrt(4 / 16)],
    [place(1), Math.sqrt(2 / 4)],
    [place(3), Math.sqrt(2 / 4)],
    [place(5), Math.sqrt(2 / 4)],
  ]);
});

/** The definition, block by block and pixel by pixel, with codes as strings of bits. */
function plainCentrist({ widthPx, heightPx, data }: GrayPicture): number[] {
  const gray = (x: number, y: number): number => data[y * widthPx + x]!;
  const codeAt = (x: number, y: number): string =>
    [-1, 0, 1]
      .flatMap((dy) => [-1, 0, 1].map((dx) => ({ dx, dy })))
      .filter(({ dx, dy }) => dx !== 0 || dy !== 0)
      .map(({ dx, dy }) => (gray(x + dx, y + dy) <= gray(x, y) ? '1' : '0'))
      .join('');
  const [w, h] = [Math.floor((widthPx - 2) / 2), Math.floor((heightPx - 2) / 2)];
  const [right, bottom] = [widthPx - 1 - w, heightPx - 1 - h];
  const middle = [1 + Math.floor((widthPx - 2 - w) / 2), 1 + Math.floor((heightPx - 2 - h) / 2), w, h];
  const whole = [1, 1, widthPx - 2, heightPx - 2];
  const blocks = [whole, [1, 1, w, h], [right, 1, w, h], [1, bottom, w, h], [right, bottom, w, h], middle];
  return blocks.flatMap(([left = 0, top = 0, width = 0, height = 0]) => {
    const codes = Array.from({ length: width * height }, (_, k) =>
      codeAt(left + (k % width), top + Math.floor(k / width)),
    );
    const all = Array.from({ length: 254 }, (_, k) => (k + 1).toString(2).padStart(8, '0'));
    return all.map((code) => Math.sqrt(codes.filter((each) => each === code).length / codes.length));
  });
}

it.each([
  [20, 14],
  [17, 23],
])('agrees with the definition on noise of %i × %i pixels', (widthPx, heightPx) => {
  const picture = noise(widthPx, heightPx, 5, 6);
  expect([...centrist(picture)]).toEqual(plainCentrist(picture));
});

it('does not see a monotone change of brightness, but does see a negative', () => {
  const picture = noise(40, 30, 6, 32);
  const dice = random(7);
  const levels: number[] = [];
  for (let level = 0; level < 32; level++) levels.push((levels.at(-1) ?? 0) + 1 + dice.below(7));
  expect(centrist(regray(picture, (gray) => levels[gray]!))).toEqual(centrist(picture));
  expect(centrist(regray(picture, (gray) => 255 - gray))).not.toEqual(centrist(picture));
});

it('follows a mirror: bits and blocks change sides', () => {
  const picture = noise(30, 22, 8);
  const flipped = centrist(mirror(picture));
  const original = centrist(picture);
  const mirrorBits = (code: number): number => {
    const bits = code.toString(2).padStart(8, '0');
    return parseInt([2, 1, 0, 4, 3, 7, 6, 5].map((k) => bits[k]).join(''), 2);
  };
  [0, 2, 1, 4, 3, 5].forEach((from, block) => {
    for (let code = 1; code < 255; code++) {
      expect(flipped[block * 254 + code - 1]).toBe(original[from * 254 + mirrorBits(code) - 1]);
    }
  });
});

it('is zero where there is nothing to compare: flat pictures, pictures without an inside', () => {
  const nothing = new Float64Array(CENTRIST_DIM);
  for (const [widthPx, heightPx] of [
    [64, 64],
    [1, 50],
    [50, 2],
    [0, 0],
  ] as const) {
    expect(centrist(drawGray(widthPx, heightPx, () => 128))).toEqual(nothing);
  }
  expect(centrist(noise(3, 3, 9)).every(Number.isFinite)).toBe(true);
});

import { expect, it } from 'vitest';

import { random } from '../base/index.js';
import { COLOUR_MOMENTS_DIM, colourMoments, type RgbPicture } from './describe.js';
import { distance, drawRgb } from './drawn.case.js';

type Colour = readonly [number, number, number];

/** Moments of one channel (0, 1 hue, 2 saturation, 3 value) in one of the 16 cells. */
function momentsAt(moments: Float64Array, cell: number, channel: number): number[] {
  return [...moments.subarray((cell * 4 + channel) * 3, (cell * 4 + channel) * 3 + 3)];
}

function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(distance(found, expected)).toBeLessThan(1e-12);
}

/** What all cells hold of a picture of one colour: (cos, sin, saturation, value). */
function meanColour(colour: Colour): number[] {
  const moments = colourMoments(drawRgb(4, 4, () => colour));
  return [0, 1, 2, 3].map((channel) => momentsAt(moments, 5, channel)[0]!);
}

it('computes by hand: one pure red pixel among three black ones in every cell', () => {
  const moments = colourMoments(drawRgb(8, 8, (x, y) => (x % 2 === 0 && y % 2 === 0 ? [255, 0, 0] : [0, 0, 0])));
  // Values 1, 0, 0, 0: mean ¼, spread √(3/16), skew ∛((0.75³ − 3 · 0.25³) / 4). Red lies at 0°, so its sine is 0.
  const expected = [0.25, Math.sqrt(3 / 16), Math.cbrt((0.421875 - 3 * 0.015625) / 4)];
  for (let cell = 0; cell < 16; cell++) {
    for (const channel of [0, 2, 3]) expectClose(momentsAt(moments, cell, channel), expected);
    expectClose(momentsAt(moments, cell, 1), [0, 0, 0]);
  }
});

it('places colours on the circle: red 0°, green 120°, blue 240°, paler nearer to the middle, greys in it', () => {
  expectClose(meanColour([200, 0, 0]), [1, 0, 1, 200 / 255]);
  expectClose(meanColour([0, 100, 0]), [-0.5, Math.sqrt(0.75), 1, 100 / 255]);
  expectClose(meanColour([0, 0, 255]), [-0.5, -Math.sqrt(0.75), 1, 1]);
  expectClose(meanColour([200, 150, 150]), [0.25, 0, 0.25, 200 / 255]);
  for (const gray of [0, 1, 128, 255]) expectClose(meanColour([gray, gray, gray]), [0, 0, 0, gray / 255]);
});

it('keeps within 1.2° of the six-sided hue, at the distance of the saturation', () => {
  const dice = random(1);
  for (let trial = 0; trial < 300; trial++) {
    const [R, G, B] = [dice.below(256), dice.below(256), dice.below(256)];
    const [value, least] = [Math.max(R, G, B), Math.min(R, G, B)];
    if (value === least) continue;
    const chroma = value - least;
    const sixth = value === R ? (G - B) / chroma : value === G ? 2 + (B - R) / chroma : 4 + (R - G) / chroma;
    const [x = 0, y = 0] = meanColour([R, G, B]);
    expect(Math.hypot(x, y)).toBeCloseTo(chroma / value, 12);
    const off = Math.atan2(y, x) - (sixth * Math.PI) / 3;
    expect(Math.abs(Math.atan2(Math.sin(off), Math.cos(off)))).toBeLessThan((1.2 * Math.PI) / 180);
  }
});

it('averages across 0°: reds on both sides of it have their mean between them', () => {
  const moments = colourMoments(drawRgb(8, 8, (x) => (x % 2 === 0 ? [250, 0, 25] : [250, 25, 0])));
  const [x, spreadX] = momentsAt(moments, 0, 0);
  const [y, spreadY] = momentsAt(moments, 0, 1);
  expect(x).toBeGreaterThan(0.99);
  expect(y).toBeCloseTo(0, 12);
  expect(spreadX).toBeCloseTo(0, 12);
  expect(spreadY).toBeLessThan(0.1);
});

function noisy(widthPx: number, heightPx: number): RgbPicture {
  const dice = random(2);
  return drawRgb(widthPx, heightPx, () => [dice.below(256), dice.below(200), dice.below(90)]);
}

const pixelAt = ({ widthPx, data }: RgbPicture, x: number, y: number): Colour => {
  const at = 3 * (y * widthPx + x);
  return [data[at]!, data[at + 1]!, data[at + 2]!];
};

it('does not see where in a cell a pixel is', () => {
  const picture = noisy(32, 24);
  const [wide, high] = [8, 6];
  const mirroredInCells = drawRgb(32, 24, (x, y) =>
    pixelAt(picture, x - (x % wide) + wide - 1 - (x % wide), y - (y % high) + high - 1 - (y % high)),
  );
  expect(mirroredInCells.data).not.toEqual(picture.data);
  expect(distance(colourMoments(mirroredInCells), colourMoments(picture))).toBeLessThan(1e-9);
});

it('mirrors cells when the picture is mirrored', () => {
  const picture = noisy(32, 24);
  const moments = colourMoments(picture);
  const mirrored = colourMoments(drawRgb(32, 24, (x, y) => pixelAt(picture, 31 - x, y)));
  for (let cell = 0; cell < 16; cell++) {
    const other = cell - (cell % 4) + 3 - (cell % 4);
    const [found, expected] = [mirrored, moments].map((each, k) => {
      const place = k === 0 ? cell : other;
      return each.subarray(place * 12, place * 12 + 12);
    });
    expect(distance(found!, expected!)).toBeLessThan(1e-9);
  }
});

it('agrees with the definition in cells of uneven size', () => {
  const picture = noisy(13, 11);
  const moments = colourMoments(picture);
  // Of 13 columns the cells begin at 0, 3, 6 and 9; of 11 rows at 0, 2, 5 and 8.
  const values: number[] = [];
  for (let y = 5; y < 8; y++) {
    for (let x = 9; x < 13; x++) values.push(Math.max(...pixelAt(picture, x, y)) / 255);
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / 12;
  const central = (power: number): number => values.reduce((sum, value) => sum + (value - mean) ** power, 0) / 12;
  expectClose(momentsAt(moments, 2 * 4 + 3, 3), [mean, central(2) ** 0.5, Math.cbrt(central(3))]);
});

it('stays finite: no spread, no pixels in a cell, no pixels at all', () => {
  const flat = colourMoments(drawRgb(128, 128, () => [10, 200, 30]));
  for (let channel = 0; channel < 4; channel++) expectClose(momentsAt(flat, 7, channel).slice(1), [0, 0]);
  for (const [widthPx, heightPx] of [
    [1, 40],
    [3, 3],
    [0, 0],
  ] as const) {
    const moments = colourMoments(noisy(widthPx, heightPx));
    expect(moments).toHaveLength(COLOUR_MOMENTS_DIM);
    expect(moments.every(Number.isFinite)).toBe(true);
  }
});

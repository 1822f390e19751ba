import { describe, expect, it } from 'vitest';

import { DENSE_SIFT_DIM, denseSift, siftGrid, type SiftGrid } from './dense-sift.js';
import type { GrayPicture } from './describe.js';
import { distance, drawGray, mirror, noise, regray, turn } from './drawn.case.js';

/** Entry of a descriptor: grid row and column, bin row and column, orientation. */
function entry({ columns, descriptors }: SiftGrid, row: number, column: number, j: number, i: number, o: number) {
  return descriptors[(row * columns + column) * 128 + (j * 4 + i) * 8 + o]!;
}

/** The descriptors of a grid shaped as `like`, each entry of which is the one of `grid` that `from` names. */
function rearrange(
  grid: SiftGrid,
  like: SiftGrid,
  from: (row: number, column: number, j: number, i: number, o: number) => [number, number, number, number, number],
): number[] {
  return Array.from(like.descriptors, (_, k) => {
    const place = k >> 7;
    const [row, column] = [Math.floor(place / like.columns), place % like.columns];
    return entry(grid, ...from(row, column, (k >> 5) & 3, (k >> 3) & 3, k & 7));
  });
}

const tent = (distanceInBins: number): number => Math.max(0, 1 - Math.abs(distanceInBins));
const bell = (distanceInBins: number): number => Math.exp(-(distanceInBins ** 2) / 8);

describe('a descriptor', () => {
  it('of an even ramp, by hand: one orientation, bins by their weight, all but the corners clipped', () => {
    const grid = siftGrid(drawGray(64, 64, (x) => 3 * x));
    expect([grid.columns, grid.rows]).toEqual([7, 7]);
    // Along an axis a bin collects the weights of eight pixels: outer bins a, inner bins b. The 16 bins are their
    // products, of length 2(a² + b²); all but the four in the corners are above 0.2 of it.
    const along = (bin: number): number =>
      Array.from({ length: 20 }, (_, pixel) => (pixel + 0.5) / 4 - 2.5).reduce(
        (sum, u) => sum + tent(u - bin + 1.5) * bell(u),
        0,
      );
    const [a, b] = [along(0), along(1)];
    const [corner, side, middle] = [a * a, a * b, b * b].map((value) => value / (2 * (a * a + b * b)));
    expect(middle).toBeGreaterThan(0.2);
    expect(side).toBeGreaterThan(0.2);
    const length = Math.sqrt(4 * corner! ** 2 + 12 * 0.2 ** 2);
    for (let j = 0; j < 4; j++) {
      for (let i = 0; i < 4; i++) {
        const isCorner = i % 3 === 0 && j % 3 === 0;
        expect(entry(grid, 3, 3, j, i, 0)).toBeCloseTo((isCorner ? corner! : 0.2) / length, 12);
      }
    }
    for (const [k, value] of grid.descriptors.entries()) if (k % 8 !== 0) expect(value).toBe(0);
  });

  it.each([
    ['right', 0, (x: number) => 3 * x],
    ['bottom right', 1, (x: number, y: number) => 2 * (x + y)],
    ['bottom', 2, (_: number, y: number) => 3 * y],
    ['left', 4, (x: number) => 200 - 3 * x],
    ['top', 6, (_: number, y: number) => 200 - 3 * y],
  ])('of a ramp to the %s has orientation %i alone', (_, orientation, value) => {
    const { descriptors } = siftGrid(drawGray(48, 48, value));
    for (let o = 0; o < 8; o++) {
      const energy = descriptors.reduce((sum, entry, k) => sum + (k % 8 === o ? entry * entry : 0), 0);
      expect(energy).toBeCloseTo(o === orientation ? 25 : 0, 12);
    }
  });

  it('shares a direction between the two nearest orientations in proportion', () => {
    const { descriptors } = siftGrid(drawGray(48, 48, (x, y) => 2 * x + y));
    const toSecond = Math.atan2(1, 2) / (Math.PI / 4);
    expect(descriptors[1]! / descriptors[0]!).toBeCloseTo(toSecond / (1 - toSecond), 12);
  });

  it('has unit length, and is zero where the picture is flat', () => {
    const half = noise(128, 128, 1);
    const { columns, rows, descriptors } = siftGrid({
      ...half,
      data: half.data.map((gray, k) => (k % 128 < 64 ? gray : 77)),
    });
    for (let place = 0; place < columns * rows; place++) {
      const square = descriptors
        .subarray(place * 128, place * 128 + 128)
        .reduce((sum, value) => sum + value * value, 0);
      // Beyond x = 66 nothing reaches into a window, which begins 10 px left of its middle at 8 + 8 · column.
      expect(square).toBeCloseTo((place % columns) * 8 - 2 >= 66 ? 0 : 1, 12);
    }
  });
});

it('takes a lone rounding for flat, but not a ramp of a grey level every four pixels', () => {
  const { descriptors } = siftGrid(drawGray(64, 64, (x, y) => (x === 30 && y === 30 ? 101 : 100)));
  expect(descriptors.every((value) => value === 0)).toBe(true);
  const faint = siftGrid(drawGray(64, 64, (x) => x >> 2)).descriptors;
  for (let k = 0; k < faint.length; k += 128) expect(faint[k]).toBeGreaterThan(0);
});

describe('the grid', () => {
  const picture = noise(72, 56, 2);
  const grid = siftGrid(picture);

  it('does not see brightness and contrast', () => {
    const dim = regray(picture, (gray) => gray >> 2);
    expect(distance(siftGrid(regray(dim, (gray) => gray + 90)).descriptors, siftGrid(dim).descriptors)).toBe(0);
    expect(
      distance(siftGrid(regray(dim, (gray) => 3 * gray + 20)).descriptors, siftGrid(dim).descriptors),
    ).toBeLessThan(1e-14);
  });

  it('turns with the picture: places, bins and orientations', () => {
    const turned = siftGrid(turn(picture));
    // A clockwise turn takes row to column, counted from the other side, and brighter-to-the-right to brighter-below.
    const expected = rearrange(grid, turned, (row, column, j, i, o) => [
      ...([grid.rows - 1 - column, row] as const),
      ...([3 - i, j, (o + 6) & 7] as const),
    ]);
    expect(distance(turned.descriptors, expected)).toBeLessThan(1e-12);
  });

  it('follows a mirror', () => {
    const expected = rearrange(grid, grid, (row, column, j, i, o) => [
      row,
      grid.columns - 1 - column,
      j,
      3 - i,
      (12 - o) & 7,
    ]);
    expect(distance(siftGrid(mirror(picture)).descriptors, expected)).toBeLessThan(1e-12);
  });

  it('has a place every 8 px where a patch of 16 fits, and none in smaller pictures', () => {
    for (const [lengthPx, places] of [
      [128, 15],
      [31, 2],
      [24, 2],
      [23, 1],
      [16, 1],
      [15, 0],
      [1, 0],
      [0, 0],
    ] as const) {
      expect(siftGrid(noise(lengthPx, 32, 3))).toMatchObject({ columns: places, rows: 3 });
      expect(siftGrid(noise(32, lengthPx, 3))).toMatchObject({ columns: 3, rows: places });
    }
  });
});

/**
 * The definition: every pixel of the picture gives its gradient to every bin and orientation of a patch, by how near it
 * is to them in the three of column, row and angle.
 */
function plainDescriptor({ widthPx, heightPx, data }: GrayPicture, centreX: number, centreY: number): number[] {
  const gray = (x: number, y: number): number => data[y * widthPx + x]!;
  const slope = (at: (k: number) => number, k: number, length: number): number =>
    k === 0 ? at(1) - at(0) : k === length - 1 ? at(k) - at(k - 1) : (at(k + 1) - at(k - 1)) / 2;
  const pixels = Array.from(data, (_, k) => {
    const [x, y] = [k % widthPx, Math.floor(k / widthPx)];
    const [dx, dy] = [slope((at) => gray(at, y), x, widthPx), slope((at) => gray(x, at), y, heightPx)];
    return { u: (x + 0.5 - centreX) / 4, v: (y + 0.5 - centreY) / 4, dx, dy };
  });
  const values = Array.from({ length: 128 }, (_, k) => {
    const [j, i, angle] = [k >> 5, (k >> 3) & 3, ((k & 7) * Math.PI) / 4];
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return pixels.reduce((sum, { u, v, dx, dy }) => {
      // The angle between the gradient and this orientation, from their outer and inner product.
      const off = Math.atan2(cos * dy - sin * dx, cos * dx + sin * dy);
      const near = tent(u - i + 1.5) * tent(v - j + 1.5) * tent(off / (Math.PI / 4));
      return sum + near * bell(u) * bell(v) * Math.hypot(dx, dy);
    }, 0);
  });
  const unit = (list: number[]): number[] => list.map((value) => value / Math.hypot(...list));
  return unit(unit(values).map((value) => Math.min(value, 0.2)));
}

it('agrees with the definition, at the borders of a picture too', () => {
  // Three places across 37 px leave 5 px over, two down 30 px leave 6: the grid begins at 2 and 3.
  const picture = noise(37, 30, 4);
  const grid = siftGrid(picture);
  expect([grid.columns, grid.rows]).toEqual([3, 2]);
  for (const [row, column] of [
    [0, 0],
    [1, 1],
    [0, 2],
  ] as const) {
    const found = grid.descriptors.subarray((row * 3 + column) * 128, (row * 3 + column) * 128 + 128);
    expect(distance(found, plainDescriptor(picture, 2 + 8 + 8 * column, 3 + 8 + 8 * row))).toBeLessThan(1e-12);
  }
});

describe('pooling', () => {
  it('is mean and standard deviation of the roots in each quarter; the middle places count for both sides', () => {
    for (const [each, columns] of [
      [noise(40, 40, 10), 4],
      [noise(48, 40, 11), 5],
    ] as const) {
      const { descriptors } = siftGrid(each);
      const pooled = denseSift(each);
      for (const k of [0, 17, 64, 127]) {
        const roots: number[] = [];
        for (const row of [0, 1]) {
          for (let column = 2; column < columns; column++) {
            const one = descriptors.subarray((row * columns + column) * 128, (row * columns + column + 1) * 128);
            roots.push(Math.sqrt(one[k]! / one.reduce((sum, value) => sum + value, 0)));
          }
        }
        const mean = roots.reduce((sum, root) => sum + root, 0) / roots.length;
        const spread = Math.sqrt(roots.reduce((sum, root) => sum + (root - mean) ** 2, 0) / roots.length);
        expect(pooled[256 + k]).toBeCloseTo(mean, 12);
        expect(pooled[256 + 128 + k]).toBeCloseTo(spread, 12);
      }
    }
  });

  it('keeps Σ mean² + Σ deviation² = share of places that are not flat', () => {
    const textured = noise(128, 128, 12);
    const pooled = denseSift({ ...textured, data: textured.data.map((gray, k) => (k % 128 < 50 ? gray : 0)) });
    const shares = [0, 1, 2, 3].map((quarter) =>
      pooled.subarray(quarter * 256, quarter * 256 + 256).reduce((sum, value) => sum + value * value, 0),
    );
    // Windows begin at −2, 6, … and reach 20 px; gradients end at x = 50. Columns 0 … 6 of 8 on the left; none on the right.
    for (const [quarter, share] of [7 / 8, 0, 7 / 8, 0].entries()) expect(shares[quarter]).toBeCloseTo(share, 12);
  });

  it('is zero for flat pictures and those smaller than a patch', () => {
    const nothing = new Float64Array(DENSE_SIFT_DIM);
    expect(denseSift(drawGray(64, 64, () => 200))).toEqual(nothing);
    expect(denseSift(noise(1, 200, 13))).toEqual(nothing);
    expect(denseSift(noise(15, 15, 13))).toEqual(nothing);
  });
});

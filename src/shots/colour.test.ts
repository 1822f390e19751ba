import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { random } from '../base/index.js';
import { colourChange } from './colour-change.js';
import { colour } from './colour.js';
import { film, grainy, grey, scene, SIZE } from './pictures.case.js';
import { cut, lengthsOf } from './segmenter.case.js';

function changeOf(pictures: readonly Uint8Array[]): number[] {
  const change = colourChange(SIZE.widthPx, SIZE.heightPx);
  for (const picture of pictures) change.push(picture);
  return [...change.end()].map((value) => value / 65_535);
}

describe('colourChange', () => {
  it('is 0 for equal pictures; black against white changes all of the luma, a third of the whole', () => {
    expect(changeOf([grey(0), grey(0), grey(255), grey(255)])).toEqual([0, 0, 1 / 3, 0]);
  });

  it('is 1 for red against green, where luma and both chromas change', () => {
    const [red, green] = [grey(0), grey(0)];
    for (let i = 0; i < red.length; i += 3) [red[i], green[i + 1]] = [255, 255];
    expect(changeOf([red, red, green, green])[2]).toBeCloseTo(1, 5);
  });

  it('sees a cut and hardly sees grain, slow pans and slow light', () => {
    const source = random(5);
    const still = Array.from({ length: 20 }, () => grainy(scene(1), 6, source));
    const pan = Array.from({ length: 20 }, (_, t) => scene(2, { shiftPx: t * 0.5 }));
    const dawn = Array.from({ length: 20 }, (_, t) => scene(3, { light: t }));
    const change = changeOf([...still, ...pan, ...dawn]);
    const cuts = [change[20], change[40]] as number[];
    const rest = change.filter((_, t) => t !== 20 && t !== 40);
    expect(Math.min(...cuts)).toBeGreaterThan(0.25);
    expect(Math.max(...rest)).toBeLessThan(0.06);
  });

  it('sees the same colours in other places, but not a small thing that moves a little', () => {
    const split = (leftIsDark: boolean, dotAt: number): Uint8Array =>
      grey(0).map((_, i) => {
        const pixel = Math.floor(i / 3);
        const x = pixel % SIZE.widthPx;
        if (Math.floor(pixel / SIZE.widthPx) === 4 && x === dotAt) return 255;
        return x < SIZE.widthPx / 2 === leftIsDark ? 40 : 200;
      });
    const change = changeOf([split(true, 3), split(true, 9), split(false, 9), split(false, 9)]);
    expect(change[1]).toBe(0);
    expect(change[2]).toBeGreaterThan(0.3);
  });

  it('forgets flashes of one and two frames, but not a cut beside one', () => {
    const film = Array.from({ length: 60 }, (_, t) => scene(t < 40 ? 1 : 2));
    for (const t of [10, 20, 21, 42]) film[t] = grey(255);
    const change = changeOf(film);
    expect(change[40]).toBeGreaterThan(0.25);
    expect(Math.max(...change.filter((_, t) => t !== 40))).toBeLessThan(0.001);
  });
});

describe('colour', () => {
  it('lands on planted cuts exactly, whatever the lengths between them', () => {
    const lengths = fc.array(fc.integer({ min: 32, max: 130 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 500 }), (list, seed) => {
        const cuts = list.map((_, i) => list.slice(0, i).reduce((a, b) => a + b, 0));
        expect(cut(colour(SIZE), film(list, { seed }))).toEqual(expect.arrayContaining(cuts));
      }),
      { numRuns: 12, seed: 7 },
    );
  });

  it('does not follow flashes', () => {
    const still = Array.from({ length: 256 }, () => scene(4));
    const flashed = still.map((picture, t) => ([50, 51, 90, 140, 210].includes(t) ? grey(250) : picture));
    expect(cut(colour(SIZE), flashed)).toEqual(cut(colour(SIZE), still));
  });

  it('cuts a still picture and a steady pan evenly', () => {
    const still = Array.from({ length: 320 }, () => scene(4));
    expect(cut(colour(SIZE), still)).toEqual([0, 64, 128, 192, 256]);
    const pan = Array.from({ length: 320 }, (_, t) => scene(4, { shiftPx: t * 0.7 }));
    const lengths = lengthsOf(cut(colour(SIZE), pan), 320);
    expect(lengths).toHaveLength(5);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(24);
  });

  it('puts a boundary into a slow dissolve', () => {
    const [from, to] = [scene(11), scene(12)];
    const mix = (share: number): Uint8Array => from.map((value, i) => value + share * ((to[i] as number) - value));
    const pictures = Array.from({ length: 240 }, (_, t) => mix(Math.max(0, Math.min(1, (t - 88) / 16))));
    expect(cut(colour(SIZE), pictures).some((start) => start > 86 && start <= 106)).toBe(true);
  });

  it('obeys other bounds', () => {
    const pictures = film([25, 30, 22, 45], { seed: 3 });
    const starts = cut(colour({ ...SIZE, minFrames: 20, maxFrames: 45 }), pictures);
    expect(starts).toEqual(expect.arrayContaining([0, 25, 55, 77]));
    expect(Math.max(...lengthsOf(starts, 122))).toBeLessThanOrEqual(45);
  });
});

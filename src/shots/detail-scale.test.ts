import { describe, expect, it } from 'vitest';

import { random } from '../base/index.js';
import { detailScale } from './index.js';

const [WIDTH, HEIGHT] = [256, 144];

/** A drawn place: sky, ground, and houses with windows, seen with a zoom around a point. */
function view(seed: number, zoom: number, contrast = 1): Uint8Array {
  const { below } = random(seed);
  const houses = Array.from({ length: 24 }, () => ({ x: below(256), y: 60 + below(60), size: 8 + below(14), tone: 30 + below(180) })); // prettier-ignore
  const [centreX, centreY] = [houses[0]!.x, houses[0]!.y];
  const toneAt = (x: number, y: number): number => {
    for (const { x: left, y: top, size, tone } of houses) {
      const [u, v] = [(x - left) / size, (y - top) / size];
      if (Math.abs(u) > 0.5 || Math.abs(v) > 0.5) continue;
      return Math.abs((u + 0.5) * 3 - 1.5) % 1 < 0.4 && Math.abs(v) < 0.25 ? 255 - tone : tone;
    }
    return y < 60 ? 200 : 110;
  };
  return Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)];
    return 128 + contrast * (toneAt(centreX + (x - WIDTH / 2) / zoom, centreY + (y - HEIGHT / 2) / zoom) - 128);
  });
}

const scaleOf = (luma: Uint8Array): number => detailScale(luma, WIDTH, HEIGHT)!;

describe('the scale of detail', () => {
  it('by hand: a checkerboard of single pixels has detail at level 0 alone, one of 4 × 4 at level 2', () => {
    const board = (size: number): Uint8Array =>
      Uint8Array.from({ length: 32 * 32 }, (_, at) => 100 * ((Math.floor((at % 32) / size) + Math.floor(at / 32 / size)) % 2)); // prettier-ignore
    expect(detailScale(board(1), 32, 32)).toBe(0);
    expect(detailScale(board(4), 32, 32)).toBe(2);
    expect(detailScale(new Uint8Array(32 * 32).fill(90), 32, 32)).toBeNull();
  });

  it('grows from a wide to a close view of the same subject', () => {
    const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
    const isWider = (wide: number, close: number) => (seed: number) => scaleOf(view(seed, wide)) < scaleOf(view(seed, close)); // prettier-ignore
    expect(seeds.filter(isWider(1, 9))).toEqual(seeds);
    expect(seeds.filter(isWider(1, 3)).length).toBeGreaterThanOrEqual(17);
    expect(seeds.filter(isWider(3, 9)).length).toBeGreaterThanOrEqual(17);
  });

  it('does not depend on contrast', () => {
    expect(scaleOf(view(1, 2, 0.5))).toBeCloseTo(scaleOf(view(1, 2)), 1);
  });
});

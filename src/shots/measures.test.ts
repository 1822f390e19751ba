import { describe, expect, it } from 'vitest';

import { frameMeter, readMeasures, type FrameMeasures } from './index.js';

const [width, height] = [64, 36];

/** A grey picture by the brightness of each pixel. */
function grey(lumaAt: (x: number, y: number) => number): Uint8Array {
  return Uint8Array.from({ length: 3 * width * height }, (_, i) => {
    const pixel = Math.floor(i / 3);
    return lumaAt(pixel % width, Math.floor(pixel / width));
  });
}

function measure(pictures: readonly Uint8Array[]): FrameMeasures {
  const meter = frameMeter({ widthPx: width, heightPx: height });
  for (const picture of pictures) meter.push(picture);
  return readMeasures(meter.end(), [], pictures.length)!;
}

describe('measures of frames', () => {
  it('hold brightness and spread', () => {
    const { luma, dark, bright, spread, clipped } = measure([grey(() => 40), grey((x) => (x < 32 ? 0 : 255))]);
    expect([luma[0], dark[0], bright[0], spread[0], clipped[0]]).toEqual([40, 40, 40, 0, 0]);
    expect([luma[1], dark[1], bright[1], spread[1], clipped[1]]).toEqual([128, 0, 255, 255, 128]);
  });

  it('hold the change since the frame before, none for the first', () => {
    const { motion } = measure([grey(() => 40), grey(() => 40), grey(() => 41), grey(() => 200)]);
    expect(motion[0]).toBe(0);
    expect(motion[1]).toBe(0);
    expect(motion[2]).toBeCloseTo(1, 1);
    expect(motion[3]! / 159).toBeCloseTo(1, 1);
  });

  it.each([
    [3, 0],
    [-5, 2],
    [1.5, -4],
    [0, 0],
  ])('follow a picture that moves by (%d, %d)', (x, y) => {
    const wave = (at: number): number => Math.sin(at / 3.1) + Math.sin(at / 7.7 + 1) + Math.sin(at / 17);
    const at = (time: number) => grey((i, j) => 128 + 20 * wave(i - x * time) + 20 * wave(0.8 * (j - y * time) + 40));
    const { moveX, moveY } = measure([at(0), at(1)]);
    expect(Math.abs(moveX[1]! / 8 - x)).toBeLessThan(0.4);
    expect(Math.abs(moveY[1]! / 8 - y)).toBeLessThan(0.4);
  });

  it('are not read from bytes of another number of frames', () => {
    expect(readMeasures(new Uint8Array(9), [], 2)).toBeNull();
  });
});

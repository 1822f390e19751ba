import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { random } from '../base/index.js';
import { describePicture, type RgbPicture } from './describe.js';
import { drawRgb } from './drawn.case.js';
import type { Extractor } from './index.js';
import { openShallow } from './open-extractor.js';

const SIDE = 128;
const PARTS = [
  { name: 'CENTRIST', from: 0, to: 1524 },
  { name: 'dense SIFT', from: 1524, to: 2548 },
  { name: 'colour', from: 2548, to: 2740 },
] as const;

const draw = (colour: Parameters<typeof drawRgb>[2]): RgbPicture => drawRgb(SIDE, SIDE, colour);
const dice = random(1);
const black = draw(() => [0, 0, 0]);
const green = draw(() => [20, 180, 60]);
const noisy = draw(() => [dice.below(256), dice.below(256), dice.below(256)]);
const ramp = draw((x, y) => [2 * x, 2 * y, x + y]);
const line = draw((x) => (x === 64 ? [255, 255, 255] : [0, 0, 0]));
const point = draw((x, y) => (x === 64 && y === 64 ? [1, 0, 0] : [0, 0, 0]));
const disc = (atX: number): RgbPicture =>
  draw((x, y) => ((x - atX) ** 2 + (y - 64) ** 2 < 34 ** 2 ? [230, 120, 20] : [20, 60, 160]));
const pictures = [black, green, noisy, ramp, line, point, disc(60)];

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, k) => sum + value * b[k]!, 0);
const bytesOf = (vectors: readonly Float32Array[]): Buffer =>
  Buffer.concat(vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)));
const squareOf = (vector: Float32Array): number => dot(vector, vector);

describe('the vector of a picture', () => {
  it('is three parts of equal length, and finite whatever the picture', () => {
    for (const picture of pictures) {
      const vector = describePicture(picture);
      expect(vector).toHaveLength(2740);
      expect(vector.every(Number.isFinite)).toBe(true);
    }
    for (const picture of [noisy, disc(60), ramp]) {
      const vector = describePicture(picture);
      for (const { from, to } of PARTS) expect(squareOf(vector.subarray(from, to))).toBeCloseTo(1 / 3, 6);
    }
  });

  it('is zero for black, and has only colour for a flat picture', () => {
    expect(describePicture(black)).toEqual(new Float32Array(2740));
    const vector = describePicture(green);
    const squares = PARTS.map(({ from, to }) => squareOf(vector.subarray(from, to)));
    expect(squares[0]).toBe(0);
    expect(squares[1]).toBe(0);
    expect(squares[2]).toBeCloseTo(1 / 3, 6);
  });

  it('finds pictures of the same thing nearer than pictures of another', () => {
    const [here, there] = [describePicture(disc(60)), describePicture(disc(68))];
    expect(dot(here, there)).toBeGreaterThan(0.8);
    for (const other of [noisy, ramp, line])
      expect(dot(here, there)).toBeGreaterThan(dot(here, describePicture(other)) + 0.1);
  });

  it('has not changed: golden numbers of a disc', () => {
    const vector = describePicture(disc(60));
    for (const [place, value] of GOLDEN_DISC) expect(vector[place]).toBeCloseTo(value, 6);
  });
});

/** Threads this process has started, as they start. */
const threads: Worker[] = [];
const remember = (thread: Worker): void => void threads.push(thread);

describe('the extractor', () => {
  let shallow: Extractor;
  beforeAll(() => {
    process.on('worker', remember);
    shallow = openShallow({ workers: 1 });
  });
  afterAll(async () => {
    process.off('worker', remember);
    await shallow.close();
  });

  it('says what it is and starts no thread before pictures come', () => {
    expect(shallow).toMatchObject({ name: 'shallow', dim: 2740, sample: { widthPx: 128, heightPx: 128, every: 24 } });
    expect(threads).toHaveLength(0);
  });

  it('gives the same bytes from any number of threads, however calls overlap', { tags: 'slow' }, async () => {
    const expected = pictures.map(describePicture);
    const overlapping = await Promise.all(pictures.map(({ data }) => shallow.embed(data)));
    expect(bytesOf(overlapping).equals(bytesOf(expected))).toBe(true);
    expect(threads).toHaveLength(1);
    const three = openShallow({ workers: 3 });
    const twice = await Promise.all([...pictures, ...pictures].map(({ data }) => three.embed(data)));
    expect(bytesOf(twice).equals(bytesOf([...expected, ...expected]))).toBe(true);
    expect(threads).toHaveLength(4);
    await three.close();
  });

  it('takes a view of a larger buffer, and leaves it as it is', async () => {
    const large = new Uint8Array(3 * ramp.data.length).fill(200);
    large.set(ramp.data, 1000);
    const before = large.slice();
    expect(await shallow.embed(large.subarray(1000, 1000 + ramp.data.length))).toEqual(describePicture(ramp));
    expect(Buffer.compare(large, before)).toBe(0);
  });

  it('refuses a picture of another size and goes on', async () => {
    await expect(shallow.embed(new Uint8Array(12))).rejects.toMatchObject({
      code: 'bad-picture',
      message: expect.stringContaining('128 × 128'),
    });
    expect(await shallow.embed(green.data)).toEqual(describePicture(green));
  });

  it('reports a thread that dies and starts another', async () => {
    const call = shallow.embed(noisy.data);
    const refused = expect(call).rejects.toMatchObject({ code: 'extractor-failed' });
    await threads[0]!.terminate();
    await refused;
    expect(await shallow.embed(noisy.data)).toEqual(describePicture(noisy));
  });

  it('refuses calls under way and later ones when closed; closing twice is no harm', async () => {
    const startedBefore = threads.length;
    const two = openShallow({ workers: 2 });
    const calls = [two.embed(noisy.data), two.embed(noisy.data), two.embed(noisy.data)];
    const refused = calls.map((call) => expect(call).rejects.toMatchObject({ code: 'extractor-closed' }));
    await two.close();
    await Promise.all(refused);
    // A thread that has ended has the number −1.
    expect(threads.slice(startedBefore).map(({ threadId }) => threadId)).toEqual([-1, -1]);
    await expect(two.embed(noisy.data)).rejects.toMatchObject({ code: 'extractor-closed' });
    await two.close();
  });
});

/** Places and values in the vector of a disc. */
const GOLDEN_DISC = [
  [14, 0.0317821],
  [614, 0.0733976],
  [1492, 0.0778499],
  [1524, 0.0069718],
  [1612, 0.0106328],
  [1694, 0.0344215],
  [1773, 0.059149],
  [1870, 0.0050886],
  [2548, -0.0600552],
  [2606, 0.0063292],
  [2652, 0.0013728],
  [2706, 0.0395575],
] as const;

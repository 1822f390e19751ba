import { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { random } from '../base/index.js';
import { EMBEDDED_MODEL, openExtractor, poolPictures, type Extractor } from './index.js';

const SIDE = 224;

/** A picture from a formula of place and channel. */
function paint(value: (x: number, y: number, channel: number) => number): Uint8Array {
  return Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, k) => {
    const pixel = Math.floor(k / 3);
    return value(pixel % SIDE, Math.floor(pixel / SIDE), k % 3);
  });
}

const black = paint(() => 0);
const white = paint(() => 255);
const ramp = paint((x, y, channel) => [x, y, (x + y) >> 1][channel]!);
const disc = (atX: number): Uint8Array =>
  paint((x, y, channel) => ((x - atX) ** 2 + (y - 112) ** 2 < 60 ** 2 ? [230, 120, 20] : [20, 60, 160])[channel]!);
const stripes = paint((x, y) => ((x + y) & 16 ? 240 : 15));
const dice = random(3);
const noise = paint(() => dice.below(256));
const pictures = [black, white, ramp, disc(100), stripes, noise];

function cosine(a: Float32Array, b: Float32Array): number {
  const [left, right] = [poolPictures([a], a.length), poolPictures([b], b.length)];
  return left.reduce((sum, value, k) => sum + value * right[k]!, 0);
}

/** Network processes of this one that are running. */
function networkProcesses(): ChildProcess[] {
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
  return handles.filter(
    (handle): handle is ChildProcess =>
      handle instanceof ChildProcess &&
      handle.exitCode === null &&
      handle.signalCode === null &&
      handle.spawnargs.some((part) => part.includes('embed-process')),
  );
}

describe('the embedded network', () => {
  let network: Extractor;
  let alone: Float32Array[];
  beforeAll(async () => {
    network = await openExtractor({ features: 'default' }, { workers: 1 });
    alone = [];
    for (const picture of pictures) alone.push(await network.embed(picture));
  });
  afterAll(() => network.close());

  it('is the file it should be', async () => {
    const file = await readFile(EMBEDDED_MODEL.file);
    expect(file.length).toBe(4_812_744);
    expect(createHash('sha256').update(file).digest('hex')).toBe(EMBEDDED_MODEL.onnxSha256);
    expect(network).toMatchObject({ dim: 1280, sample: { widthPx: SIDE, heightPx: SIDE, every: 24, frames: 1 } });
    expect(network.version).toMatch(/^aa03e4017f54fd5c\.\d+$/);
  });

  it('gives black, white and noise finite vectors between 0 and 6, where its last layer ends', () => {
    for (const vector of alone) {
      expect(vector).toHaveLength(1280);
      expect(vector.every((value) => value >= 0 && value <= 6)).toBe(true);
      expect(vector.some((value) => value > 0)).toBe(true);
    }
  });

  it(
    'gives the same picture the same vector, bit for bit, from overlapping calls and any number of processes',
    { tags: 'slow' },
    async () => {
      expect(await Promise.all(pictures.map((picture) => network.embed(picture)))).toEqual(alone);
      const three = await openExtractor({ features: 'default' }, { workers: 3 });
      try {
        const twice = [...pictures, ...pictures].map((picture) => three.embed(picture));
        expect(networkProcesses()).toHaveLength(4);
        expect(await Promise.all(twice)).toEqual([...alone, ...alone]);
      } finally {
        await three.close();
      }
      expect(networkProcesses()).toHaveLength(1);
    },
  );

  it('has not changed: golden numbers of a ramp', () => {
    for (const [place, value] of GOLDEN_RAMP) expect(Math.abs(alone[2]![place]! - value)).toBeLessThan(1e-4);
  });

  it('finds pictures of the same thing nearer than pictures of another', async () => {
    const moved = await network.embed(disc(124));
    expect(cosine(alone[3]!, moved)).toBeGreaterThan(0.9);
    expect(cosine(alone[3]!, moved)).toBeGreaterThan(cosine(alone[3]!, alone[4]!) + 0.1);
    expect(cosine(alone[3]!, moved)).toBeGreaterThan(cosine(alone[3]!, alone[5]!) + 0.1);
  });

  it('refuses a picture of another size and goes on', async () => {
    await expect(network.embed(new Uint8Array(12))).rejects.toMatchObject({
      code: 'bad-picture',
      message: expect.stringContaining('224 × 224'),
    });
    expect(await network.embed(black)).toEqual(alone[0]);
  });
});

describe('network processes', () => {
  it('start only when pictures come', async () => {
    const network = await openExtractor({ features: 'default' }, { workers: 2 });
    expect(networkProcesses()).toHaveLength(0);
    await network.close();
  });

  it('that die are replaced, and their pictures given to another', { tags: 'slow' }, async () => {
    const network = await openExtractor({ features: 'default' }, { workers: 1 });
    try {
      const before = await network.embed(white);
      const calls = [network.embed(white), network.embed(white)];
      networkProcesses()[0]!.kill('SIGKILL');
      expect(await Promise.all(calls)).toEqual([before, before]);
      expect(await network.embed(white)).toEqual(before);
    } finally {
      await network.close();
    }
  });

  it.skipIf(process.platform === 'win32')(
    'leave Ctrl-C to the program that started them',
    { tags: 'slow' },
    async () => {
      const network = await openExtractor({ features: 'default' }, { workers: 1 });
      try {
        const before = await network.embed(white);
        networkProcesses()[0]!.kill('SIGINT');
        expect(await network.embed(white)).toEqual(before);
      } finally {
        await network.close();
      }
    },
  );

  it('end when closed: calls under way and later ones are refused, closing twice is no harm', async () => {
    const network = await openExtractor({ features: 'default' }, { workers: 1 });
    const call = network.embed(black);
    const refused = expect(call).rejects.toMatchObject({ code: 'network-closed' });
    await network.close();
    await refused;
    expect(networkProcesses()).toHaveLength(0);
    await expect(network.embed(black)).rejects.toMatchObject({ code: 'network-closed' });
    await network.close();
  });
});

/** Places and values in the vector of `ramp`: its first ones that are not zero, computed on x64 with AVX2. */
const GOLDEN_RAMP = [
  ...([
    [0, 0],
    [7, 0.029815],
    [9, 0.029935],
    [17, 0.20873],
    [23, 0.174274],
    [26, 0.091447],
    [29, 1.389559],
  ] as const),
  ...([
    [61, 0.267389],
    [65, 0.345347],
    [66, 0.215691],
    [71, 3.680616],
    [91, 0.03759],
    [113, 4.511365],
  ] as const),
];

import { describe, expect, it } from 'vitest';

import { random } from '../src/base/index.js';
import { describeOnnx, exposeOutput } from '../src/features/onnx-file.js';
import { openOnnx } from '../src/features/onnx.js';
import { connect, plainC3d, randomWeights, rectify } from './plain-network.case.js';
import { readTorch } from './torch.js';
import { blob, caffeModel, legacyTorch, type TestWeights, zippedTorch } from './weights-files.case.js';
import { c3dGraph, importWeights } from './weights.js';

const [FRAMES, SIDE] = [16, 112];
const WIDTHS = { conv1: 3, conv2: 4, conv3a: 5, conv3b: 6, conv4a: 5, conv4b: 7, conv5a: 6, conv5b: 4 };
const CONVOLUTIONS = Object.keys(WIDTHS) as (keyof typeof WIDTHS)[];

/** C3D with few channels: everything else as published. */
const small = randomWeights(3, {
  ...Object.fromEntries(
    CONVOLUTIONS.map((name, k) => [name, [WIDTHS[name], k === 0 ? 3 : WIDTHS[CONVOLUTIONS[k - 1]!], 3, 3, 3]]),
  ),
  fc6: [9, WIDTHS.conv5b * 4 * 4],
  fc7: [5, 9],
});

const dice = random(4);
const clip = Float32Array.from({ length: 3 * FRAMES * SIDE * SIDE }, () => dice.normal());

async function run(onnx: Uint8Array, output: string, input = clip, batch = 1): Promise<Float32Array> {
  const session = await openOnnx(onnx, 'input', output);
  try {
    return await session.run(input, [batch, 3, FRAMES, SIDE, SIDE]);
  } finally {
    await session.close();
  }
}

function expectClose(found: Float32Array, expected: Float64Array): void {
  expect(found).toHaveLength(expected.length);
  const largest = Math.max(...expected.map(Math.abs));
  expected.forEach((value, k) => expect(Math.abs(found[k]! - value)).toBeLessThan(2e-5 * largest));
}

/** The same weights under other names. */
function renamed(weights: TestWeights, rename: (name: string) => string): TestWeights {
  return Object.fromEntries(Object.entries(weights).map(([name, tensor]) => [rename(name), tensor]));
}

/** As in the Caffe fork that made C3D. */
const caffeName = (name: string): string => name.replace(/^conv([12])\./, 'conv$1a.').replace(/^(fc[67])\./, '$1-1.');

describe('C3D from published weights', () => {
  const expected = { both: plainC3d(small, clip, 'both'), end: plainC3d(small, clip, 'end') };

  it('computes what plain loops do, with the last pooling of PyTorch’s models or of Caffe', async () => {
    const torch = importWeights(legacyTorch(small), { network: 'c3d' });
    const caffe = importWeights(caffeModel(renamed(small, caffeName), 'c3d'), { network: 'c3d' });
    expect([torch.sidecar.pool5, caffe.sidecar.pool5]).toEqual(['both', 'end']);
    expectClose(await run(torch.onnx, 'fc6'), rectify(expected.both));
    expectClose(await run(caffe.onnx, 'fc6'), rectify(expected.end));
    expectClose(await run(exposeOutput(torch.onnx, 'fc6.linear'), 'fc6.linear'), expected.both);
    // Both see 4 × 4 places, but not the same ones.
    expect(expected.both.some((value, k) => Math.abs(value - expected.end[k]!) > 1e-3)).toBe(true);
    // Values below zero are there to be cut off.
    expect(expected.both.some((value) => value < 0) && expected.both.some((value) => value > 0)).toBe(true);
    const asCaffe = c3dGraph(readTorch(legacyTorch(small)), { pool5: 'end' });
    expectClose(await run(asCaffe.onnx, 'fc6'), rectify(expected.end));
  });

  it('takes clips one by one out of a batch', async () => {
    const { onnx } = importWeights(zippedTorch(small), { network: 'c3d' });
    const two = Float32Array.from([...clip.map((value) => -value), ...clip]);
    const both = await run(onnx, 'fc6', two, 2);
    expectClose(both.subarray(9), Float64Array.from(await run(onnx, 'fc6')));
  });

  it('goes on to fc7 if asked', async () => {
    const { onnx, sidecar } = importWeights(zippedTorch(small, true), { network: 'c3d', upTo: 'fc7' });
    const fc7 = connect(rectify(expected.both), small['fc7.weight']!, small['fc7.bias']!);
    expectClose(await run(onnx, 'fc7'), rectify(fc7));
    expect(sidecar.layers.map(({ name, dim, isOutput }) => [name, dim, isOutput])).toEqual([
      ['fc7', 5, true],
      ['fc7.linear', 5, false],
      ['fc6', 9, true],
      ['fc6.linear', 9, false],
      ['pool5', 64, false],
    ]);
    expect(describeOnnx(onnx).outputs.map(({ name }) => name)).toEqual(['fc6', 'fc7']);
  });

  it('states its input, by the file it came from', () => {
    const torch = importWeights(zippedTorch(small), { network: 'c3d' }).sidecar;
    expect(torch).toMatchObject({ schema: 'network.1', network: 'c3d', form: 'torch', hasPixelMean: false, dim: 9 });
    expect(torch.input).toEqual({
      name: 'input',
      width: SIDE,
      height: SIDE,
      frames: FRAMES,
      scaleTo: { width: 171, height: 128 },
      channelOrder: 'bgr',
      mean: [90.25, 97.66, 101.41],
      std: [1, 1, 1],
    });
    const sequential = [
      'features.0',
      'features.3',
      'features.6',
      'features.8',
      'features.11',
      'features.13',
      'features.16',
      'features.18',
    ];
    const byPlace = (name: string): string =>
      name
        .replace(/^conv\w+/, (layer) => sequential[CONVOLUTIONS.indexOf(layer as keyof typeof WIDTHS)]!)
        .replace(/^fc6/, 'classifier.0')
        .replace(/^fc7/, 'classifier.3');
    const fromList = importWeights(zippedTorch(renamed(small, byPlace)), { network: 'c3d' });
    expect(fromList.sidecar).toEqual(torch);
    expect(fromList.onnx).toEqual(importWeights(zippedTorch(small), { network: 'c3d' }).onnx);
    const openmmlab = (name: string): string =>
      `backbone.${name.replace(/^conv([12])\./, 'conv$1a.').replace(/^(conv\w+)/, '$1.conv')}`;
    const { input } = importWeights(legacyTorch(renamed(small, openmmlab)), { network: 'c3d' }).sidecar;
    expect(input).toMatchObject({ channelOrder: 'rgb', mean: [104, 117, 128] });
    // Told another order alone, the known mean of each colour stays that colour's.
    const asRgb = importWeights(zippedTorch(small), { network: 'c3d', channelOrder: 'rgb' }).sidecar.input;
    expect(asRgb).toMatchObject({ channelOrder: 'rgb', mean: [101.41, 97.66, 90.25] });
    const reported = importWeights(zippedTorch(small), {
      network: 'c3d',
      channelOrder: 'rgb',
      mean: [1, 2, 3],
      std: [4, 5, 6],
    });
    expect(reported.sidecar.input).toMatchObject({ channelOrder: 'rgb', mean: [1, 2, 3], std: [4, 5, 6] });
  });

  it('subtracts a per-pixel mean inside, its centre as Caffe cuts it', async () => {
    const size = [3, FRAMES, 128, 171] as const;
    const mean = Float32Array.from({ length: size.reduce((a, b) => a * b) }, () => dice.normal());
    const pixelMean = Buffer.concat(blob({ shape: size, values: mean }, 'c3d'));
    const { onnx, sidecar } = importWeights(zippedTorch(small), { network: 'c3d', pixelMean });
    expect(sidecar).toMatchObject({ hasPixelMean: true, input: { mean: [0, 0, 0], std: [1, 1, 1] } });
    // Rows 8 to 119, columns 29 to 140: (128 − 112) / 2 and ⌊(171 − 112) / 2⌋.
    const raised = clip.map((value, k) => {
      const [plane, row, column] = [Math.floor(k / SIDE ** 2), Math.floor(k / SIDE) % SIDE, k % SIDE];
      return value + mean[(plane * 128 + 8 + row) * 171 + 29 + column]!;
    });
    expectClose(await run(onnx, 'fc6', raised), rectify(expected.both));
    const narrow = Buffer.concat(
      blob({ shape: [3, FRAMES, 100, 171], values: new Float32Array(3 * FRAMES * 17100) }, 'c3d'),
    );
    expect(() => importWeights(zippedTorch(small), { network: 'c3d', pixelMean: narrow })).toThrow(
      /found 1 × 3 × 16 × 100 × 171/,
    );
    expect(() => importWeights(zippedTorch(small), { network: 'c3d', pixelMean, mean: [1, 2, 3] })).toThrow(
      /Leave one out/,
    );
  });

  it('refuses weights that are not C3D’s', () => {
    const without = (name: string): TestWeights =>
      Object.fromEntries(Object.entries(small).filter(([key]) => !key.startsWith(name)));
    const reshaped = (name: string, shape: readonly number[]): TestWeights => ({
      ...small,
      [name]: { shape, values: small[name]!.values },
    });
    const refusal =
      (weights: TestWeights): (() => void) =>
      () =>
        void importWeights(zippedTorch(weights), { network: 'c3d' });
    expect(refusal(without('conv4b'))).toThrow(/Expected a layer "conv4b", found conv1.weight/);
    expect(refusal(without('conv'))).toThrow(/the layers of the network named, found fc6.weight/);
    expect(refusal(without('conv2.bias'))).toThrow(/a weight and a bias "conv2"/);
    expect(refusal(reshaped('conv2.weight', [3, 4, 3, 3, 3]))).toThrow(/a bias of 3 for "conv2", found 4/);
    expect(refusal(reshaped('conv3b.weight', [6, 15, 1, 3, 3]))).toThrow(
      /conv3b of 6 × 5 × 3 × 3 × 3, found 6 × 15 × 1 × 3 × 3/,
    );
    expect(refusal(reshaped('fc6.weight', [9, 4, 4, 4]))).toThrow(/fc6 of 9 × 64, found 9 × 4 × 4 × 4/);
    expect(() => importWeights(zippedTorch(small), { network: 'vgg16' })).toThrow(/layers of the network named/);
  });
});

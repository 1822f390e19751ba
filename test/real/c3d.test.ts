import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { expect, it } from 'vitest';

import { random } from '../../src/base/index.js';
import { openOnnx } from '../../src/features/onnx.js';
import { describeOnnx, exposeOutput } from '../../src/features/onnx-file.js';
import { importWeights } from '../../tools/weights.js';
import { legacyTorch, type TestTensor, type TestWeights } from '../../tools/weights-files.case.js';

/** C3D as published, 80 million random weights: 320 MB in the form of c3d.pickle. */
function fullSize(): TestWeights {
  const widths = {
    conv1: 64,
    conv2: 128,
    conv3a: 256,
    conv3b: 256,
    conv4a: 512,
    conv4b: 512,
    conv5a: 512,
    conv5b: 512,
  };
  let inputs = 3;
  const shapes: Record<string, number[]> = {};
  for (const [name, width] of Object.entries(widths)) {
    shapes[name] = [width, inputs, 3, 3, 3];
    inputs = width;
  }
  Object.assign(shapes, { fc6: [4096, 8192], fc7: [4096, 4096], fc8: [487, 4096] });
  const dice = random(1);
  return Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => {
      const fanIn = shape.slice(1).reduce((product, size) => product * size, 1);
      // Uniform with the variance 2 / fan-in that keeps rectified values of one size.
      const reach = Math.sqrt(6 / fanIn);
      const values = Float32Array.from({ length: shape[0]! * fanIn }, () => reach * (2 * dice.next() - 1));
      return [
        [`${name}.weight`, { shape, values }],
        [`${name}.bias`, { shape: [shape[0]!], values: new Float32Array(shape[0]!).fill(0.01) }],
      ];
    }),
  );
}

/** Frees what nobody refers to, so that memory grows by what is made and by nothing less. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** A tensor of the network for one clip, without the leading 1 of its shape. */
type Found = { readonly size: readonly number[]; readonly values: Float32Array };

/** Runs the network once for the values of many inner tensors. */
async function innerTensors(
  onnx: Uint8Array,
  clip: Float32Array,
  names: readonly string[],
): Promise<Map<string, Found>> {
  // The room's own session gives one output; this one gives all at once.
  const session = await InferenceSession.create(names.reduce(exposeOutput, onnx));
  const results = await session.run({ input: new Tensor('float32', clip, [1, 3, 16, 112, 112]) });
  await session.release();
  const found = (name: string): Found => ({
    size: results[name]!.dims.slice(1),
    values: results[name]!.data as Float32Array,
  });
  return new Map(names.map((name) => [name, found(name)]));
}

/** One number of a convolution with ReLU: max(0, bias(o) + Σ weight(o, c, dt, dy, dx) · source(c, t + dt − 1, y + dy − 1, x + dx − 1)). */
function convolvedAt(
  { size, values }: Found,
  weight: TestTensor,
  bias: TestTensor,
  [o, t, y, x]: readonly [number, number, number, number],
): number {
  const [channels = 0, frames = 0, rows = 0, columns = 0] = size;
  let sum = bias.values[o]!;
  for (let c = 0; c < channels; c++) {
    for (let k = 0; k < 27; k++) {
      const [frame, row, column] = [t + Math.floor(k / 9) - 1, y + (Math.floor(k / 3) % 3) - 1, x + (k % 3) - 1];
      if (frame < 0 || row < 0 || column < 0 || frame >= frames || row >= rows || column >= columns) continue;
      sum +=
        weight.values[(o * channels + c) * 27 + k]! * values[((c * frames + frame) * rows + row) * columns + column]!;
    }
  }
  return Math.max(0, sum);
}

/** The largest value of a window that begins at a place and may reach past the ends. */
function pooledAt(
  { size, values }: Found,
  [o, t, y, x]: readonly [number, number, number, number],
  [depth, height, width]: readonly [number, number, number],
): number {
  const [, frames = 0, rows = 0, columns = 0] = size;
  let largest = -Infinity;
  for (let frame = Math.max(0, t); frame < Math.min(frames, t + depth); frame++) {
    for (let row = Math.max(0, y); row < Math.min(rows, y + height); row++) {
      for (let column = Math.max(0, x); column < Math.min(columns, x + width); column++) {
        largest = Math.max(largest, values[((o * frames + frame) * rows + row) * columns + column]!);
      }
    }
  }
  return largest;
}

it('C3D in full size is imported without copies and gives 4096 numbers a clip', async () => {
  const weights = fullSize();
  const file = legacyTorch(weights);
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const importStart = performance.now();
  const { onnx, sidecar } = importWeights(file, { network: 'c3d' });
  const importMs = performance.now() - importStart;
  const grownBytes = process.memoryUsage().arrayBuffers - before;
  // Convolutions and fc6 are kept, fc7 and fc8 are not; nothing but the file itself was made.
  expect(onnx.length).toBeGreaterThan(4 * 61_206_656);
  expect(onnx.length).toBeLessThan(4 * 61_240_000);
  expect(grownBytes).toBeGreaterThan(0.99 * onnx.length);
  expect(grownBytes).toBeLessThan(1.05 * onnx.length);
  expect(sidecar.layers.map(({ name, dim }) => [name, dim])).toEqual([
    ['fc6', 4096],
    ['fc6.linear', 4096],
    ['pool5', 8192],
  ]);
  expect(describeOnnx(onnx).outputs).toEqual([{ name: 'fc6', dtype: 'float', shape: ['n', 4096] }]);

  const openStart = performance.now();
  const session = await openOnnx(onnx, 'input', 'fc6');
  const openMs = performance.now() - openStart;
  const dice = random(2);
  const clip = Float32Array.from({ length: 3 * 16 * 112 * 112 }, () => 255 * dice.next() - 97);
  const first = await session.run(clip, [1, 3, 16, 112, 112]);
  const cpuStart = process.cpuUsage();
  const second = await session.run(clip, [1, 3, 16, 112, 112]);
  const cpu = process.cpuUsage(cpuStart);
  await session.close();
  expect(first).toHaveLength(4096);
  expect(first.every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
  expect(first.filter((value) => value > 0).length).toBeGreaterThan(1000);
  expect(second).toEqual(first);

  // Layer after layer against plain sums over the layer before: each convolution and pooling at 200 places, the corners
  // among them, and every number of fc6.
  const stages = [['conv1'], ['conv2'], ['conv3a', 'conv3b'], ['conv4a', 'conv4b'], ['conv5a', 'conv5b']];
  const names = stages.flatMap((convolutions, stage) => [...convolutions, `pool${stage + 1}`]);
  const tensors = await innerTensors(onnx, clip, names);
  let source: Found = { size: [3, 16, 112, 112], values: clip };
  for (const name of names) {
    const result = tensors.get(name)!;
    const [width = 0, frames = 0, rows = 0, columns = 0] = result.size;
    const largest = result.values.reduce((most, value) => Math.max(most, value), 0);
    expect(largest).toBeGreaterThan(0);
    for (let sample = 0; sample < 200; sample++) {
      const anywhere = [width, frames, rows, columns].map((size) => dice.below(size)) as [
        number,
        number,
        number,
        number,
      ];
      const [o, t, y, x] = sample < 8 ? ([anywhere[0], (sample & 1) * (frames - 1), ((sample >> 1) & 1) * (rows - 1), (sample >> 2) * (columns - 1)] as const) : anywhere; // prettier-ignore
      const found = result.values[((o * frames + t) * rows + y) * columns + x]!;
      const depth = name === 'pool1' ? 1 : 2;
      // PyTorch's last pooling begins a row and a column outside.
      const outside = name === 'pool5' ? 1 : 0;
      const expected = name.startsWith('pool')
        ? pooledAt(source, [o, depth * t, 2 * y - outside, 2 * x - outside], [depth, 2, 2])
        : convolvedAt(source, weights[`${name}.weight`]!, weights[`${name}.bias`]!, [o, t, y, x]);
      expect(Math.abs(found - expected), `${name} at ${[o, t, y, x].join()}`).toBeLessThan(2e-5 * largest);
    }
    source = result;
  }
  expect(source.size).toEqual([512, 1, 4, 4]);
  const largest = Math.max(...first);
  first.forEach((value, o) => {
    let sum = weights['fc6.bias']!.values[o]!;
    for (let k = 0; k < 8192; k++) sum += weights['fc6.weight']!.values[o * 8192 + k]! * source.values[k]!;
    expect(Math.abs(value - Math.max(0, sum))).toBeLessThan(2e-5 * largest);
  });
  process.stdout.write(
    `file ${mega(file.length)} MB, graph ${mega(onnx.length)} MB, import ${Math.round(importMs)} ms, ` +
      `open ${Math.round(openMs)} ms, clip ${Math.round((cpu.user + cpu.system) / 1000)} ms of processor, ` +
      `${mega(process.memoryUsage.rss())} MB resident\n`,
  );
});

function mega(bytes: number): number {
  return Math.round(bytes / 1e6);
}

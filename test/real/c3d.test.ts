import { expect, it } from 'vitest';

import { random } from '../../src/base/index.js';
import { openOnnx } from '../../src/features/onnx.js';
import { describeOnnx, importWeights } from '../../src/features/weights/index.js';
import { legacyTorch, type TestWeights } from '../../src/features/weights/weights-files.case.js';

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

it('C3D in full size is imported without copies and gives 4096 numbers a clip', async () => {
  const file = legacyTorch(fullSize());
  const before = process.memoryUsage().arrayBuffers;
  const importStart = performance.now();
  const { onnx, sidecar } = importWeights(file, { network: 'c3d' });
  const importMs = performance.now() - importStart;
  const grownBytes = process.memoryUsage().arrayBuffers - before;
  // Convolutions and fc6 are kept, fc7 and fc8 are not; nothing but the file itself was made.
  expect(onnx.length).toBeGreaterThan(4 * 61_206_656);
  expect(onnx.length).toBeLessThan(4 * 61_240_000);
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
  process.stdout.write(
    `file ${mega(file.length)} MB, graph ${mega(onnx.length)} MB, import ${Math.round(importMs)} ms, ` +
      `open ${Math.round(openMs)} ms, clip ${Math.round((cpu.user + cpu.system) / 1000)} ms of processor, ` +
      `${mega(process.memoryUsage.rss())} MB resident\n`,
  );
});

function mega(bytes: number): number {
  return Math.round(bytes / 1e6);
}

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { random } from '../base/index.js';
import { onnxGraph } from '../../tools/onnx-graph.js';
import { openOnnx } from './onnx.js';

const SIZE = { channels: 2, height: 5, width: 7, filters: 3 } as const;

function numbers(seed: number, count: number): Float32Array {
  const dice = random(seed);
  return Float32Array.from({ length: count }, () => 2 * dice.next() - 1);
}

const weights = numbers(1, SIZE.filters * SIZE.channels * 9);
const biases = numbers(2, SIZE.filters);

/** conv 3 × 3 with one pixel of padding → clip to [−0.5, 1.25] → mean over the picture → vector. */
function convNetwork(): Uint8Array {
  const graph = onnxGraph('test');
  const input = graph.input('picture', ['n', SIZE.channels, SIZE.height, SIZE.width]);
  const weight = graph.constant('weight', [SIZE.filters, SIZE.channels, 3, 3], weights);
  const bias = graph.constant('bias', [SIZE.filters], biases);
  const conv = graph.node('Conv', [input, weight, bias], 'conv', { kernel_shape: [3, 3], pads: [1, 1, 1, 1] });
  const low = graph.constant('low', [], Float32Array.of(-0.5));
  const high = graph.constant('high', [], Float32Array.of(1.25));
  const held = graph.node('Clip', [conv, low, high], 'held');
  graph.node('Flatten', [graph.node('GlobalAveragePool', [held], 'mean')], 'vector', { axis: 1 });
  graph.output('vector', ['n', SIZE.filters]);
  return graph.build();
}

function convPlainly(picture: Float32Array): number[] {
  const { channels, height, width, filters } = SIZE;
  return Array.from({ length: filters }, (_, filter) => {
    let total = 0;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        let sum = biases[filter]!;
        for (let channel = 0; channel < channels; channel++) {
          for (let dy = -1; dy <= 1; dy++) {
            for (let dx = -1; dx <= 1; dx++) {
              if (y + dy < 0 || y + dy >= height || x + dx < 0 || x + dx >= width) continue;
              const weight = weights[((filter * channels + channel) * 3 + dy + 1) * 3 + dx + 1]!;
              sum += weight * picture[(channel * height + y + dy) * width + x + dx]!;
            }
          }
        }
        total += Math.min(Math.max(sum, -0.5), 1.25);
      }
    }
    return total / (height * width);
  });
}

describe('an ONNX file written here, in the runtime', () => {
  it('computes what plain loops do, whatever the batch', async () => {
    const session = await openOnnx(convNetwork(), 'picture', 'vector');
    const { channels, height, width, filters } = SIZE;
    const pictureLength = channels * height * width;
    for (const batch of [1, 3]) {
      const pictures = numbers(10 + batch, batch * pictureLength);
      const found = await session.run(pictures, [batch, channels, height, width]);
      expect(found).toHaveLength(batch * filters);
      for (let k = 0; k < batch; k++) {
        const expected = convPlainly(pictures.subarray(k * pictureLength, (k + 1) * pictureLength));
        expected.forEach((value, filter) => expect(found[k * filters + filter]).toBeCloseTo(value, 6));
      }
    }
    await session.close();
  });

  it('carries negative, large and 64-bit numbers', async () => {
    const graph = onnxGraph('numbers');
    const input = graph.input('in', [2, 3]);
    const shape = graph.constant('shape', [2], BigInt64Array.of(1n, -1n));
    const flat = graph.node('Reshape', [input, shape], 'flat');
    const sum = graph.node('ReduceMean', [flat], 'sum', { axes: [-1], keepdims: 1 });
    const large = graph.constant('large', [1], Float32Array.of(3e38));
    graph.node('Min', [sum, large], 'out');
    graph.output('out', [1, 1]);
    const session = await openOnnx(graph.build(), 'in', 'out');
    expect([...(await session.run(Float32Array.of(1, 2, 3, 4, 5, -3), [2, 3]))]).toEqual([2]);
    await session.close();
  });

  it('is refused with a sentence when the runtime cannot use it', async () => {
    const refusal = { name: 'UsageError', code: 'bad-model' };
    await expect(openOnnx(new Uint8Array(10), 'a', 'b')).rejects.toMatchObject(refusal);
    await expect(openOnnx(convNetwork(), 'image', 'vector')).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('input "image" in the model, found picture'),
    });
    await expect(openOnnx(convNetwork(), 'picture', 'held')).rejects.toMatchObject(refusal);
    const graph = onnxGraph('unknown operation');
    graph.node('Conjure', [graph.input('in', [1])], 'out');
    graph.output('out', [1]);
    await expect(openOnnx(graph.build(), 'in', 'out')).rejects.toMatchObject(refusal);
  });

  it('says so when the runtime is not installed', { tags: 'slow' }, async () => {
    // The same code in a folder from which no package can be found but the one that `base` needs.
    const folder = await mkdtemp(join(tmpdir(), 'throughline-features-'));
    try {
      const sources = fileURLToPath(new URL('..', import.meta.url));
      for (const room of ['base', 'features']) await cp(join(sources, room), join(folder, room), { recursive: true });
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      await mkdir(join(folder, 'node_modules'));
      await symlink(join(sources, '../node_modules/ml-matrix'), join(folder, 'node_modules/ml-matrix'));
      await writeFile(
        join(folder, 'main.ts'),
        `import { openOnnx } from './features/onnx.js';
        await openOnnx(new Uint8Array(), 'a', 'b').catch((error) => console.log(error.code + ': ' + error.message));`,
      );
      const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', join(folder, 'main.ts')]);
      expect(stdout).toMatch(/^no-runtime: .*onnxruntime-node.*Install Throughline again\.$/m);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

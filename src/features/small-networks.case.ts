import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onnxGraph } from '../../tools/onnx-graph.js';
import { randomWeights, VGG_STAGES } from '../../tools/plain-network.case.js';
import { caffeModel, legacyTorch, type TestWeights } from '../../tools/weights-files.case.js';
import { type ImportedNetwork, type ImportOptions, importWeights } from '../../tools/weights.js';
import { random } from '../base/index.js';

/** C3D with few channels and random weights: everything else as published. fc6 has 9 numbers, pool5 4 × 4 × 4. */
export function smallC3dWeights(seed = 3): TestWeights {
  const widths = { conv1: 3, conv2: 4, conv3a: 5, conv3b: 6, conv4a: 5, conv4b: 7, conv5a: 6, conv5b: 4 };
  const names = Object.keys(widths) as (keyof typeof widths)[];
  const shapes = names.map((name, k) => [name, [widths[name], k === 0 ? 3 : widths[names[k - 1]!], 3, 3, 3]] as const);
  return randomWeights(seed, { ...Object.fromEntries(shapes), fc6: [9, 4 * 4 * 4], fc7: [5, 9] });
}

export function smallC3dFile(seed?: number): Uint8Array {
  return legacyTorch(smallC3dWeights(seed));
}

export function smallC3d(options: Partial<ImportOptions> = {}, seed?: number): ImportedNetwork {
  return importWeights(smallC3dFile(seed), { network: 'c3d', ...options });
}

/** VGG-16 with three channels a layer: fc6 has 7 numbers, fc7 6. With this seed most of them are above zero. */
export function smallVggWeights(): TestWeights {
  const shapes = VGG_STAGES.flat().map((name) => [name, [3, 3, 3, 3]] as const);
  return randomWeights(7, { ...Object.fromEntries(shapes), fc6: [7, 3 * 7 * 7], fc7: [6, 7] });
}

export function smallVgg(options: Partial<ImportOptions> = {}): ImportedNetwork {
  return importWeights(caffeModel(smallVggWeights(), 'old'), { network: 'vgg16', ...options });
}

/**
 * The end of a network as exporters name it: the mean over all places, then dense layers of the widths given, a ReLU after
 * each but the last, which is the classes. `form` is how torch (Gemm) or TensorFlow (MatMul and Add) writes a dense layer.
 */
export function exported(
  extent: readonly number[],
  widths: readonly number[],
  form: 'gemm' | 'matmul' = 'gemm',
): Uint8Array {
  const graph = onnxGraph('main_graph');
  const pooled = graph.node('GlobalAveragePool', [graph.input('input.1', ['batch', 3, ...extent])], '/pool/output_0');
  let from = graph.node('Flatten', [pooled], '/Flatten_output_0', { axis: 1 });
  widths.forEach((width, k) => {
    const inputs = k === 0 ? 3 : widths[k - 1]!;
    const shape = form === 'gemm' ? [width, inputs] : [inputs, width];
    const weight = graph.constant(`classifier.${k}.weight`, shape, draw(width * inputs, 0.02));
    const bias = graph.constant(`classifier.${k}.bias`, [width], draw(width, 1));
    const linear = `/classifier/${k}/${form}_output_0`;
    const isLast = k === widths.length - 1;
    const result = isLast ? 'output' : linear;
    if (form === 'gemm') graph.node('Gemm', [from, weight, bias], result, { transB: 1 });
    else graph.node('Add', [bias, graph.node('MatMul', [from, weight], `${linear}.product`)], result);
    if (!isLast) from = graph.node('Relu', [linear], `/classifier/${k}/Relu_output_0`);
  });
  graph.output(widths.length > 0 ? 'output' : from, ['batch', widths.at(-1) ?? 3]);
  return graph.build();
}

/** Sides of a patch, and numbers a token, of `transformer`. */
const [PATCH, TOKEN] = [8, 6];

const dice = random(9);
const draw = (count: number, scale: number): Float32Array =>
  Float32Array.from({ length: count }, () => scale * dice.normal());

/** What `transformer` and `transformPlainly` share. */
export const PARTS = {
  patch: draw(TOKEN * 3 * PATCH * PATCH, 0.1),
  classToken: draw(TOKEN, 1),
  query: draw(TOKEN * TOKEN, 0.5),
  key: draw(TOKEN * TOKEN, 0.5),
  value: draw(TOKEN * TOKEN, 0.5),
};

type Size = number | string;

/**
 * A vision transformer in small, as exporters write them: patches and a class token, one block of attention, all sizes
 * free. Outputs: `tokens` (n × tokens × 6) and `pooled` (n × 6, the class token); inside it, `patches` (n × 6 × rows ×
 * columns).
 */
export function transformer({ size = ['height', 'width'] as readonly Size[], dim = TOKEN as Size } = {}): Uint8Array {
  const graph = onnxGraph('transformer');
  const pixels = graph.input('pixel_values', ['batch', 3, ...size]);
  const filter = graph.constant('patch.weight', [TOKEN, 3, PATCH, PATCH], PARTS.patch);
  const patches = graph.node('Conv', [pixels, filter], 'patches', {
    kernel_shape: [PATCH, PATCH],
    strides: [PATCH, PATCH],
  });
  const flat = graph.node('Reshape', [patches, graph.constant('flat.shape', [3], BigInt64Array.of(0n, BigInt(TOKEN), -1n))], 'flat'); // prettier-ignore
  const places = graph.node('Transpose', [flat], 'places', { perm: [0, 2, 1] });
  const first = graph.constant('class', [1, 1, TOKEN], PARTS.classToken);
  const all = graph.node('Concat', [first, places], 'all', { axis: 1 });
  const project = (name: 'query' | 'key' | 'value'): string =>
    graph.node('MatMul', [all, graph.constant(`${name}.weight`, [TOKEN, TOKEN], PARTS[name])], name);
  const turned = graph.node('Transpose', [project('key')], 'turned', { perm: [0, 2, 1] });
  const likeness = graph.node('MatMul', [project('query'), turned], 'likeness');
  const attention = graph.node('Softmax', [likeness], 'attention', { axis: -1 });
  const gathered = graph.node('MatMul', [attention, project('value')], 'gathered');
  graph.node('Add', [all, gathered], 'tokens');
  graph.node('Gather', ['tokens', graph.constant('zero', [], BigInt64Array.of(0n))], 'pooled', { axis: 1 });
  graph.output('tokens', ['batch', 'sequence', dim]);
  graph.output('pooled', ['batch', dim]);
  return graph.build();
}

/** The tokens of `transformer` by the definitions, from values laid out channel by channel. */
export function transformPlainly(values: readonly number[], width: number, height: number): number[][] {
  const tokens: number[][] = [[...PARTS.classToken]];
  for (let row = 0; row < Math.floor(height / PATCH); row++) {
    for (let column = 0; column < Math.floor(width / PATCH); column++) {
      tokens.push(
        Array.from({ length: TOKEN }, (_, result) => {
          let sum = 0;
          for (let channel = 0; channel < 3; channel++) {
            for (let y = 0; y < PATCH; y++) {
              for (let x = 0; x < PATCH; x++) {
                const weight = PARTS.patch[((result * 3 + channel) * PATCH + y) * PATCH + x]!;
                sum += weight * values[(channel * height + row * PATCH + y) * width + column * PATCH + x]!;
              }
            }
          }
          return sum;
        }),
      );
    }
  }
  const times = (token: readonly number[], matrix: Float32Array): number[] =>
    Array.from({ length: TOKEN }, (_, column) =>
      token.reduce((sum, value, k) => sum + value * matrix[k * TOKEN + column]!, 0),
    );
  const [keys, given] = [tokens.map((token) => times(token, PARTS.key)), tokens.map((token) => times(token, PARTS.value))]; // prettier-ignore
  return tokens.map((token) => {
    const query = times(token, PARTS.query);
    const likeness = keys.map((key) => key.reduce((sum, value, k) => sum + value * query[k]!, 0));
    const largest = Math.max(...likeness);
    const weights = likeness.map((value) => Math.exp(value - largest));
    const total = weights.reduce((sum, value) => sum + value, 0);
    return token.map(
      (value, k) => value + weights.reduce((sum, weight, at) => sum + weight * given[at]![k]!, 0) / total,
    );
  });
}

/** A folder for models of a test, named by $THROUGHLINE_MODELS until it is closed. */
export async function openTestFolder(): Promise<{
  readonly path: string;
  /** Writes an ONNX file, and a record beside it where there is one; gives its path. */
  write(name: string, onnx: Uint8Array, record?: unknown): Promise<string>;
  close(): Promise<void>;
}> {
  const before = process.env['THROUGHLINE_MODELS'];
  const path = await mkdtemp(join(tmpdir(), 'throughline-models-'));
  process.env['THROUGHLINE_MODELS'] = path;
  return {
    path,
    async write(name, onnx, record) {
      await writeFile(join(path, `${name}.onnx`), onnx);
      if (record !== undefined) await writeFile(join(path, `${name}.json`), JSON.stringify(record));
      return join(path, `${name}.onnx`);
    },
    async close() {
      if (before === undefined) delete process.env['THROUGHLINE_MODELS'];
      else process.env['THROUGHLINE_MODELS'] = before;
      await rm(path, { recursive: true, force: true });
    },
  };
}

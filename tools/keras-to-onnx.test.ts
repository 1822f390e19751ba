import { describe, expect, it } from 'vitest';

import { random, UsageError } from '../src/base/index.js';
import { openOnnx } from '../src/features/onnx.js';
import { convertKeras } from './keras-to-onnx.js';

const [HEIGHT, WIDTH] = [7, 6];
const dice = random(12);
const draw = (...shape: number[]): { shape: number[]; values: Float32Array } => ({
  shape,
  values: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => dice.normal()),
});

/** A residual network in small, with every kind of layer, margins that differ by side, and both kinds of padding. */
const WEIGHTS = {
  'conv1/kernel': draw(3, 2, 3, 4),
  'conv1/bias': draw(4),
  'bn1/gamma': draw(4),
  'bn1/beta': draw(4),
  'bn1/moving_mean': draw(4),
  'bn1/moving_variance': { shape: [4], values: Float32Array.of(0.5, 1, 2, 0.01) },
  'conv2/kernel': draw(3, 3, 4, 4),
  'fc/kernel': draw(4, 2),
};
type Layer = { name: string; class_name: string; config: Record<string, unknown>; inbound_nodes: unknown[] };
const layer = (name: string, kind: string, from: string[], config: Record<string, unknown> = {}): Layer => ({
  name,
  class_name: kind,
  config: { data_format: 'channels_last', ...config },
  inbound_nodes: from.length === 0 ? [] : [from.map((source) => [source, 0, 0, {}])],
});
const conv = { dilation_rate: [1, 1], activation: 'linear' };
const LAYERS: Layer[] = [
  layer('in', 'InputLayer', [], { batch_input_shape: [null, HEIGHT, WIDTH, 3] }),
  layer('pad', 'ZeroPadding2D', ['in'], { padding: [[1, 2], [0, 3]] }), // prettier-ignore
  layer('conv1', 'Conv2D', ['pad'], { ...conv, strides: [2, 1], padding: 'valid', use_bias: true }),
  layer('bn1', 'BatchNormalization', ['conv1'], { axis: [3], epsilon: 0.001 }),
  layer('relu1', 'Activation', ['bn1'], { activation: 'relu' }),
  layer('pool', 'MaxPooling2D', ['relu1'], { pool_size: [2, 3], strides: [2, 2], padding: 'same' }),
  layer('conv2', 'Conv2D', ['pool'], { ...conv, strides: [1, 1], padding: 'same', use_bias: false }),
  layer('sum', 'Add', ['conv2', 'pool']),
  layer('mean', 'GlobalAveragePooling2D', ['sum']),
  layer('fc', 'Dense', ['mean'], { activation: 'softmax' }),
];

function write(layers: readonly Layer[] = LAYERS, weights: object = WEIGHTS): { json: Buffer; bytes: Buffer } {
  const entries = Object.entries(weights as typeof WEIGHTS);
  return {
    json: Buffer.from(
      JSON.stringify({
        modelTopology: { model_config: { config: { layers } } },
        weightsManifest: [{ weights: entries.map(([name, { shape }]) => ({ name, shape, dtype: 'float32' })) }],
      }),
    ),
    bytes: Buffer.concat(entries.map(([, { values }]) => Buffer.from(values.buffer))),
  };
}

type Map3 = { height: number; width: number; at(y: number, x: number, channel: number): number };

function mapOf(height: number, width: number, channels: number, value: Map3['at']): Map3 {
  const values = Array.from({ length: height * width * channels }, (_, k) =>
    value(Math.floor(k / channels / width), Math.floor(k / channels) % width, k % channels),
  );
  return { height, width, at: (y, x, channel) => values[(y * width + x) * channels + channel]! };
}

const inside = ({ height, width }: Map3, y: number, x: number): boolean => y >= 0 && y < height && x >= 0 && x < width;

function convolve(
  map: Map3,
  name: 'conv1' | 'conv2',
  stride: [number, number],
  size: [number, number],
  before: [number, number],
): Map3 {
  const { shape, values } = WEIGHTS[`${name}/kernel`];
  const [rows = 0, columns = 0, sources = 0, results = 0] = shape;
  return mapOf(size[0], size[1], results, (y, x, result) => {
    let sum = name === 'conv1' ? WEIGHTS['conv1/bias'].values[result]! : 0;
    for (let dy = 0; dy < rows; dy++) {
      for (let dx = 0; dx < columns; dx++) {
        const [atY, atX] = [y * stride[0] + dy - before[0], x * stride[1] + dx - before[1]];
        if (!inside(map, atY, atX)) continue;
        for (let source = 0; source < sources; source++) {
          sum += values[((dy * columns + dx) * sources + source) * results + result]! * map.at(atY, atX, source);
        }
      }
    }
    return sum;
  });
}

/** The network by the definition of each layer, one number after the other. */
function runPlainly(picture: Map3): number[] {
  const padded = mapOf(HEIGHT + 3, WIDTH + 3, 3, (y, x, c) =>
    inside(picture, y - 1, x) ? picture.at(y - 1, x, c) : 0,
  );
  const first = convolve(padded, 'conv1', [2, 1], [4, 8], [0, 0]);
  const part = (name: 'gamma' | 'beta' | 'moving_mean' | 'moving_variance', c: number): number =>
    WEIGHTS[`bn1/${name}`].values[c]!;
  const normal = mapOf(4, 8, 4, (y, x, c) => {
    const centred = first.at(y, x, c) - part('moving_mean', c);
    return Math.max(0, (part('gamma', c) * centred) / Math.sqrt(part('moving_variance', c) + 0.001) + part('beta', c));
  });
  // 8 columns in windows of 3 by 2 need one more column: it comes after.
  const pooled = mapOf(2, 4, 4, (y, x, c) => {
    const places = [0, 1].flatMap((dy) => [0, 1, 2].map((dx) => [2 * y + dy, 2 * x + dx] as const));
    return Math.max(
      ...places.filter(([atY, atX]) => inside(normal, atY, atX)).map(([atY, atX]) => normal.at(atY, atX, c)),
    );
  });
  const second = convolve(pooled, 'conv2', [1, 1], [2, 4], [1, 1]);
  return [0, 1, 2, 3].map((c) => {
    let sum = 0;
    for (let k = 0; k < 8; k++) sum += second.at(k >> 2, k & 3, c) + pooled.at(k >> 2, k & 3, c);
    return sum / 8;
  });
}

describe('conversion of a Keras network', () => {
  it('computes what the layers’ definitions say', async () => {
    const { json, bytes } = write();
    const { onnx, ...facts } = convertKeras(json, bytes);
    expect(facts).toEqual({ heightPx: HEIGHT, widthPx: WIDTH, dim: 4 });
    const session = await openOnnx(onnx, 'input', 'feature');
    for (let round = 0; round < 4; round++) {
      const values = Float32Array.from({ length: 3 * HEIGHT * WIDTH }, () => dice.normal());
      const picture = mapOf(HEIGHT, WIDTH, 3, (y, x, c) => values[(c * HEIGHT + y) * WIDTH + x]!);
      const expected = runPlainly(picture);
      const found = await session.run(values, [1, 3, HEIGHT, WIDTH]);
      expect(found).toHaveLength(4);
      expected.forEach((value, k) => expect(Math.abs(found[k]! - value)).toBeLessThan(1e-4 * (1 + Math.abs(value))));
    }
    await session.close();
  });

  const changed = (name: string, change: Partial<Layer>, config: object = {}): Layer[] =>
    LAYERS.map((each) => (each.name === name ? { ...each, ...change, config: { ...each.config, ...config } } : each));

  it.each([
    ['a layer it does not know', changed('relu1', { class_name: 'Dropout' }), 'a layer of kind "Dropout"'],
    ['another activation', changed('relu1', {}, { activation: 'elu' }), '"activation": "elu" in layer "relu1"'],
    ['an activation inside a convolution', changed('conv1', {}, { activation: 'relu' }), 'layer "conv1"'],
    ['a dilated convolution', changed('conv1', {}, { dilation_rate: [2, 2] }), 'dilation_rate'],
    ['channels first', changed('conv1', {}, { data_format: 'channels_first' }), 'data_format'],
    ['a grey picture', changed('in', {}, { batch_input_shape: [null, 7, 6, 1] }), 'batch_input_shape'],
    ['a picture of any size', changed('in', {}, { batch_input_shape: [null, 1e9, 6, 3] }), 'batch_input_shape'],
    ['inputs that come later', changed('conv1', { inbound_nodes: [[['sum', 0, 0, {}]]] }), 'do not come before it'],
    ['a sum of one', changed('sum', { inbound_nodes: [[['pool', 0, 0, {}]]] }), 'do not come before it'],
    [
      'a sum of two widths',
      changed('sum', {
        inbound_nodes: [
          [
            ['conv2', 0, 0, {}],
            ['pad', 0, 0, {}],
          ],
        ],
      }),
      'do not fit',
    ],
    ['a kernel for other channels', changed('conv2', { inbound_nodes: [[['pad', 0, 0, {}]]] }), 'does not fit'],
    ['a layer without weights', changed('conv2', { name: 'conv9' }), 'no fitting weight "kernel"'],
    ['no pooling', LAYERS.slice(0, 8), 'no pooling'],
    ['nothing', [], 'no pooling'],
  ])('refuses %s with a sentence', (_, layers, part) => {
    const { json, bytes } = write(layers);
    expect(() => convertKeras(json, bytes)).toThrow(UsageError);
    expect(() => convertKeras(json, bytes)).toThrow(part);
  });

  it('refuses weights that are longer or shorter than listed, and what is no description', () => {
    const { json, bytes } = write();
    expect(() => convertKeras(json, bytes.subarray(4))).toThrow('shorter');
    expect(() => convertKeras(json, Buffer.concat([bytes, Buffer.alloc(4)]))).toThrow('longer');
    const large = write(LAYERS, { ...WEIGHTS, huge: { shape: [2 ** 31, 2 ** 20], values: new Float32Array(0) } });
    expect(() => convertKeras(large.json, large.bytes)).toThrow('shorter');
    for (const text of ['', 'null', '[]', '{"modelTopology":1}']) {
      expect(() => convertKeras(Buffer.from(text), bytes)).toThrow('model.json');
    }
  });

  it('gives a network or an error for damaged files', () => {
    const { json, bytes } = write();
    let refused = 0;
    for (let round = 0; round < 400; round++) {
      const damaged = Buffer.from(json);
      damaged[dice.below(damaged.length)] = dice.below(256);
      try {
        convertKeras(damaged, bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(100);
  });
});

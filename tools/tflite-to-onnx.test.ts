import { describe, expect, it } from 'vitest';

import { random, UsageError } from '../src/base/index.js';
import { readClassHead } from '../src/features/embedded.js';
import { openOnnx } from '../src/features/onnx.js';
import { convertTflite, type FeatureNetwork } from './tflite-to-onnx.js';
import { type Layer, runPlainly, TINY, type TinyNetwork, writeTflite } from './tiny-network.case.js';

const [height, width, channels] = TINY.picture.shape.slice(1) as [number, number, number];

/** A picture of real numbers, height × width × channel. */
function drawPicture(seed: number): number[] {
  const dice = random(seed);
  return Array.from({ length: height * width * channels }, () => Math.fround(4 * dice.next() - 2));
}

async function runOnnx({ onnx }: FeatureNetwork, picture: readonly number[]): Promise<number[]> {
  const session = await openOnnx(onnx, 'input', 'feature');
  const turned = new Float32Array(picture.length);
  picture.forEach((value, k) => {
    turned[(k % channels) * height * width + Math.floor(k / channels)] = value;
  });
  try {
    return [...(await session.run(turned, [1, channels, height, width]))];
  } finally {
    await session.close();
  }
}

/** The tiny network with layer `place` changed. */
function withLayer(place: number, change: Partial<Layer>): TinyNetwork {
  return { ...TINY, layers: TINY.layers.map((layer, k) => (k === place ? { ...layer, ...change } : layer)) };
}

async function expectSame(network: TinyNetwork): Promise<void> {
  const converted = convertTflite(writeTflite(network));
  for (const seed of [1, 2, 3, 4]) {
    const picture = drawPicture(seed);
    const expected = runPlainly(network, picture).vector;
    const found = await runOnnx(converted, picture);
    expect(found).toHaveLength(expected.length);
    found.forEach((value, k) => expect(Math.abs(value - expected[k]!)).toBeLessThan(1e-5));
  }
}

describe('conversion of a TFLite network', () => {
  it('tells size and length as the file states them', () => {
    expect(convertTflite(writeTflite(TINY))).toMatchObject({ heightPx: 5, widthPx: 6, dim: 5 });
  });

  it('computes what the layers’ definitions say, to 1e-5', () => expectSame(TINY));

  it('gives the same numbers bit for bit when the graph decodes its filters', async () => {
    const head = {
      filter: { shape: [2, 5], type: 'int8', scale: [0.5], zero: [1], values: [1, 2, 3, 4, 5, 1, 1, 1, 1, -1] },
      bias: { shape: [2], type: 'int32', scale: [0.25], zero: [0], values: [4, -8] },
    } as const;
    const file = writeTflite(withLayer(7, head));
    const [floats, codes] = [convertTflite(file), convertTflite(file, { keepsCodes: true })];
    for (const seed of [1, 2, 3, 4]) {
      expect(await runOnnx(codes, drawPicture(seed))).toEqual(await runOnnx(floats, drawPicture(seed)));
    }
    const { weights, bias } = readClassHead(codes.onnx);
    expect([weights.rows, weights.cols]).toEqual([5, 2]);
    expect([...weights.data]).toEqual([0, 0, 0.5, 0, 1, 0, 1.5, 0, 2, -1]);
    expect([...bias]).toEqual([1, -2]);
    expect(() => readClassHead(floats.onnx)).toThrow('it has no classifier');
    expect(() => convertTflite(writeTflite(TINY), { keepsCodes: true })).toThrow(UsageError);
  });

  it('is tested where every convolution and the sum clip at both ends', () => {
    const runs = [1, 2, 3, 4].map((seed) => runPlainly(TINY, drawPicture(seed)));
    for (const place of [1, 2, 3, 4, 5]) {
      expect(
        runs.reduce((sum, run) => sum + run.heldLow[place]!, 0),
        `low end of layer ${place}`,
      ).toBeGreaterThan(0);
      expect(
        runs.reduce((sum, run) => sum + run.heldHigh[place]!, 0),
        `high end of layer ${place}`,
      ).toBeGreaterThan(0);
    }
  });

  it.each([
    ['a rectifier from −1 to 1', withLayer(1, { activation: 'relu-1-1' })],
    ['a rectifier after a depthwise convolution', withLayer(2, { activation: 'relu-1-1' })],
    ['an activation after a sum', withLayer(4, { activation: 'relu' })],
    ['results that are not quantised', withLayer(5, { result: { shape: [1, 2, 1, 5], type: 'float32' } })],
    ['weights that are not quantised', withLayer(3, { filter: floatFilter() })],
    ['a mean instead of a pooling', withLayer(6, { kind: 'mean', result: { shape: [1, 5], type: 'float32' } })],
    ['a grouped convolution', withLayer(3, { filter: groupedFilter() })],
  ])('handles %s', (_, network) => expectSame(network));

  it.each([
    ['tanh', withLayer(1, { activation: 'tanh' }), 'activation 4'],
    ['a dilated convolution', withLayer(1, { dilation: 2 }), 'dilated'],
    ['another operator first', withLayer(0, { kind: 'fully-connected' }), 'operator 9'],
    ['no pooling', { ...TINY, layers: TINY.layers.slice(0, 4) }, 'no pooling'],
    ['a grey picture', { ...TINY, picture: { ...TINY.picture, shape: [1, 5, 6, 1] } }, '1 × 5 × 6 × 1'],
    ['stride 0', withLayer(1, { strideX: 0 }), 'stride 0'],
    ['operators out of order', withLayer(1, { from: [7] }), 'nothing computes'],
    ['scales that do not fit', withLayer(1, { filter: { ...TINY.layers[1]!.filter!, scale: [1, 2] } }), 'scales'],
    ['weights that do not fit', withLayer(1, { filter: { ...TINY.layers[1]!.filter!, values: [1, 2] } }), '2 bytes'],
    [
      'a shape of any size',
      withLayer(1, { filter: { ...TINY.layers[1]!.filter!, shape: [4, 46341, 46341, 3] } }),
      '108',
    ],
    ['a bias that does not fit', withLayer(1, { bias: { ...TINY.layers[2]!.bias! } }), 'bias'],
    ['a filter for other channels', withLayer(3, { filter: TINY.layers[1]!.filter! }), 'filter'],
    ['a sum of two sizes', withLayer(4, { from: [4, 2] }), 'different shapes'],
    ['a mean over less', withLayer(6, { kind: 'mean', result: { shape: [1, 2, 1, 5], type: 'uint8' } }), 'whole'],
  ] as const)('refuses %s with a sentence', (_, network, part) => {
    expect(() => convertTflite(writeTflite(network))).toThrow(UsageError);
    expect(() => convertTflite(writeTflite(network))).toThrow(part);
  });

  it('refuses what is no TFLite file', () => {
    for (const file of [new Uint8Array(), new Uint8Array(3), new TextEncoder().encode('a shopping list')]) {
      expect(() => convertTflite(file)).toThrow('mark TFL3');
    }
  });
});

describe('damaged model files', () => {
  const whole = writeTflite(TINY);

  /** A network, or `null` for a `UsageError`; anything else fails the test. */
  const convert = (file: Uint8Array): FeatureNetwork | null => {
    try {
      return convertTflite(file);
    } catch (error) {
      if (error instanceof UsageError && error.code === 'bad-model') return null;
      throw error;
    }
  };

  it('cut off at any byte: a sentence, or a whole network where only the end of a constant’s padding went', () => {
    const lengths = Array.from({ length: whole.length }, (_, length) => length);
    const read = lengths.filter((length) => convert(whole.subarray(0, length)) !== null);
    expect(read.filter((length) => length <= whole.length - 8)).toEqual([]);
  });

  it('with any byte wrong: a sentence, or a network that the runtime takes or refuses', { tags: 'slow' }, async () => {
    const dice = random(7);
    let refused = 0;
    for (let at = 0; at < whole.length; at++) {
      const file = whole.slice();
      file[at]! ^= 1 << dice.below(8);
      const network = convert(file);
      if (!network) refused++;
      else if (network.heightPx === height && network.widthPx === width && at % 64 === 0) {
        await runOnnx(network, drawPicture(1)).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
      }
    }
    expect(refused).toBeGreaterThan(whole.length / 10);
  });

  it('with several bytes wrong: the same', () => {
    const dice = random(8);
    let refused = 0;
    for (let round = 0; round < 500; round++) {
      const file = whole.slice();
      for (let k = 0; k < 8; k++) file[8 + dice.below(file.length - 8)] = dice.below(256);
      if (convert(file) === null) refused++;
    }
    expect(refused).toBeGreaterThan(100);
  });
});

function floatFilter(): Layer['filter'] {
  const { values } = TINY.layers[3]!.filter!;
  return { shape: [8, 1, 1, 8], type: 'float32', values: values!.map((value) => Math.fround(value / 100)) };
}

/** Results 0 to 3 see the first four sources, 4 to 7 the rest. */
function groupedFilter(): Layer['filter'] {
  const filter = TINY.layers[3]!.filter!;
  return { ...filter, shape: [8, 1, 1, 4], values: filter.values!.slice(0, 32) };
}

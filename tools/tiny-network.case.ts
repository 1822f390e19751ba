import { random } from '../src/base/index.js';
import { buildFlatBuffer, type FlatFields, type FlatValue } from './flatbuffer.case.js';

/** A tensor of a written model: height × width × channel, stored as the model stores it. */
type Stored = {
  readonly shape: readonly number[];
  readonly type: 'uint8' | 'int8' | 'int32' | 'float32';
  readonly scale?: readonly number[];
  readonly zero?: readonly number[];
  readonly axis?: number;
  readonly values?: readonly number[];
};

/** One step of a network, said once: written to a file by `writeTflite`, computed by `runPlainly`. */
export type Layer = {
  readonly kind: 'quantize' | 'conv' | 'depthwise' | 'add' | 'average-pool' | 'mean' | 'fully-connected';
  /** Which results it takes: 0 is the picture, k the result of layer k − 1. */
  readonly from: readonly number[];
  readonly result: Stored;
  readonly filter?: Stored;
  readonly bias?: Stored;
  readonly padding?: 'same' | 'valid';
  readonly strideX?: number;
  readonly strideY?: number;
  readonly activation?: 'none' | 'relu' | 'relu-1-1' | 'relu6' | 'tanh';
  readonly dilation?: number;
};

export type TinyNetwork = { readonly picture: Stored; readonly layers: readonly Layer[] };

const dice = random(20);
const draw = (count: number, low: number, high: number): number[] =>
  Array.from({ length: count }, () => low + dice.below(high - low + 1));

/**
 * Every trap of the conversion in a few thousand bytes: SAME padding that is even in height (5) and uneven in width (6),
 * strides that differ, weights with one scale and with one a channel, a filter with two results a channel, a missing
 * bias, activations said and unsaid, and ranges narrow enough to saturate at both ends.
 */
export const TINY: TinyNetwork = {
  picture: { shape: [1, 5, 6, 3], type: 'uint8', scale: [1 / 64], zero: [128] },
  layers: [
    {
      kind: 'quantize',
      from: [0],
      result: { shape: [1, 5, 6, 3], type: 'int8', scale: [1 / 64], zero: [0] },
    },
    {
      kind: 'conv',
      from: [1],
      filter: { shape: [4, 3, 3, 3], type: 'uint8', scale: [0.02], zero: [120], values: draw(108, 0, 255) },
      bias: { shape: [4], type: 'int32', scale: [0.02 / 64], zero: [0], values: draw(4, -2000, 9000) },
      padding: 'same',
      strideX: 2,
      strideY: 2,
      activation: 'relu6',
      result: { shape: [1, 3, 3, 4], type: 'int8', scale: [0.03], zero: [-128] },
    },
    {
      kind: 'depthwise',
      from: [2],
      filter: {
        ...{ shape: [1, 3, 3, 8], type: 'int8', axis: 3, values: draw(72, -127, 127) },
        ...{ scale: [0.001, 0.002, 0.004, 0.008, 0.003, 0.005, 0.007, 0.009], zero: new Array<number>(8).fill(0) },
      },
      bias: { shape: [8], type: 'int32', scale: [0.001], zero: [0], values: draw(8, -500, 1500) },
      padding: 'same',
      strideX: 1,
      strideY: 1,
      result: { shape: [1, 3, 3, 8], type: 'int8', scale: [0.01], zero: [-128] },
    },
    {
      kind: 'conv',
      from: [3],
      filter: {
        ...{ shape: [8, 1, 1, 8], type: 'int8', axis: 0, values: draw(64, -127, 127) },
        ...{ scale: [0.01, 0.02, 0.005, 0.003, 0.004, 0.006, 0.008, 0.001], zero: new Array<number>(8).fill(0) },
      },
      padding: 'same',
      strideX: 1,
      strideY: 1,
      result: { shape: [1, 3, 3, 8], type: 'int8', scale: [0.02], zero: [5] },
    },
    {
      kind: 'add',
      from: [4, 3],
      result: { shape: [1, 3, 3, 8], type: 'uint8', scale: [0.015], zero: [100] },
    },
    {
      kind: 'conv',
      from: [5],
      filter: { shape: [5, 2, 2, 8], type: 'uint8', scale: [0.004], zero: [131], values: draw(160, 0, 255) },
      bias: { shape: [5], type: 'int32', scale: [0.001], zero: [0], values: draw(5, 0, 1000) },
      padding: 'valid',
      strideX: 2,
      strideY: 1,
      activation: 'relu',
      result: { shape: [1, 2, 1, 5], type: 'uint8', scale: [0.012], zero: [60] },
    },
    { kind: 'average-pool', from: [6], result: { shape: [1, 1, 1, 5], type: 'uint8', scale: [0.012], zero: [60] } },
    { kind: 'fully-connected', from: [7], result: { shape: [1, 2], type: 'float32' } },
  ],
};

const CODES = {
  quantize: 114,
  conv: 3,
  depthwise: 4,
  add: 0,
  'average-pool': 1,
  mean: 40,
  'fully-connected': 9,
} as const;
const TYPES = { float32: 0, int32: 2, uint8: 3, int8: 9 } as const;
const ACTIVATIONS = { none: 0, relu: 1, 'relu-1-1': 2, relu6: 3, tanh: 4 } as const;

/** Writes a network as a TFLite file. */
export function writeTflite({ picture, layers }: TinyNetwork): Uint8Array {
  const buffers: FlatFields[] = [{}];
  const tensors: FlatFields[] = [];
  const addTensor = (tensor: Stored, name: string): number => {
    const { scale, zero, axis = 0, values } = tensor;
    if (values) buffers.push({ 0: { bytes: contents(tensor) } });
    const quantization: FlatFields = { 2: { floats: scale ?? [] }, 3: { longs: zero ?? [] }, 6: { int: axis } };
    tensors.push({
      0: { ints: tensor.shape },
      1: { byte: TYPES[tensor.type] },
      2: { int: values ? buffers.length - 1 : 0 },
      3: { bytes: new TextEncoder().encode(name) },
      4: { table: scale ? quantization : {} },
    });
    return tensors.length - 1;
  };
  const results = [addTensor(picture, 'picture')];
  const kinds = [...new Set(layers.map((layer) => layer.kind))];
  const operators = layers.map((layer, k): FlatFields => {
    const inputs = layer.from.map((place) => results[place] ?? -1);
    if (layer.filter) inputs.push(addTensor(layer.filter, `filter ${k}`));
    if (layer.bias) inputs.push(addTensor(layer.bias, `bias ${k}`));
    results.push(addTensor(layer.result, `result ${k}`));
    const source = k === 0 ? picture : layers[(layer.from[0] ?? 0) - 1]?.result;
    return {
      0: { int: kinds.indexOf(layer.kind) },
      1: { ints: inputs },
      2: { ints: [results.at(-1) ?? -1] },
      4: { table: optionsOf(layer, source?.shape ?? []) },
    };
  });
  return buildFlatBuffer('TFL3', {
    0: { int: 3 },
    1: { tables: kinds.map((kind) => ({ 0: { byte: CODES[kind] }, 3: { int: CODES[kind] } })) },
    2: {
      tables: [
        {
          0: { tables: tensors },
          1: { ints: [results[0] ?? 0] },
          2: { ints: [results.at(-1) ?? 0] },
          3: { tables: operators },
        },
      ],
    },
    4: { tables: buffers },
  });
}

function optionsOf(layer: Layer, sourceShape: readonly number[]): FlatFields {
  const window: Record<number, FlatValue> = {
    0: { byte: layer.padding === 'valid' ? 1 : 0 },
    1: { int: layer.strideX ?? 1 },
    2: { int: layer.strideY ?? 1 },
  };
  const activation = { byte: ACTIVATIONS[layer.activation ?? 'none'] };
  const dilation = { int: layer.dilation ?? 1 };
  switch (layer.kind) {
    case 'conv':
      return { ...window, 3: activation, 4: dilation, 5: dilation };
    case 'depthwise':
      return {
        ...window,
        3: { int: layer.result.shape[3]! / sourceShape[3]! },
        4: activation,
        5: dilation,
        6: dilation,
      };
    case 'average-pool': {
      const [rows, columns] = [sourceShape[1] ?? 0, sourceShape[2] ?? 0];
      return { ...window, 3: { int: columns }, 4: { int: rows }, 5: activation };
    }
    case 'add':
      return { 0: activation };
    default:
      return {};
  }
}

function contents({ type, values = [] }: Stored): Uint8Array {
  if (type === 'uint8' || type === 'int8') return Uint8Array.from(values);
  const wide = type === 'int32' ? Int32Array.from(values) : Float32Array.from(values);
  return new Uint8Array(wide.buffer);
}

/** What `runPlainly` found: the pooled vector, and how many results of each layer had to be held at a bound. */
type PlainRun = { readonly vector: number[]; readonly heldLow: number[]; readonly heldHigh: number[] };

/**
 * Computes a network on pictures of real numbers (height × width × channel) by the definition of each layer, one number
 * after the other: shares nothing with the conversion but the description of the network.
 */
export function runPlainly({ picture, layers }: TinyNetwork, values: readonly number[]): PlainRun {
  const results: { shape: readonly number[]; values: readonly number[] }[] = [{ shape: picture.shape, values }];
  const heldLow: number[] = [];
  const heldHigh: number[] = [];
  for (const layer of layers) {
    const [source, other] = layer.from.map((place) => results[place]!);
    const shape = layer.result.shape;
    if (layer.kind === 'mean' || layer.kind === 'average-pool') {
      const channels = source!.shape[3]!;
      const places = source!.values.length / channels;
      const vector = Array.from({ length: channels }, (_, channel) => {
        let sum = 0;
        for (let place = 0; place < places; place++) sum += source!.values[place * channels + channel]!;
        return sum / places;
      });
      return { vector, heldLow, heldHigh };
    }
    const raw =
      layer.kind === 'add'
        ? source!.values.map((value, k) => value + other!.values[k]!)
        : layer.kind === 'quantize'
          ? source!.values
          : convolve(layer, source!);
    const { low, high } = boundsOf(layer);
    heldLow.push(raw.filter((value) => value < low).length);
    heldHigh.push(raw.filter((value) => value > high).length);
    results.push({ shape, values: raw.map((value) => Math.min(Math.max(value, low), high)) });
  }
  throw new Error('the network has no pooling');
}

function convolve(layer: Layer, source: { shape: readonly number[]; values: readonly number[] }): number[] {
  const [, height = 0, width = 0, sourceChannels = 0] = source.shape;
  const [, rows = 0, columns = 0, channels = 0] = layer.result.shape;
  const [, filterRows = 0, filterColumns = 0, filterLast = 0] = layer.filter!.shape;
  const sources = layer.kind === 'depthwise' ? 1 : filterLast;
  const channelsAGroup = channels / (sourceChannels / sources);
  const { strideX = 1, strideY = 1 } = layer;
  const before = (length: number, size: number, stride: number, outLength: number): number =>
    layer.padding === 'same' ? Math.floor(Math.max(0, (outLength - 1) * stride + size - length) / 2) : 0;
  const top = before(height, filterRows, strideY, rows);
  const left = before(width, filterColumns, strideX, columns);
  const results: number[] = [];
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      for (let channel = 0; channel < channels; channel++) {
        const first = Math.floor(channel / channelsAGroup) * sources;
        let sum = layer.bias ? real(layer.bias, channel) : 0;
        for (let dy = 0; dy < filterRows; dy++) {
          for (let dx = 0; dx < filterColumns; dx++) {
            const atY = y * strideY + dy - top;
            const atX = x * strideX + dx - left;
            if (atY < 0 || atY >= height || atX < 0 || atX >= width) continue;
            const place = (atY * width + atX) * sourceChannels;
            for (let from = 0; from < sources; from++) {
              const weight =
                layer.kind === 'depthwise'
                  ? (dy * filterColumns + dx) * channels + channel
                  : ((channel * filterRows + dy) * filterColumns + dx) * sources + from;
              sum += real(layer.filter!, weight) * source.values[place + first + from]!;
            }
          }
        }
        results.push(sum);
      }
    }
  }
  return results;
}

/** Stored value number `index` of a constant, as a real number. */
function real({ shape, scale, zero, axis = 0, values }: Stored, index: number): number {
  const stored = values![index]!;
  if (!scale) return stored;
  let step = 1;
  for (let k = shape.length - 1; k > axis; k--) step *= shape[k]!;
  const channel = scale.length === 1 ? 0 : Math.floor(index / step) % shape[axis]!;
  return Math.fround(scale[channel]!) * (stored - (zero?.[channel] ?? 0));
}

function boundsOf({ activation = 'none', result }: Layer): { low: number; high: number } {
  const asked = { none: [-1e30, 1e30], relu: [0, 1e30], 'relu-1-1': [-1, 1], relu6: [0, 6], tanh: [-1, 1] }[activation];
  const [low = 0, high = 0] = asked;
  const { scale, zero, type } = result;
  if (!scale || !zero || (type !== 'uint8' && type !== 'int8')) return { low, high };
  const codes = type === 'uint8' ? [0, 255] : [-128, 127];
  const [least = 0, most = 0] = codes.map((code) => Math.fround(scale[0]!) * (code - zero[0]!));
  return { low: Math.max(low, least), high: Math.min(high, most) };
}

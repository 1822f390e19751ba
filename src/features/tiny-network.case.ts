import { random } from '../base/index.js';
import { buildFlatBuffer, type FlatFields, type FlatValue } from './flatbuffer.case.js';

/** A tensor of a written model: height × width × channel, stored as the model stores it. */
export type Stored = {
  readonly shape: readonly number[];
  readonly type: 'uint8' | 'int8' | 'int32' | 'float32';
  readonly scale?: readonly number[];
  readonly zero?: readonly number[];
  readonly axis?: number;
  readonly values?: readonly number[];
};

/** One step of a network, said once: written to a file by `writeTflite`, computed by `runPlainly`. */
export type Layer = {
  readonly kind:
    'quantize' | 'conv' | 'depthwise' | 'add' | 'concat' | 'max-pool' | 'average-pool' | 'mean' | 'fully-connected';
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
  /** Rows and columns of a pooling; an average pooling without is over the whole picture and the end. */
  readonly window?: readonly [number, number];
  /** Of a concatenation. */
  readonly axis?: number;
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

/**
 * Poolings and a concatenation as in the Inception networks: windows that reach past one end and past both, averages over
 * fewer places at the border, parts of different ranges, and a result that cannot hold them all.
 */
export const TINY_BRANCHES: TinyNetwork = {
  picture: { shape: [1, 5, 6, 3], type: 'uint8', scale: [1 / 64], zero: [128] },
  layers: [
    {
      kind: 'max-pool',
      from: [0],
      window: [3, 2],
      padding: 'same',
      strideX: 2,
      strideY: 2,
      result: { shape: [1, 3, 3, 3], type: 'uint8', scale: [1 / 64], zero: [128] },
    },
    {
      kind: 'average-pool',
      from: [0],
      window: [3, 3],
      padding: 'same',
      strideX: 2,
      strideY: 2,
      result: { shape: [1, 3, 3, 3], type: 'uint8', scale: [1 / 100], zero: [128] },
    },
    {
      kind: 'average-pool',
      from: [0],
      window: [3, 2],
      padding: 'valid',
      strideX: 2,
      strideY: 1,
      activation: 'relu',
      result: { shape: [1, 3, 3, 3], type: 'float32' },
    },
    {
      kind: 'concat',
      from: [1, 2, 3],
      axis: 3,
      result: { shape: [1, 3, 3, 9], type: 'uint8', scale: [1 / 128], zero: [60] },
    },
    {
      kind: 'max-pool',
      from: [4],
      window: [2, 2],
      padding: 'valid',
      strideX: 1,
      strideY: 1,
      result: { shape: [1, 2, 2, 9], type: 'float32' },
    },
    { kind: 'average-pool', from: [5], result: { shape: [1, 1, 1, 9], type: 'float32' } },
  ],
};

const CODES = {
  quantize: 114,
  conv: 3,
  depthwise: 4,
  add: 0,
  'average-pool': 1,
  concat: 2,
  'max-pool': 17,
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
    case 'max-pool':
    case 'average-pool': {
      const [rows, columns] = layer.window ?? [sourceShape[1] ?? 0, sourceShape[2] ?? 0];
      return { ...window, 3: { int: columns }, 4: { int: rows }, 5: activation };
    }
    case 'concat':
      return { 0: { int: layer.axis ?? 3 }, 1: activation };
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

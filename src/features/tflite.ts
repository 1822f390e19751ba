import { UsageError } from '../base/index.js';

/**
 * Reads a TensorFlow Lite model: a FlatBuffer whose tables are found through offsets. Only what a convolutional
 * network needs is read. Field numbers are those of the TFLite schema, version 3.
 */
export type TfliteModel = {
  readonly tensors: readonly TfliteTensor[];
  readonly operators: readonly TfliteOperator[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
};

export type TfliteTensor = {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** Constant contents; empty for tensors computed at run time. */
  readonly bytes: Uint8Array;
  /** value = scale · (stored − zeroPoint), one pair for all or one an output channel along `axis`. */
  readonly quantization: {
    readonly scale: Float32Array;
    readonly zeroPoint: Float64Array;
    readonly axis: number;
  } | null;
};

export type TensorType = 'float32' | 'int32' | 'uint8' | 'int8' | 'other';

export type TfliteOperator = {
  readonly code: number;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  /** Small-integer option `field` of the operator, or `fallback` where the file leaves it out. */
  byteOption(field: number, fallback?: number): number;
  intOption(field: number, fallback?: number): number;
};

const TYPES: Record<number, TensorType> = { 0: 'float32', 2: 'int32', 3: 'uint8', 9: 'int8' };

export function readTflite(file: Uint8Array): TfliteModel {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.byteLength < 8 || String.fromCharCode(...file.subarray(4, 8)) !== 'TFL3') {
    throw new UsageError(
      'bad-model',
      'Expected a TensorFlow Lite model (mark TFL3), found another file. Give a .tflite file.',
    );
  }
  const follow = (at: number): number => at + view.getUint32(at, true);
  /** Address of field `index` of the table at `table`, or 0 where it is left out. */
  const field = (table: number, index: number): number => {
    const layout = table - view.getInt32(table, true);
    const slot = 4 + 2 * index;
    if (slot >= view.getUint16(layout, true)) return 0;
    const offset = view.getUint16(layout + slot, true);
    return offset === 0 ? 0 : table + offset;
  };
  const vector = (table: number, index: number): { length: number; at: number } => {
    const address = field(table, index);
    if (address === 0) return { length: 0, at: 0 };
    const at = follow(address);
    return { length: view.getUint32(at, true), at: at + 4 };
  };
  const child = (table: number, index: number): number => {
    const address = field(table, index);
    return address === 0 ? 0 : follow(address);
  };
  const children = (table: number, index: number): number[] => {
    const { length, at } = vector(table, index);
    return Array.from({ length }, (_, k) => follow(at + 4 * k));
  };
  const ints = (table: number, index: number): number[] => {
    const { length, at } = vector(table, index);
    return Array.from({ length }, (_, k) => view.getInt32(at + 4 * k, true));
  };
  const bytes = (table: number, index: number): Uint8Array => {
    const { length, at } = vector(table, index);
    return file.subarray(at, at + length);
  };
  const byte = (table: number, index: number, fallback: number): number => {
    const address = field(table, index);
    return address === 0 ? fallback : view.getInt8(address);
  };
  const int = (table: number, index: number, fallback: number): number => {
    const address = field(table, index);
    return address === 0 ? fallback : view.getInt32(address, true);
  };

  const model = follow(0);
  // Codes above 127 live in a second, wider field.
  const codes = children(model, 1).map((code) => Math.max(byte(code, 0, 0), int(code, 3, 0)));
  const buffers = children(model, 4).map((buffer) => bytes(buffer, 0));
  const graph = children(model, 2)[0] ?? 0;
  const tensors = children(graph, 0).map((tensor): TfliteTensor => {
    const quantization = child(tensor, 4);
    const scale = quantization === 0 ? { length: 0, at: 0 } : vector(quantization, 2);
    const zero = quantization === 0 ? { length: 0, at: 0 } : vector(quantization, 3);
    return {
      name: new TextDecoder().decode(bytes(tensor, 3)),
      shape: ints(tensor, 0),
      type: TYPES[byte(tensor, 1, 0)] ?? 'other',
      bytes: buffers[int(tensor, 2, 0)] ?? new Uint8Array(),
      quantization:
        scale.length === 0
          ? null
          : {
              scale: Float32Array.from({ length: scale.length }, (_, k) => view.getFloat32(scale.at + 4 * k, true)),
              zeroPoint: Float64Array.from({ length: scale.length }, (_, k) =>
                k < zero.length ? Number(view.getBigInt64(zero.at + 8 * k, true)) : 0,
              ),
              axis: int(quantization, 6, 0),
            },
    };
  });
  const operators = children(graph, 3).map((operator): TfliteOperator => {
    const options = child(operator, 4);
    return {
      code: codes[int(operator, 0, 0)] ?? -1,
      inputs: ints(operator, 1),
      outputs: ints(operator, 2),
      byteOption: (index, fallback = 0) => (options === 0 ? fallback : byte(options, index, fallback)),
      intOption: (index, fallback = 1) => (options === 0 ? fallback : int(options, index, fallback)),
    };
  });
  return { tensors, operators, inputs: ints(graph, 1), outputs: ints(graph, 2) };
}

/** The constant contents of a tensor as real numbers. */
export function realValues(tensor: TfliteTensor): Float32Array {
  const { bytes, quantization } = tensor;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = tensor.shape.reduce((product, size) => product * size, 1);
  const stored: Record<TensorType, ((index: number) => number) | null> = {
    float32: (index) => view.getFloat32(4 * index, true),
    int32: (index) => view.getInt32(4 * index, true),
    uint8: (index) => view.getUint8(index),
    int8: (index) => view.getInt8(index),
    other: null,
  };
  const read = stored[tensor.type];
  if (!read)
    throw new UsageError(
      'bad-model',
      `Expected numbers in tensor "${tensor.name}", found a type this reader does not know.`,
    );
  if (!quantization) return Float32Array.from({ length: count }, (_, index) => read(index));
  const { scale, zeroPoint, axis } = quantization;
  const channels = scale.length;
  const inner = tensor.shape.slice(axis + 1).reduce((product, size) => product * size, 1);
  return Float32Array.from({ length: count }, (_, index) => {
    const channel = channels === 1 ? 0 : Math.floor(index / inner) % channels;
    return (read(index) - (zeroPoint[channel] ?? 0)) * (scale[channel] ?? 1);
  });
}

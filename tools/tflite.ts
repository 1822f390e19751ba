import { UsageError } from '../src/base/index.js';
import { damaged } from '../src/features/onnx-file.js';
import { type FlatTable, readFlatBuffer } from './flatbuffer.js';

/**
 * The content of a TensorFlow Lite model. Only what a convolutional network needs is read; field numbers are those of the
 * TFLite schema, version 3.
 */
export type TfliteModel = {
  readonly tensors: readonly TfliteTensor[];
  readonly operators: readonly TfliteOperator[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
};

/** A tensor of the model. */
export type TfliteTensor = {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** Constant contents; empty for tensors computed at run time. */
  readonly bytes: Uint8Array;
  readonly quantization: Quantization | null;
};

/** value = scale · (stored − zeroPoint): one pair for the whole tensor, or one for each step along `axis`. */
type Quantization = {
  readonly scale: Float32Array;
  readonly zeroPoint: Float64Array;
  readonly axis: number;
};

type TensorType = 'float32' | 'int32' | 'uint8' | 'int8' | 'other';

/** An operator of the model. */
export type TfliteOperator = {
  readonly code: number;
  /** Tensors by number; −1 means an operand that is left out. */
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  /** Option `field` of the operator; the schema's default if the file leaves it out. */
  byteOption(field: number, fallback?: number): number;
  intOption(field: number, fallback?: number): number;
};

const TYPES: Record<number, TensorType> = { 0: 'float32', 2: 'int32', 3: 'uint8', 9: 'int8' };

/** Reads a model file; throws a `UsageError` with code `bad-model` if it is not consistent. */
export function readTflite(file: Uint8Array): TfliteModel {
  if (file.byteLength < 8 || String.fromCharCode(...file.subarray(4, 8)) !== 'TFL3') {
    throw new UsageError(
      'bad-model',
      'Expected a TensorFlow Lite model (mark TFL3), found another file. Give a .tflite file.',
    );
  }
  const model = readFlatBuffer(file);
  // Codes above 127 are in a second, wider field.
  const codes = model.tables(1).map((code) => Math.max(code.byte(0, 0), code.int(3, 0)));
  const buffers = model.tables(4).map((buffer) => buffer.bytes(0));
  const [graph] = model.tables(2);
  if (!graph) throw damaged('it holds no network');
  return {
    tensors: graph.tables(0).map((tensor) => readTensor(tensor, buffers)),
    operators: graph.tables(3).map((operator) => readOperator(operator, codes)),
    inputs: graph.ints(1),
    outputs: graph.ints(2),
  };
}

function readTensor(tensor: FlatTable, buffers: readonly Uint8Array[]): TfliteTensor {
  return {
    name: new TextDecoder().decode(tensor.bytes(3)),
    shape: tensor.ints(0),
    type: TYPES[tensor.byte(1, 0)] ?? 'other',
    bytes: buffers[tensor.int(2, 0)] ?? new Uint8Array(),
    quantization: readQuantization(tensor.table(4)),
  };
}

function readQuantization(quantization: FlatTable | null): Quantization | null {
  const scale = quantization?.floats(2);
  if (!quantization || !scale || scale.length === 0) return null;
  const zeroPoint = quantization.longs(3);
  return {
    scale,
    zeroPoint: zeroPoint.length > 0 ? zeroPoint : new Float64Array(scale.length),
    axis: quantization.int(6, 0),
  };
}

function readOperator(operator: FlatTable, codes: readonly number[]): TfliteOperator {
  const options = operator.table(4);
  return {
    code: codes[operator.int(0, 0)] ?? -1,
    inputs: operator.ints(1),
    outputs: operator.ints(2),
    byteOption: (field, fallback = 0) => options?.byte(field, fallback) ?? fallback,
    intOption: (field, fallback = 0) => options?.int(field, fallback) ?? fallback,
  };
}

/** The constant contents of a tensor as real numbers. */
export function realValues(tensor: TfliteTensor): Float32Array {
  const stored = storedValues(tensor);
  const { quantization, shape, name } = tensor;
  if (!quantization) return Float32Array.from(stored);
  const { scale, zeroPoint, axis } = quantization;
  const channels = scale.length;
  if (zeroPoint.length !== channels || (channels !== 1 && channels !== shape[axis])) {
    throw damaged(`the scales of tensor "${name}" do not fit its shape`);
  }
  const inner = channels === 1 ? stored.length : shape.slice(axis + 1).reduce((product, size) => product * size, 1);
  const values = new Float32Array(stored.length);
  let index = 0;
  for (let channel = 0; index < stored.length; channel = (channel + 1) % channels) {
    const channelScale = scale[channel]!;
    const zero = zeroPoint[channel]!;
    for (let k = 0; k < inner; k++, index++) values[index] = (stored[index]! - zero) * channelScale;
  }
  return values;
}

/**
 * The constant contents of a quantised tensor of 8 bits as signed codes, for  value = scale · (code − zero);  `null` for another
 * tensor. Unsigned codes and their zeros are moved down by 128.
 */
export function storedCodes(
  tensor: TfliteTensor,
): { readonly values: Int8Array; readonly zero: Float32Array; readonly scale: Float32Array } | null {
  const { quantization, type } = tensor;
  if (quantization === null || (type !== 'uint8' && type !== 'int8')) return null;
  const down = type === 'uint8' ? 128 : 0;
  // Refuses scales that do not fit the shape.
  realValues(tensor);
  return {
    values: Int8Array.from(storedValues(tensor), (code) => code - down),
    zero: Float32Array.from(quantization.zeroPoint, (code) => code - down),
    scale: Float32Array.from(quantization.scale),
  };
}

function storedValues({ bytes, shape, type, name }: TfliteTensor): ArrayLike<number> & Iterable<number> {
  if (type === 'other') {
    throw new UsageError(
      'bad-model',
      `Expected numbers of 8 or 32 bits in tensor "${name}", found another type. Choose another model.`,
    );
  }
  const count = shape.reduce((product, size) => product * size, 1);
  const isWide = type === 'float32' || type === 'int32';
  // Compared before anything is allocated: a damaged shape can claim any size.
  if (shape.some((size) => size < 1) || bytes.byteLength !== count * (isWide ? 4 : 1)) {
    throw damaged(`tensor "${name}" has ${bytes.byteLength} bytes for shape ${shape.join(' × ')}`);
  }
  if (type === 'uint8') return bytes;
  if (type === 'int8') return new Int8Array(bytes.buffer, bytes.byteOffset, count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return type === 'int32'
    ? Int32Array.from({ length: count }, (_, index) => view.getInt32(4 * index, true))
    : Float32Array.from({ length: count }, (_, index) => view.getFloat32(4 * index, true));
}

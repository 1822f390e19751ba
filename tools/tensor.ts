import { halfFloat } from '../src/features/npy.js';
import { damaged } from '../src/features/onnx-file.js';
import type { WeightTensor } from './weights.js';

/** Element types found in weights files; all become 32-bit floats. */
export type Dtype = keyof typeof ELEMENTS;

type Element = { readonly bytes: number; readonly read: (view: DataView, at: number) => number };

const ELEMENTS = {
  float32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  float64: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  float16: { bytes: 2, read: (view, at) => halfFloat(view.getUint16(at, true)) },
  bfloat16: { bytes: 2, read: brainFloat },
  int64: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  int32: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  int16: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  int8: { bytes: 1, read: (view, at) => view.getInt8(at) },
  uint8: { bytes: 1, read: (view, at) => view.getUint8(at) },
  bool: { bytes: 1, read: (view, at) => view.getUint8(at) },
} as const satisfies Record<string, Element>;

/** Torch allows 64 dimensions, networks use five. */
const MAX_DIMENSIONS = 16;

/** Bytes per element. */
export function elementBytes(dtype: Dtype): number {
  return ELEMENTS[dtype].bytes;
}

/** The layout of an array: `strides` and `offset` count elements; by default it is row-major from the start. */
type Layout = {
  readonly shape: readonly number[];
  readonly strides?: readonly number[];
  readonly offset?: number;
};

/** An array in a file. It is checked now that all of it is there; its values are decoded later. */
export function tensorOf(content: Uint8Array, dtype: Dtype, layout: Layout): WeightTensor {
  const { shape, offset = 0 } = layout;
  const strides = layout.strides ?? rowMajor(shape);
  const held = Math.floor(content.length / elementBytes(dtype));
  const count = countOf(shape);
  const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  if (!isWhole(offset) || !strides.every(isWhole) || strides.length !== shape.length) {
    throw damaged('an array has an impossible layout');
  }
  const last = offset + shape.reduce((sum, size, axis) => sum + (size - 1) * strides[axis]!, 0);
  // An array with more elements than there are values would repeat some.
  if (count > 0 && (last >= held || count > held)) {
    throw damaged(`an array of ${shape.join(' × ')} has room for ${held} values only`);
  }
  return { shape, floats: () => toFloats(rowMajorBytes(content, elementBytes(dtype), shape, strides, offset), dtype) };
}

/** The number of elements of a shape from a file; throws if it is no shape. */
export function countOf(shape: readonly number[]): number {
  if (shape.length > MAX_DIMENSIONS || !shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw damaged('an array has an impossible shape');
  }
  return shape.reduce((product, size) => product * size, 1);
}

/** The values of a tensor as numbers. */
export function valuesOf(tensor: WeightTensor): Float32Array {
  const bytes = tensor.floats();
  const isAligned = bytes.byteOffset % 4 === 0;
  const { buffer, byteOffset } = isAligned ? bytes : Uint8Array.from(bytes);
  return new Float32Array(buffer, byteOffset, bytes.length / 4);
}

/** Strides of a row-major array of this shape. */
export function rowMajor(shape: readonly number[]): number[] {
  const strides = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--) strides[axis] = strides[axis + 1]! * shape[axis + 1]!;
  return strides;
}

function rowMajorBytes(
  content: Uint8Array,
  bytes: number,
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
): Uint8Array {
  const count = countOf(shape);
  if (count === 0) return new Uint8Array(0);
  const plain = rowMajor(shape);
  if (shape.every((size, axis) => size === 1 || strides[axis] === plain[axis])) {
    return content.subarray(offset * bytes, (offset + count) * bytes);
  }
  const gathered = new Uint8Array(count * bytes);
  const index = shape.map(() => 0);
  let from = offset;
  for (let k = 0; k < count; k++) {
    for (let byte = 0; byte < bytes; byte++) gathered[k * bytes + byte] = content[from * bytes + byte]!;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += strides[axis]!;
      if (++index[axis]! < shape[axis]!) break;
      from -= strides[axis]! * shape[axis]!;
      index[axis] = 0;
    }
  }
  return gathered;
}

function toFloats(content: Uint8Array, dtype: Dtype): Uint8Array {
  if (dtype === 'float32') return content;
  const { bytes, read } = ELEMENTS[dtype];
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const floats = Float32Array.from({ length: content.length / bytes }, (_, k) => read(view, k * bytes));
  return new Uint8Array(floats.buffer);
}

/** bfloat16 is the upper half of a 32-bit float. */
function brainFloat(view: DataView, at: number): number {
  scratch.setUint16(0, view.getUint16(at, true));
  return scratch.getFloat32(0);
}

const scratch = new DataView(new ArrayBuffer(4));

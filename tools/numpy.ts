import { UsageError } from '../src/base/index.js';
import { damaged } from '../src/features/onnx-file.js';
import { isKind, type Pickled, type PickledObject, type PickleFunction, type PickleWorld } from './pickle.js';
import { type Dtype, rowMajor, tensorOf } from './tensor.js';
import type { WeightTensor } from './weights.js';

/** A NumPy array found in a pickle. */
export type PickledArray = PickledObject & { readonly kind: 'array'; tensor(): WeightTensor };

type PickledDtype = PickledObject & { readonly kind: 'dtype'; name(): string };

/** NumPy's type letters and widths. */
const DTYPES: ReadonlyMap<string, Dtype> = new Map([
  ['f2', 'float16'],
  ['f4', 'float32'],
  ['f8', 'float64'],
  ['i1', 'int8'],
  ['i2', 'int16'],
  ['i4', 'int32'],
  ['i8', 'int64'],
  ['u1', 'uint8'],
  ['b1', 'bool'],
]);

/** `numpy.core` was renamed `numpy._core` in NumPy 2. */
const CORES = ['numpy.core', 'numpy._core'];

/** The functions that pickles of NumPy arrays call. */
export const numpyGlobals: PickleWorld['globals'] = new Map<string, PickleFunction | null>([
  ['numpy.ndarray', null],
  ['numpy.dtype', pickledDtype],
  ['_codecs.encode', latinBytes],
  ...CORES.flatMap((core): [string, PickleFunction][] => [
    [`${core}.multiarray._reconstruct`, emptyArray],
    [`${core}.numeric._frombuffer`, arrayFromBuffer],
    // Single numbers, such as the best score of a training run.
    [`${core}.multiarray.scalar`, () => null],
  ]),
]);

/** An array as .npy: magic, version, a header that is a Python dictionary in text, then the values. */
export function readNpy(file: Uint8Array): WeightTensor {
  const isLong = file[6] !== 1;
  const start = isLong ? 12 : 10;
  if (!isNpy(file) || file.length < start) throw damaged('it is no .npy array');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerBytes = isLong ? view.getUint32(8, true) : view.getUint16(8, true);
  const header = Buffer.from(file.subarray(start, start + Math.min(headerBytes, 4096))).toString('latin1');
  const descr = /'descr': *'([^']{1,8})'/.exec(header)?.[1];
  const order = /'fortran_order': *(True|False)/.exec(header)?.[1];
  const sizes = /'shape': *\(([\d, ]*)\)/.exec(header)?.[1];
  if (descr === undefined || order === undefined || sizes === undefined) throw damaged('its .npy header is unreadable');
  const shape = (sizes.match(/\d+/g) ?? []).map(Number);
  return arrayTensor(file.subarray(start + headerBytes), descr, shape, order === 'True');
}

/** Whether a file begins like an .npy array. */
export function isNpy(file: Uint8Array): boolean {
  return file[0] === 0x93 && Buffer.from(file.subarray(1, 6)).toString('latin1') === 'NUMPY';
}

function arrayTensor(content: Uint8Array, name: string, shape: readonly number[], isFortran: boolean): WeightTensor {
  const dtype = DTYPES.get(name.slice(0, 8).replace(/^[<|=]/, ''));
  if (dtype === undefined) {
    throw new UsageError(
      'bad-model',
      `Expected an array of plain numbers, little-endian; found NumPy type "${name.slice(0, 20)}". Save it as float32.`,
    );
  }
  const strides = isFortran ? rowMajor(shape.toReversed()).toReversed() : rowMajor(shape);
  return tensorOf(content, dtype, { shape, strides });
}

/** numpy.dtype(name, align, copy), then a state whose second item is the byte order. */
function pickledDtype([name]: readonly Pickled[]): PickledDtype {
  let order = '|';
  return {
    kind: 'dtype',
    name: () => `${order}${typeof name === 'string' ? name : '?'}`,
    setState([, given]) {
      order = typeof given === 'string' ? given : '?';
    },
  };
}

/** _reconstruct(type, shape, letter), then the state (version, shape, dtype, is Fortran order, values). */
function emptyArray(): PickledArray {
  let made: WeightTensor | undefined;
  return {
    kind: 'array',
    tensor() {
      if (!made) throw damaged('an array was never filled');
      return made;
    },
    setState([, shape, dtype, isFortran, content]) {
      made = arrayTensor(bytesOf(content), dtypeName(dtype), numbersOf(shape), isFortran === true || isFortran === 1);
    },
  };
}

/** _frombuffer(values, dtype, shape, order): whole arrays in protocol 5. */
function arrayFromBuffer([content, dtype, shape, order]: readonly Pickled[]): PickledArray {
  const made = arrayTensor(bytesOf(content), dtypeName(dtype), numbersOf(shape), order === 'F');
  return { kind: 'array', tensor: () => made };
}

/** Protocol 2 has no type for bytes: Python 3 writes them as text to be encoded again. */
function latinBytes([content, encoding]: readonly Pickled[]): Uint8Array {
  if (typeof content !== 'string' || encoding !== 'latin1') throw damaged('it encodes text in an unknown way');
  return Buffer.from(content, 'latin1');
}

function dtypeName(dtype: Pickled | undefined): string {
  if (!isKind<PickledDtype>(dtype, 'dtype')) throw damaged('an array has no type');
  return dtype.name();
}

function bytesOf(content: Pickled | undefined): Uint8Array {
  if (content instanceof Uint8Array) return content;
  if (typeof content === 'string') return Buffer.from(content, 'latin1');
  throw damaged('an array has no values');
}

/** A tuple of whole numbers, as shapes and strides are. */
export function numbersOf(tuple: Pickled | undefined): number[] {
  if (Array.isArray(tuple) && tuple.every((item): item is number => typeof item === 'number')) return tuple;
  throw damaged('a shape is no list of numbers');
}

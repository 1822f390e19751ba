import { constants, inflateSync } from 'node:zlib';

import type { Refuse } from '../../features/index.js';

/** An array of a MAT file. Values are in column order, as in MATLAB. */
export type MatArray =
  | { readonly kind: 'numbers'; readonly dims: readonly number[]; readonly values: Float64Array }
  | { readonly kind: 'text'; readonly dims: readonly number[]; readonly text: string }
  | { readonly kind: 'cells'; readonly dims: readonly number[]; readonly cells: readonly MatArray[] }
  /** A struct, an object, a sparse or a complex array: its shape is known, its values are not read. */
  | { readonly kind: 'other'; readonly dims: readonly number[] };

/** All compressed variables of a file may unfold to this much together; files of the known data sets have 0.3 MB at most. */
const MAX_INFLATED_BYTES = 1 << 26;
/** Deeper nesting of cells is malicious. */
const MAX_DEPTH = 8;

const HEADER_BYTES = 128;
/** Numbers of the element types (miINT8 …) and array classes (mxCELL_CLASS …) of the MAT-file format, level 5. */
const MI = { compressed: 15, matrix: 14, uint32: 6, int32: 5, int8: 1, utf8: 16 } as const;
const MX = { cell: 1, char: 4, firstNumber: 6, lastNumber: 15 } as const;

type Reader = { readonly size: number; read(view: DataView, at: number, little: boolean): number };
const NUMBERS: Readonly<Record<number, Reader>> = {
  1: { size: 1, read: (view, at) => view.getInt8(at) },
  2: { size: 1, read: (view, at) => view.getUint8(at) },
  3: { size: 2, read: (view, at, little) => view.getInt16(at, little) },
  4: { size: 2, read: (view, at, little) => view.getUint16(at, little) },
  5: { size: 4, read: (view, at, little) => view.getInt32(at, little) },
  6: { size: 4, read: (view, at, little) => view.getUint32(at, little) },
  7: { size: 4, read: (view, at, little) => view.getFloat32(at, little) },
  9: { size: 8, read: (view, at, little) => view.getFloat64(at, little) },
  12: { size: 8, read: (view, at, little) => Number(view.getBigInt64(at, little)) },
  13: { size: 8, read: (view, at, little) => Number(view.getBigUint64(at, little)) },
  17: { size: 2, read: (view, at, little) => view.getUint16(at, little) },
};

type Element = { readonly type: number; readonly body: DataView; readonly next: number };

/** The variables of a MAT file of level 5 (MATLAB 5 to 7.2, `save -v6` and `-v7`), by name, in the order of the file. */
export function decodeMat5(bytes: Uint8Array, refuse: Refuse): Map<string, MatArray> {
  const file = viewOf(bytes);
  const little = readByteOrder(bytes, file, refuse);
  const variables = new Map<string, MatArray>();
  let budget = MAX_INFLATED_BYTES;
  for (let at = HEADER_BYTES; at < file.byteLength;) {
    let element = readElement(file, at, little, refuse);
    at = element.next;
    if (element.type === MI.compressed) {
      const unfolded = inflate(element.body, budget, refuse);
      budget -= unfolded.byteLength;
      element = readElement(unfolded, 0, little, refuse);
    }
    // Other elements at the top level are of a later version of the format.
    if (element.type !== MI.matrix) continue;
    const { name, array } = readArray(element.body, little, refuse, 0);
    if (name !== '') variables.set(name, array);
  }
  return variables;
}

function readByteOrder(bytes: Uint8Array, file: DataView, refuse: Refuse): boolean {
  const expected = 'a MAT file of level 5';
  const text = Buffer.from(bytes.subarray(0, 19)).toString('latin1');
  if (text === 'MATLAB 7.3 MAT-file') throw refuse(expected, 'one of version 7.3');
  if (file.byteLength < HEADER_BYTES) throw refuse(expected, `only ${file.byteLength} bytes`);
  const mark = String.fromCharCode(bytes[126]!, bytes[127]!);
  if (mark !== 'IM' && mark !== 'MI') throw refuse(expected, 'no mark of the byte order at byte 126');
  const little = mark === 'IM';
  const version = file.getUint16(124, little);
  if (version !== 0x0100) throw refuse(expected, `version 0x${version.toString(16)}`);
  return little;
}

/** The element at `at`: a tag of eight bytes and its body, or both in eight bytes where the body has at most four. */
function readElement(view: DataView, at: number, little: boolean, refuse: Refuse): Element {
  if (at + 8 > view.byteLength) throw refuse('a whole element', `that the data end at byte ${view.byteLength}`);
  const word = view.getUint32(at, little);
  const small = word >>> 16;
  const [type, length, start] = small ? [word & 0xffff, small, at + 4] : [word, view.getUint32(at + 4, little), at + 8];
  if (small > 4 || start + length > view.byteLength) {
    throw refuse('a whole element', `one of ${length} bytes with ${view.byteLength - start} left`);
  }
  const end = start + length;
  // Compressed elements are the only ones that are not padded to eight bytes.
  const next = small
    ? at + 8
    : type === MI.compressed
      ? end
      : Math.min(view.byteLength, start + Math.ceil(length / 8) * 8);
  return { type, body: new DataView(view.buffer, view.byteOffset + start, length), next };
}

function inflate(body: DataView, maxBytes: number, refuse: Refuse): DataView {
  try {
    const packed = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    // A stream may lack its end (SumMe's "Bike Polo" has one); the lengths inside say whether all values are there.
    const options = { maxOutputLength: Math.max(1, maxBytes), finishFlush: constants.Z_SYNC_FLUSH };
    return viewOf(inflateSync(packed, options));
  } catch (error) {
    throw refuse('compressed data that unfold', `that they do not (${(error as NodeJS.ErrnoException).code})`);
  }
}

function readArray(view: DataView, little: boolean, refuse: Refuse, depth: number): { name: string; array: MatArray } {
  const nothing: MatArray = { kind: 'numbers', dims: [0, 0], values: new Float64Array(0) };
  if (view.byteLength === 0) return { name: '', array: nothing };
  let at = 0;
  const next = (type: number, what: string): DataView => {
    const element = readElement(view, at, little, refuse);
    if (element.type !== type) throw refuse(`the ${what} of an array`, `an element of type ${element.type}`);
    at = element.next;
    return element.body;
  };
  const flags = next(MI.uint32, 'flags');
  if (flags.byteLength !== 8) throw refuse('8 bytes of flags', `${flags.byteLength}`);
  const [kind, isComplex] = [flags.getUint32(0, little) & 0xff, (flags.getUint32(0, little) & 0x800) !== 0];
  const sizes = next(MI.int32, 'size');
  const dims = Array.from({ length: sizes.byteLength >> 2 }, (_, index) => sizes.getInt32(4 * index, little));
  const count = dims.reduce((product, dim) => product * dim, 1);
  if (dims.length < 2 || dims.length > 32 || dims.some((dim) => dim < 0) || !Number.isSafeInteger(count)) {
    throw refuse('the size of an array', `[${dims.slice(0, 8).join(' × ')}]`);
  }
  const name = textOf(next(MI.int8, 'name'));

  const isNumber = kind >= MX.firstNumber && kind <= MX.lastNumber && !isComplex;
  if (isNumber || kind === MX.char) {
    const element = readElement(view, at, little, refuse);
    if (!isNumber && element.type === MI.utf8)
      return { name, array: { kind: 'text', dims, text: textOf(element.body) } };
    const values = readNumbers(element, count, little, refuse);
    if (isNumber) return { name, array: { kind: 'numbers', dims, values } };
    return { name, array: { kind: 'text', dims, text: textOfCodes(values) } };
  }
  if (kind !== MX.cell) return { name, array: { kind: 'other', dims } };
  if (depth >= MAX_DEPTH) throw refuse(`cells nested at most ${MAX_DEPTH} deep`, 'deeper ones');
  // Every cell takes at least its tag, so an impossible count is found before memory is allocated.
  if (count > (view.byteLength - at) / 8) throw refuse(`${count} cells`, `${view.byteLength - at} bytes`);
  const cells = Array.from(
    { length: count },
    () => readArray(next(MI.matrix, 'cell'), little, refuse, depth + 1).array,
  );
  return { name, array: { kind: 'cells', dims, cells } };
}

function readNumbers({ type, body }: Element, count: number, little: boolean, refuse: Refuse): Float64Array {
  const reader = NUMBERS[type];
  if (!reader) throw refuse('numbers', `an element of type ${type}`);
  if (body.byteLength !== count * reader.size) {
    throw refuse(`${count} numbers of ${reader.size} bytes`, `${body.byteLength} bytes`);
  }
  const values = new Float64Array(count);
  for (let index = 0; index < count; index++) values[index] = reader.read(body, index * reader.size, little);
  return values;
}

/** In pieces: one string per character of a long text would take many times its memory. */
function textOfCodes(codes: Float64Array): string {
  let text = '';
  for (let at = 0; at < codes.length; at += 4096) text += String.fromCharCode(...codes.subarray(at, at + 4096));
  return text;
}

function textOf(view: DataView): string {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('utf8');
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

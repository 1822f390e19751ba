import type { Refuse } from './source.js';

/** Numbers of a file in rows: entry (i, j) is `values[i * cols + j]`. */
export type NumberTable = {
  readonly rows: number;
  readonly cols: number;
  readonly values: Float32Array | Float64Array;
};

/** Real headers have 118 bytes; version 1.0 of the format allows 65,535. */
const MAX_HEADER_BYTES = 1 << 16;

/** A two-dimensional array of floating-point numbers in NumPy's `.npy` format, versions 1.0 to 3.0. */
export function decodeNpy(bytes: Uint8Array, refuse: Refuse): NumberTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const expected = 'an .npy file';
  if (bytes.length < 12 || Buffer.from(bytes.subarray(0, 6)).toString('latin1') !== '\x93NUMPY') {
    throw refuse(expected, 'no NumPy mark in its first bytes');
  }
  const version = bytes[6]!;
  if (version < 1 || version > 3) throw refuse(`${expected} of version 1 to 3`, `version ${version}`);
  const start = version === 1 ? 10 : 12;
  const headerBytes = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (headerBytes > MAX_HEADER_BYTES || start + headerBytes > bytes.length) {
    throw refuse(expected, `a header of ${headerBytes} bytes in ${bytes.length} bytes`);
  }
  const header = Buffer.from(bytes.subarray(start, start + headerBytes)).toString('latin1');
  const { littleEndian, size, fortran, rows, cols } = readHeader(header, refuse);
  const body = start + headerBytes;
  if (bytes.length - body !== rows * cols * size) {
    throw refuse(`${rows} × ${cols} numbers of ${size} bytes`, `${bytes.length - body} bytes`);
  }

  const values = size === 8 ? new Float64Array(rows * cols) : new Float32Array(rows * cols);
  const [rowStep, colStep] = fortran ? [1, rows] : [cols, 1];
  for (let i = 0, to = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, to++) {
      const at = body + (i * rowStep + j * colStep) * size;
      values[to] =
        size === 8
          ? view.getFloat64(at, littleEndian)
          : size === 4
            ? view.getFloat32(at, littleEndian)
            : fromHalf(view.getUint16(at, littleEndian));
    }
  }
  return { rows, cols, values };
}

type Header = { littleEndian: boolean; size: 2 | 4 | 8; fortran: boolean; rows: number; cols: number };

function readHeader(header: string, refuse: Refuse): Header {
  const descr = /'descr'\s*:\s*'([^']{0,20})'/.exec(header)?.[1];
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(header)?.[1];
  const shape = /'shape'\s*:\s*\(([\d\sL,]{0,100})\)/.exec(header)?.[1];
  if (descr === undefined || fortran === undefined || shape === undefined) {
    throw refuse('a header with descr, fortran_order and shape', `"${header.slice(0, 60).trim()}"`);
  }
  const type = /^([<>=])f([248])$/.exec(descr);
  if (!type) throw refuse('floating-point numbers of 2, 4 or 8 bytes', `the type "${descr}"`);
  const dims = shape.split(',').filter((dim) => dim.trim() !== '');
  const [rows = 0, cols = 0] = dims.map((dim) => Number(dim.replace('L', '')));
  if (dims.length !== 2 || !(rows > 0 && cols > 0) || !Number.isSafeInteger(rows * cols * 8)) {
    throw refuse('an array of rows and columns', `the shape (${shape})`);
  }
  return {
    littleEndian: type[1] !== '>',
    size: Number(type[2]) as Header['size'],
    fortran: fortran === 'True',
    rows,
    cols,
  };
}

/** IEEE 754 binary16: one bit of sign, five of exponent (bias 15), ten of fraction. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

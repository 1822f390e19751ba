import { type FileHandle, open } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import { startWorker, StoreError, type ThroughlineError } from '../base/index.js';

/** Makes the error for a file that is not what was expected. */
export type Refuse = (expected: string, found: string) => ThroughlineError;

/** The numbers of a file in rows: entry (i, j) is `values[i * cols + j]`. */
export type NumberTable = {
  readonly rows: number;
  readonly cols: number;
  readonly values: Float32Array | Float64Array;
};

/** The same, read from the file some rows at a time. Must be closed. */
export type RowTable = {
  readonly rows: number;
  readonly cols: number;
  /** The values of rows `[from, to)`. */
  read(from: number, to: number): Promise<NumberTable['values']>;
  close(): Promise<void>;
};

/** What must be known about a video to pool vectors over its shots. */
export type CutVideo = {
  /** Its name in errors. */
  readonly id: string;
  readonly frameCount: number;
  readonly shots: readonly { readonly startFrame: number; readonly endFrame: number }[];
};

/** The number that 16 bits are in IEEE 754 binary16: one bit of sign, five of exponent (bias 15), ten of fraction. */
export function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The header of an `.npy` file of rows of little-endian floating-point numbers with so many bytes each. */
export function npyHeader({ rows, cols, bytes }: { rows: number; cols: number; bytes: 4 | 8 }): Uint8Array {
  const text = `{'descr': '<f${bytes}', 'fortran_order': False, 'shape': (${rows}, ${cols}), }`;
  // Numbers begin at a multiple of 64 bytes, after a line break.
  const padded = `${text.padEnd(Math.ceil((11 + text.length) / 64) * 64 - 11)}\n`;
  const length = [padded.length & 255, padded.length >> 8];
  return Buffer.concat([
    Buffer.from('\x93NUMPY\x01\x00', 'latin1'),
    Buffer.from(length),
    Buffer.from(padded, 'latin1'),
  ]);
}

/** Real headers have 118 bytes; version 1.0 of the format allows 65,535. */
const MAX_HEADER_BYTES = 1 << 16;
/** The most bytes of a file that is stored column by column: it cannot be read a few rows at a time. */
const MAX_FORTRAN_BYTES = 1 << 28;

/** A two-dimensional array of floating-point numbers in NumPy's `.npy` format, versions 1.0 to 3.0. */
export function decodeNpy(bytes: Uint8Array, refuse: Refuse): NumberTable {
  const header = readHeader(bytes, bytes.length, refuse);
  const { rows, cols } = header;
  return { rows, cols, values: decodeRows(bytes.subarray(header.body), header, rows) };
}

/** The same from a file, read a few rows at a time. */
export async function openNpy(path: string, refuse: Refuse): Promise<RowTable> {
  const unreadable = (error: unknown): never => {
    throw refuse('a file that can be read', `an error (${(error as NodeJS.ErrnoException).code})`);
  };
  const file = await open(path).catch(unreadable);
  const take = async (at: number, length: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await readFully(file, bytes, at).catch(unreadable);
    if (bytesRead < length)
      throw refuse(`${length} bytes at ${at}`, `${bytesRead}: the file was shortened while it was read`);
    return bytes;
  };
  try {
    const { size } = await file.stat();
    const header = readHeader(await take(0, Math.min(size, MAX_HEADER_BYTES + 12)), size, refuse);
    const { rows, cols, body } = header;
    let whole: NumberTable['values'] | null = null;
    if (header.fortran) {
      if (size > MAX_FORTRAN_BYTES) {
        throw refuse(
          'numbers stored row by row',
          `${size} bytes stored column by column: save it with np.ascontiguousarray`,
        );
      }
      whole = decodeRows(await take(body, size - body), header, rows);
    }
    const rowBytes = cols * header.size;
    return {
      rows,
      cols,
      read: async (from, to) =>
        whole?.subarray(from * cols, to * cols) ??
        decodeRows(await take(body + from * rowBytes, (to - from) * rowBytes), header, to - from),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads until `bytes` is full: one read may give fewer bytes than there are. */
async function readFully(file: FileHandle, bytes: Buffer, at: number): Promise<{ bytesRead: number }> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return { bytesRead: filled };
}

type Header = {
  readonly littleEndian: boolean;
  readonly size: 2 | 4 | 8;
  readonly fortran: boolean;
  readonly rows: number;
  readonly cols: number;
  /** Where the numbers begin. */
  readonly body: number;
};

/** The header in the first bytes of a file of `fileBytes`, which must be as long as the header says. */
function readHeader(bytes: Uint8Array, fileBytes: number, refuse: Refuse): Header {
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
    throw refuse(expected, `a header of ${headerBytes} bytes in ${fileBytes} bytes`);
  }
  const header = parseHeader(Buffer.from(bytes.subarray(start, start + headerBytes)).toString('latin1'), refuse);
  const { rows, cols, size } = header;
  const body = start + headerBytes;
  if (fileBytes - body !== rows * cols * size) {
    throw refuse(`${rows} × ${cols} numbers of ${size} bytes`, `${fileBytes - body} bytes`);
  }
  return { ...header, body };
}

function parseHeader(header: string, refuse: Refuse): Omit<Header, 'body'> {
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

/** The numbers of `rows` rows; column by column only if `bytes` is the whole array. */
function decodeRows(bytes: Uint8Array, header: Header, rows: number): NumberTable['values'] {
  const { cols, size, littleEndian, fortran } = header;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = size === 8 ? new Float64Array(rows * cols) : new Float32Array(rows * cols);
  const [rowStep, colStep] = fortran ? [1, header.rows] : [cols, 1];
  for (let i = 0, to = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, to++) {
      const at = (i * rowStep + j * colStep) * size;
      values[to] =
        size === 8
          ? view.getFloat64(at, littleEndian)
          : size === 4
            ? view.getFloat32(at, littleEndian)
            : halfFloat(view.getUint16(at, littleEndian));
    }
  }
  return values;
}

/** A dataset of an HDF5 file: its numbers row by row, its text, or the datasets it refers to. */
export type Hdf5Array = {
  readonly shape: readonly number[];
  readonly values: Float32Array | Float64Array | string | readonly Hdf5Array[];
};

/** An HDF5 file, read in a thread of its own. Must be closed. */
export type Hdf5File = {
  /** Paths of the datasets without a leading `/`, in code-unit order. */
  list(): Promise<string[]>;
  read(name: string): Promise<Hdf5Array>;
  /** A dataset of numbers, read some rows at a time. Closing it closes the file. */
  table(name: string): Promise<RowTable>;
  close(): Promise<void>;
};

/** A request to the thread. */
export type ToReader = {
  readonly path: string;
  /** `null` asks for the names of all datasets. */
  readonly name: string | null;
  /** Only the shape, or only these rows. */
  readonly part?: 'shape' | readonly [number, number];
};
/** Its answer. */
export type FromReader =
  | { readonly names: string[] }
  | { readonly shape: readonly number[] }
  | { readonly array: Hdf5Array }
  | { readonly expected: string; readonly found: string };

/** A file of 1 GB is read in a few seconds; if an answer takes longer than this, the library is stuck in a damaged file. */
const PATIENCE_MS = 120_000;
/** The signature is at byte 0, or at 512, 1024, … after a block of the user (such as the header of MATLAB). */
const SIGNATURE = Buffer.from('\x89HDF\r\n\x1a\n', 'latin1');

/**
 * Opens an HDF5 file. The library runs in a thread per file, because a damaged file can break it or send it into an endless
 * loop; the thread is ended if it does not answer within `patienceMs`.
 */
export async function openHdf5(path: string, refuse: Refuse, patienceMs: number = PATIENCE_MS): Promise<Hdf5File> {
  if (!(await hasSignature(path))) throw refuse('an HDF5 file', 'no HDF5 signature');
  const worker = startWorker(import.meta.url, './hdf5-worker', { stdout: true, stderr: true });
  const close = async (): Promise<void> => void (await worker.terminate());
  const ask = async (name: string | null, part?: ToReader['part']): Promise<FromReader> => {
    const request = { path, name, ...(part === undefined ? {} : { part }) };
    const answer = await waitFor(worker, request, patienceMs, refuse).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    if ('expected' in answer) throw refuse(answer.expected, answer.found);
    return answer;
  };
  return {
    close,
    list: async () => ((await ask(null)) as { names: string[] }).names,
    read: async (name) => ((await ask(name)) as { array: Hdf5Array }).array,
    table: async (name) => {
      const { shape } = (await ask(name, 'shape')) as { shape: number[] };
      const [rows = 0, cols = 0] = shape;
      if (shape.length !== 2 || rows === 0 || cols === 0) {
        throw refuse(`rows and columns of numbers in "${name}"`, `an array of ${shape.join(' × ') || 'no dimension'}`);
      }
      const read: RowTable['read'] = async (from, to) =>
        ((await ask(name, [from, to])) as { array: Hdf5Array }).array.values as Float32Array;
      return { rows, cols, read, close };
    },
  };
}

function waitFor(worker: Worker, request: ToReader, patienceMs: number, refuse: Refuse): Promise<FromReader> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      worker.off('message', done).off('error', fail).off('exit', exit);
      finish();
    };
    const done = (answer: FromReader): void => settle(() => resolve(answer));
    const fail = (error: Error): void =>
      settle(() => reject(refuse('HDF5 data that can be read', `data on which the library fails (${error.message})`)));
    const exit = (): void => settle(() => reject(new StoreError('reader-closed', 'The HDF5 file was closed already.')));
    const timer = setTimeout(
      () => settle(() => reject(refuse('HDF5 data that can be read', `no answer within ${patienceMs} ms`))),
      patienceMs,
    );
    worker.on('message', done).on('error', fail).on('exit', exit);
    worker.postMessage(request);
  });
}

async function hasSignature(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (!file) return false;
  try {
    for (const position of [0, 512, 1024, 2048, 4096]) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, position);
      if (bytesRead === 8 && buffer.equals(SIGNATURE)) return true;
    }
    return false;
  } finally {
    await file.close();
  }
}

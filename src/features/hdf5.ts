import { open } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';

import { startWorker, StoreError } from '../base/index.js';
import type { Refuse, RowTable } from './npy.js';

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

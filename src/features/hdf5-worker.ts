import h5wasm, { Dataset, Group, Reference, type File } from 'h5wasm/node';
import { parentPort } from 'node:worker_threads';

import type { FromReader, Hdf5Array, ToReader } from './npy.js';

/** Labels and features are smaller than this. */
const MAX_BYTES = 1 << 30;
/** Limits for nested groups (`topic/video/features`) and for names in all: a group may contain itself. */
const MAX_DEPTH = 4;
const MAX_NAMES = 100_000;
/** Datatype classes of HDF5. */
const CLASS = { integer: 0, float: 1, string: 3, reference: 7 } as const;

class Refused extends Error {
  constructor(
    readonly expected: string,
    readonly found: string,
  ) {
    super(found);
  }
}

let opened: File | null = null;

/** The thread of `openHdf5`: answers one request at a time, all about one file. */
parentPort!.on('message', async ({ path, name, part }: ToReader) => {
  let answer: FromReader;
  try {
    // Without this the library prints what it finds in damaged files to the terminal.
    (await h5wasm.ready).activate_throwing_error_handler();
    opened ??= new h5wasm.File(path, 'r');
    if (name === null) answer = { names: listDatasets(opened) };
    else if (part === 'shape') answer = { shape: shapeOfNumbers(opened.get(name), name) };
    else
      answer = { array: part ? readRows(opened.get(name), name, part) : readDataset(opened, opened.get(name), name) };
  } catch (error) {
    answer =
      error instanceof Refused
        ? { expected: error.expected, found: error.found }
        : { expected: 'HDF5 data that can be read', found: `data on which the library fails (${reasonOf(error)})` };
  }
  parentPort!.postMessage(answer, 'array' in answer ? buffersOf(answer.array) : []);
});

/** The reason in the library's report, whose lines begin with places in its own source. */
function reasonOf(error: unknown): string {
  const report = error instanceof Error ? error.message : String(error);
  return (/#000: .*?\(\): (.*)/.exec(report)?.[1] ?? report.slice(0, 100)).trim();
}

function listDatasets(file: File): string[] {
  const names: string[] = [];
  const visit = (group: Group, prefix: string, depth: number): void => {
    for (const key of group.keys()) {
      if (names.length >= MAX_NAMES) throw new Refused(`at most ${MAX_NAMES} datasets`, 'more');
      // Links to other files are neither: they are not followed.
      const entity = group.get(key);
      if (entity instanceof Dataset) names.push(prefix + key);
      else if (entity instanceof Group && depth < MAX_DEPTH) visit(entity, `${prefix}${key}/`, depth + 1);
    }
  };
  visit(file, '', 1);
  return names.sort();
}

function readDataset(file: File, entity: unknown, name: string, isCell = false): Hdf5Array {
  if (!(entity instanceof Dataset)) throw new Refused(`a dataset "${name}"`, 'none');
  const { metadata } = entity;
  const shape = metadata.shape ?? [];
  const count = shape.reduce((product, length) => product * length, 1);
  if (!(count * metadata.size <= MAX_BYTES)) {
    throw new Refused(`at most ${MAX_BYTES} bytes in "${name}"`, `${shape.join(' × ')} entries of ${metadata.size}`);
  }
  refuseHalves(entity, name);
  const { value } = entity;
  if (metadata.type === CLASS.string) return { shape, values: flatten(value).join('\n') };
  if (metadata.type === CLASS.reference && !isCell) {
    const cells = flatten(value);
    return {
      shape,
      values: cells.map((cell, place) => {
        if (!(cell instanceof Reference)) throw new Refused(`a reference in "${name}"`, 'something else');
        return readDataset(file, file.dereference(cell), `${name}[${place}]`, true);
      }),
    };
  }
  if (metadata.type !== CLASS.integer && metadata.type !== CLASS.float) {
    throw new Refused(`numbers or text in "${name}"`, `data of class ${metadata.type}`);
  }
  const values = toNumbers(value);
  if (values.length !== count) throw new Refused(`${count} numbers in "${name}"`, `${values.length}`);
  return { shape, values };
}

function refuseHalves({ metadata }: Dataset, name: string): void {
  if (metadata.type !== CLASS.float || metadata.size === 4 || metadata.size === 8) return;
  const advice = 'the library for HDF5 cannot read these: save them as float32';
  throw new Refused(`float32 or float64 in "${name}"`, `float${8 * metadata.size} (${advice})`);
}

/** The shape of a dataset that holds floating-point numbers. */
function shapeOfNumbers(entity: unknown, name: string): number[] {
  if (!(entity instanceof Dataset)) throw new Refused(`a dataset "${name}"`, 'none');
  const { metadata } = entity;
  if (metadata.type !== CLASS.float) {
    throw new Refused(`floating-point numbers in "${name}"`, `data of class ${metadata.type}`);
  }
  refuseHalves(entity, name);
  return metadata.shape ?? [];
}

function readRows(entity: unknown, name: string, [from, to]: readonly [number, number]): Hdf5Array {
  const [, cols = 0] = shapeOfNumbers(entity, name);
  const values = toNumbers((entity as Dataset).slice([[from, to], []]));
  const shape = [to - from, cols];
  if (values.length !== shape[0]! * cols)
    throw new Refused(`${shape.join(' × ')} numbers in "${name}"`, `${values.length}`);
  return { shape, values };
}

function flatten(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flatMap(flatten) : [value];
}

function toNumbers(value: unknown): Float32Array | Float64Array {
  if (value instanceof Float32Array || value instanceof Float64Array) return value.slice();
  if (typeof value === 'number' || typeof value === 'bigint') return Float64Array.of(Number(value));
  return Float64Array.from(value as ArrayLike<number | bigint>, Number);
}

function buffersOf({ values }: Hdf5Array): ArrayBuffer[] {
  if (typeof values === 'string') return [];
  return ArrayBuffer.isView(values) ? [values.buffer as ArrayBuffer] : values.flatMap(buffersOf);
}

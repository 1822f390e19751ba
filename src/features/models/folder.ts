import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { messageOf, UsageError } from '../../base/index.js';
import { readRecord, recordPath, type NetworkRecord } from './record.js';

/** A network of the models folder. */
type StoredNetwork = {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** `null` if it cannot be read; `problem` says why. */
  readonly record: NetworkRecord | null;
  readonly problem: string | null;
};

/** Writes a file that appears complete or not at all, such as `writeParts` of the store. */
export type WriteParts = (path: string, parts: Iterable<string | Uint8Array>) => Promise<void>;

/** The folder of networks: $THROUGHLINE_MODELS, else in the user's data folder. */
export function modelsFolder(): string {
  const asked = process.env['THROUGHLINE_MODELS'];
  if (asked) return resolve(asked);
  if (process.platform === 'win32') return join(process.env['LOCALAPPDATA'] ?? homedir(), 'throughline', 'models');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'throughline', 'models');
  return join(process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'throughline', 'models');
}

/** The path of a stored network; `null` unless graph and record are both there (the record is written last). */
export async function findStored(name: string): Promise<string | null> {
  const path = storedPath(name);
  const facts = await Promise.all([path, recordPath(path)].map((each) => stat(each).catch(() => null)));
  return facts.every((each) => each?.isFile()) ? path : null;
}

/** Every network of the models folder, by name; one without a record has a `problem`. */
export async function listStored(): Promise<StoredNetwork[]> {
  const folder = modelsFolder();
  const files = await readdir(folder).catch(() => []);
  const names = files.filter((file) => file.endsWith('.onnx')).map((file) => basename(file, '.onnx'));
  return Promise.all(
    names.toSorted().map(async (name): Promise<StoredNetwork> => {
      const path = join(folder, `${name}.onnx`);
      const { size: bytes } = await stat(path);
      return readRecord(path).then(
        (record) => ({ name, path, bytes, record, problem: record ? null : unrecorded(path) }),
        (error: unknown) => ({ name, path, bytes, record: null, problem: messageOf(error) }),
      );
    }),
  );
}

function unrecorded(path: string): string {
  return `Expected a record next to it, found none, so it cannot be used by name. Make one with "throughline models import ${path} --network onnx" (or c3d, vgg16), or use it with --model ${path}.`;
}

/**
 * Puts a graph and its record into the models folder. Throws if the name is taken, even by another graph without a record; the
 * same graph without a record gets this one.
 */
export async function storeNetwork(
  name: string,
  { onnx, record }: { onnx: Uint8Array; record: NetworkRecord },
  write: WriteParts,
): Promise<string> {
  const path = storedPath(name);
  const there = await readFile(path).catch(() => null);
  if (there && ((await findStored(name)) !== null || !there.equals(onnx))) {
    throw new UsageError(
      'name-taken',
      `Expected a name that is not taken, found a network called "${name}" in the models folder. Choose another --name, or remove it first with "throughline models remove ${name}".`,
    );
  }
  await mkdir(modelsFolder(), { recursive: true });
  await write(path, [onnx]);
  await write(recordPath(path), [`${JSON.stringify(record, null, 2)}\n`]);
  return path;
}

/** Removes a network from the models folder, whether it has a record or not. */
export async function removeStored(name: string): Promise<void> {
  const path = storedPath(name);
  if (!(await stat(path).catch(() => null))?.isFile()) {
    throw new UsageError(
      'no-model',
      `Expected a network called "${name}" in the models folder, found none. "throughline models list" shows those that are there.`,
    );
  }
  // The record goes first: a network without one does not count as stored.
  await rm(recordPath(path), { force: true });
  await rm(path);
}

/** Names become file names: letters, digits, dots, dashes and underscores, so that no name leads out of the folder. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

function storedPath(name: string): string {
  if (NAME.test(name)) return join(modelsFolder(), `${name}.onnx`);
  throw new UsageError(
    'bad-name',
    `Expected a name of letters, digits, dots, dashes and underscores, found "${name.slice(0, 80)}". Choose another.`,
  );
}

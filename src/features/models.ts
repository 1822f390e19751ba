import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { messageOf, UsageError } from '../base/index.js';
import { EMBEDDED_MODEL, embeddedNetwork, readEmbeddedNetwork } from './embedded.js';
import {
  type Asked,
  type FileFeatures,
  inOrder,
  likelyFeatures,
  networkOf,
  PRESUMED,
  readModelFile,
} from './network-of.js';
import {
  type Network,
  openNetwork,
  openNetworkProcess,
  LONGEST_NOTE,
  type NetworkRecord,
  readRecord,
  recordPath,
} from './network.js';
import { describeOnnx } from './onnx-file.js';
import { type Device, DEVICES, type OnnxDescription } from './types.js';

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
async function listStored(): Promise<StoredNetwork[]> {
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

/** The file of a model: with a folder or the ending .onnx it is a path, otherwise the name of a stored network. */
export async function locateModel(model: string): Promise<string> {
  if (/[/\\]|\.onnx$/i.test(model)) return model;
  const stored = await findStored(model);
  if (stored !== null) return stored;
  throw new UsageError(
    'no-model',
    `Expected a network called "${model}" in the models folder (${modelsFolder()}), found none. "throughline models list" shows those that are there; the name of a file needs its ending .onnx.`,
  );
}

/** A network: included in Throughline, or in the models folder. */
export type ListedModel = {
  readonly name: string;
  readonly state: 'embedded' | 'stored';
  readonly dim: number | null;
  /** Of the file. */
  readonly bytes: number;
  readonly sha256: string | null;
  readonly licence: string;
  /** Why a stored network cannot be used. */
  readonly problem: string | null;
};

/** Every network by name: the embedded one, then the stored ones. */
export async function listModels(): Promise<ListedModel[]> {
  const { name, file, sha256, dim, licence } = EMBEDDED_MODEL;
  const embedded: ListedModel = {
    ...{ name, state: 'embedded', dim, sha256, licence, problem: null },
    bytes: (await stat(file)).size,
  };
  const stored = (await listStored()).map(({ name, bytes, record, problem }): ListedModel => ({
    ...{ name, state: 'stored', bytes, problem },
    dim: record?.dim ?? null,
    sha256: record?.sha256 ?? null,
    licence: record?.licence ?? 'not recorded',
  }));
  return [embedded, ...stored];
}

/** What is known about a model after reading it and running a black sample through it. */
export type ModelCheck = Pick<Network, 'name' | 'sha256' | 'input' | 'output' | 'dim'> &
  Pick<OnnxDescription, 'inputs' | 'outputs' | 'opset' | 'nodeCount'> & {
    readonly path: string | null;
    readonly bytes: number;
    readonly record: NetworkRecord | null;
    /** The features it was taken for because it has no record; `null` if it has one. */
    readonly presumed: FileFeatures | null;
    /** What its source says about using it. */
    readonly licence: string;
    /** Milliseconds until the first vector, including start and loading, and for the next one. */
    readonly firstMs: number;
    readonly nextMs: number;
  };

/**
 * Checks a model: the embedded one, one of the models folder by its name, or a file. A file without a record gets the input
 * of `features`, or of those that its own input suggests. Throws if its vector is not finite.
 */
export async function checkModel(
  model: string,
  { features, ...asked }: Asked & { readonly features?: FileFeatures | undefined },
  device: Device = 'cpu',
): Promise<ModelCheck> {
  const isEmbedded = model === EMBEDDED_MODEL.name;
  const file = isEmbedded ? null : await readModelFile(await locateModel(model));
  const embedded = file ? null : await readEmbeddedNetwork();
  const presumed = file && !file.record ? (features ?? likelyFeatures(file)) : null;
  const kind = PRESUMED[presumed ?? features ?? 'onnx'];
  const network = embedded ?? (await networkOf(model, file!, kind, asked, device));
  const { onnx } = (file ?? embedded)!;
  const { inputs, outputs, opset, nodeCount } = describeOnnx(onnx);
  const { name, sha256, input, output, dim } = network;
  const extractor = openNetwork(network, { workers: 1, every: 1, device });
  try {
    const black = new Uint8Array(3 * input.width * input.height * (input.frames ?? 1));
    const times = [performance.now()];
    for (let run = 0; run < 2; run++) {
      await extractor.embed(black);
      times.push(performance.now());
    }
    const [began = 0, first = 0, next = 0] = times;
    return {
      ...{ name, sha256, input, output, dim, inputs, outputs, opset, nodeCount },
      path: file?.path ?? null,
      bytes: onnx.length,
      record: file?.record ?? null,
      presumed,
      licence: embedded ? EMBEDDED_MODEL.licence : (file?.record?.licence ?? 'not recorded'),
      firstMs: first - began,
      nextMs: next - first,
    };
  } finally {
    await extractor.close();
  }
}

/** How an ONNX file is imported; `mean` and `std` as people write them, red first on the scale 0 to 1. */
export type ImportChoice = Asked & {
  readonly network: 'c3d' | 'vgg16' | 'onnx';
  readonly channelOrder?: 'rgb' | 'bgr';
  /** Default: the name of the network; of the file for `onnx`. */
  readonly name?: string | undefined;
  /** What its source says about using it. */
  readonly licence?: string | undefined;
};

/** A graph and its record, before they are stored. */
export type ImportedGraph = { readonly onnx: Uint8Array; readonly record: NetworkRecord };
/** A network that was stored. */
export type StoredImport = { readonly name: string; readonly path: string; readonly dim: number };

/** What is recorded about using a network whose file says nothing (docs/features.md). */
const LICENCES = {
  c3d: 'the file states none; C3D’s authors publish their software under CC BY-NC 3.0, not for commercial use; ask where this file came from',
  vgg16:
    'the file states none; VGG-16’s authors state their terms at www.robots.ox.ac.uk/~vgg/research/very_deep; ask where this file came from',
  onnx: 'not stated when it was imported; ask where this file came from',
} as const;

/** Puts an ONNX file into the models folder. */
export async function importNetwork(path: string, choice: ImportChoice, write: WriteParts): Promise<StoredImport> {
  return keepImported(path, await takeOnnx(path, choice), choice, write);
}

/** Puts a graph that came from a file into the models folder, with a note of its licence and origin. */
export async function keepImported(
  path: string,
  { onnx, record }: ImportedGraph,
  { network, name, licence }: Pick<ImportChoice, 'network' | 'name' | 'licence'>,
  write: WriteParts,
): Promise<StoredImport> {
  if (licence !== undefined && licence.length > LONGEST_NOTE) {
    throw new UsageError('bad-option', `Expected --licence of at most ${LONGEST_NOTE} characters, found ${licence.length}.`); // prettier-ignore
  }
  const stored = name ?? (network === 'onnx' ? basename(path).replace(/\.onnx$/i, '') : network);
  const complete: NetworkRecord = {
    ...record,
    sha256: createHash('sha256').update(onnx).digest('hex'),
    licence: licence ?? record.licence ?? LICENCES[network],
    origin: record.origin ?? basename(path),
  };
  return { name: stored, path: await storeNetwork(stored, { onnx, record: complete }, write), dim: record.dim };
}

/** Reads an ONNX file as if it were named with --model; a record next to it is kept. */
export async function takeOnnx(path: string, choice: ImportChoice): Promise<ImportedGraph> {
  if (!/\.onnx$/i.test(path)) {
    throw new UsageError(
      'bad-option',
      `Expected a file with the ending .onnx, found "${path}". Published weights of C3D and VGG-16 are converted by a tool of the source repository (tools/README.md).`,
    );
  }
  const { network, channelOrder } = choice;
  const file = await readModelFile(path);
  const presumed = PRESUMED[network === 'vgg16' ? 'vgg' : network];
  const { input, output, dim } = await networkOf(network, file, presumed, choice, 'cpu');
  const isOutput = describeOnnx(file.onnx).outputs.some(({ name }) => name === output);
  const others = file.record?.layers.filter(({ name }) => name !== output) ?? [];
  const record: NetworkRecord = {
    ...{ schema: 'network.1', network, form: 'onnx', hasPixelMean: false },
    ...file.record,
    input: inOrder(input, channelOrder ?? input.channelOrder),
    layers: [{ name: output, dim, isOutput }, ...others],
    dim,
  };
  return { onnx: file.onnx, record };
}

/** The devices that work on this machine; each is tried with the embedded network in a process of its own. */
export async function usableDevices(): Promise<Device[]> {
  const network = await embeddedNetwork();
  const black = new Uint8Array(3 * network.input.width * network.input.height);
  const tried = await Promise.all(
    DEVICES.map(async (device) => {
      const trial = openNetworkProcess({ ...network, device });
      const isUsable = await trial.embed(black).then(
        () => true,
        () => false,
      );
      await trial.close();
      return isUsable;
    }),
  );
  return DEVICES.filter((_, k) => tried[k]);
}

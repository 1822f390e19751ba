import { UsageError } from '../src/base/index.js';
import { damaged } from '../src/features/onnx-file.js';
import { numbersOf, numpyGlobals, type PickledArray } from './numpy.js';
import {
  isKind,
  type Pickled,
  type PickledGlobal,
  type PickledObject,
  type PickleFunction,
  type PickleWorld,
  unpickle,
} from './pickle.js';
import { type Dtype, elementBytes, tensorOf } from './tensor.js';
import type { Weights, WeightTensor } from './weights.js';
import { isZip, readZip } from './zip.js';

/** First number of a file in the format of torch.save before version 1.6, and the version of that format. */
const LEGACY_MAGIC = 0x1950a86a20f9469cfc6cn;
const LEGACY_VERSION = 1001;

/** Element types by the names of torch's storage classes. */
const STORAGES: ReadonlyMap<string, Dtype> = new Map([
  ['FloatStorage', 'float32'],
  ['DoubleStorage', 'float64'],
  ['HalfStorage', 'float16'],
  ['BFloat16Storage', 'bfloat16'],
  ['LongStorage', 'int64'],
  ['IntStorage', 'int32'],
  ['ShortStorage', 'int16'],
  ['CharStorage', 'int8'],
  ['ByteStorage', 'uint8'],
  ['BoolStorage', 'bool'],
]);

/** Names of the state dict inside a checkpoint, most common first. */
const STATE_DICT_KEYS = ['state_dict', 'model_state_dict', 'model', 'net', 'weights'];

/** Values that are kept outside the pickle; a view begins inside them. */
type PickledStorage = PickledObject & {
  readonly kind: 'storage';
  readonly key: string;
  readonly dtype: Dtype;
  readonly count: number;
  readonly viewStart: number;
};

type PickledTensor = PickledObject & {
  readonly kind: 'tensor';
  readonly storage: PickledStorage;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
};

/** The values of each storage by key. */
type Storages = ReadonlyMap<string, Uint8Array>;

/**
 * Reads weights saved by PyTorch: both formats of torch.save, and plain pickles of NumPy arrays. Nothing in the file is run:
 * functions that a pickle calls are looked up in a closed list (docs/features.md).
 */
export function readTorch(file: Uint8Array): Weights {
  if (isZip(file)) return readArchive(file);
  if (file[0] !== 0x80) throw noTorchFile('it begins neither as an archive nor as a pickle of protocol 2 or later');
  const known = new Map<string, PickledStorage>();
  const world = torchWorld(known);
  const first = unpickle(file, 0, world);
  if (first.value !== LEGACY_MAGIC) return stateDict(first.value, new Map());
  const version = unpickle(file, first.end, world);
  if (version.value !== LEGACY_VERSION) throw damaged('its version number is unknown');
  const system = unpickle(file, version.end, world);
  if (system.value instanceof Map && system.value.get('little_endian') === false) throw bigEndian();
  const root = unpickle(file, system.end, world);
  const keys = unpickle(file, root.end, world);
  return stateDict(root.value, readStorages(file, keys.end, keys.value, known));
}

/** The format since torch 1.6: an archive with the pickle as `data.pkl` and each storage as `data/<key>`. */
function readArchive(file: Uint8Array): Weights {
  const entries = readZip(file);
  const name = [...entries.keys()].find((each) => each === 'data.pkl' || each.endsWith('/data.pkl'));
  if (name === undefined) throw noTorchFile('the archive has no data.pkl');
  const folder = name.slice(0, -'data.pkl'.length);
  if (entries.has(`${folder}constants.pkl`)) throw noTorchFile('the archive is a TorchScript program');
  const order = entries.get(`${folder}byteorder`);
  if (order && Buffer.from(order.subarray(0, 8)).toString('latin1').trim() === 'big') throw bigEndian();
  const known = new Map<string, PickledStorage>();
  const { value } = unpickle(entries.get(name)!, 0, torchWorld(known));
  const storages = new Map<string, Uint8Array>();
  for (const key of known.keys()) {
    const content = entries.get(`${folder}data/${key}`);
    if (content) storages.set(key, content);
  }
  return stateDict(value, storages);
}

/** After the pickles of the old format: for each key a 64-bit count, then that many values. */
function readStorages(
  file: Uint8Array,
  start: number,
  keys: Pickled,
  known: ReadonlyMap<string, PickledStorage>,
): Storages {
  if (!Array.isArray(keys)) throw damaged('it has no list of storages');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const storages = new Map<string, Uint8Array>();
  let at = start;
  for (const key of keys) {
    const storage = known.get(typeof key === 'string' ? key : '');
    if (!storage) throw damaged('it lists a storage no tensor uses');
    const bytes = storage.count * elementBytes(storage.dtype);
    if (bytes > file.length - at - 8) throw damaged('it ends before its values do');
    if (Number(view.getBigInt64(at, true)) !== storage.count) throw damaged('a storage is not as long as announced');
    storages.set(storage.key, file.subarray(at + 8, at + 8 + bytes));
    at += 8 + bytes;
  }
  return storages;
}

/** The functions that pickles of tensors call. */
const TORCH_GLOBALS: PickleWorld['globals'] = new Map<string, PickleFunction | null>([
  ...[...STORAGES.keys()].flatMap((name): [string, null][] => [
    [`torch.${name}`, null],
    [`torch.cuda.${name}`, null],
  ]),
  ['collections.OrderedDict', orderedDict],
  ['torch._utils._rebuild_tensor', pickledTensor],
  ['torch._utils._rebuild_tensor_v2', pickledTensor],
  ['torch._utils._rebuild_parameter', ([tensor = null]) => tensor],
  ...numpyGlobals,
]);

/** The world of torch's pickles; storages that they refer to are added to `known`. */
function torchWorld(known: Map<string, PickledStorage>): PickleWorld {
  return {
    globals: TORCH_GLOBALS,
    persistent(id) {
      const storage = pickledStorage(id);
      const earlier = known.get(storage.key) ?? storage;
      if (earlier.dtype !== storage.dtype || earlier.count !== storage.count) {
        throw damaged('a storage is described in two ways');
      }
      known.set(storage.key, earlier);
      return storage;
    },
  };
}

/** OrderedDict() or, from Python 2, OrderedDict([[key, value], …]). */
function orderedDict([items = []]: readonly Pickled[]): Map<Pickled, Pickled> {
  if (!Array.isArray(items)) throw damaged('a dictionary is made of what is no list');
  const dict = new Map<Pickled, Pickled>();
  for (const item of items) {
    if (!Array.isArray(item) || item.length !== 2) throw damaged('a dictionary is made of what are no pairs');
    dict.set(item[0]!, item[1]!);
  }
  return dict;
}

/** ('storage', class, key, device, count) and, in the old form, null or (view key, start, count). */
function pickledStorage(id: Pickled): PickledStorage {
  const [word, type, key, , count, view] = Array.isArray(id) ? id : [];
  const className = isKind<PickledGlobal>(type, 'global') ? type.name.split('.').at(-1)! : '';
  const dtype = STORAGES.get(className);
  const viewStart = Array.isArray(view) ? view[1] : 0;
  if (
    word !== 'storage' ||
    dtype === undefined ||
    typeof key !== 'string' ||
    typeof count !== 'number' ||
    !(Number.isSafeInteger(count) && count >= 0) ||
    typeof viewStart !== 'number'
  ) {
    throw damaged('it points at a storage in an unknown way');
  }
  return { kind: 'storage', key, dtype, count, viewStart };
}

/** _rebuild_tensor(storage, offset, shape, strides); version 2 adds remarks about training. */
function pickledTensor([storage, offset, shape, strides]: readonly Pickled[]): PickledTensor {
  if (!isKind<PickledStorage>(storage, 'storage') || typeof offset !== 'number')
    throw damaged('a tensor has no storage');
  return {
    kind: 'tensor',
    storage,
    offset: storage.viewStart + offset,
    shape: numbersOf(shape),
    strides: numbersOf(strides),
  };
}

/** The dictionary of tensors in an unpickled value: the value itself, or inside a checkpoint under a common name. */
function stateDict(root: Pickled, storages: Storages): Weights {
  const candidates = root instanceof Map ? [root, ...STATE_DICT_KEYS.map((key) => root.get(key))] : [];
  for (const dict of candidates) {
    if (!(dict instanceof Map)) continue;
    const tensors = new Map<string, WeightTensor>();
    for (const [name, value] of dict) {
      const tensor = weightTensor(value, storages);
      if (typeof name === 'string' && tensor) tensors.set(name, tensor);
    }
    if (tensors.size > 0) return { form: 'torch', tensors };
  }
  throw noTorchFile('it holds no dictionary of tensors');
}

function weightTensor(value: Pickled, storages: Storages): WeightTensor | null {
  if (isKind<PickledArray>(value, 'array')) return value.tensor();
  if (!isKind<PickledTensor>(value, 'tensor')) return null;
  const content = storages.get(value.storage.key);
  if (!content) throw damaged('a tensor has lost its values');
  return tensorOf(content, value.storage.dtype, value);
}

function noTorchFile(found: string): UsageError {
  return new UsageError(
    'bad-model',
    `Expected weights saved by PyTorch, but ${found}. Save them with torch.save(model.state_dict(), …).`,
  );
}

function bigEndian(): UsageError {
  return new UsageError(
    'bad-model',
    'Expected weights stored little-endian, found big-endian ones. Save them again on an ordinary machine.',
  );
}

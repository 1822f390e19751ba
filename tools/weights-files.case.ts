import { bytesField, type Pieces, textField, varintField } from '../src/features/onnx-file.js';

/** An array to be put into a weights file. */
export type TestTensor = { readonly shape: readonly number[]; readonly values: Float32Array };
export type TestWeights = Readonly<Record<string, TestTensor>>;

/** A small writer of pickles, protocol 2: each function gives the steps that leave its value on the stack. */
export const pickle = {
  none: Buffer.from('N'),
  no: Buffer.of(0x89),
  int: (value: number): Buffer => withInt('J', value),
  long: (digits: readonly number[]): Buffer => Buffer.of(0x8a, digits.length, ...digits),
  text(value: string): Buffer {
    const bytes = Buffer.from(value, 'utf8');
    return Buffer.concat([withInt('X', bytes.length), bytes]);
  },
  /** Text as Python 2 writes it. */
  shortString: (value: string): Buffer => Buffer.concat([Buffer.of(0x55, value.length), Buffer.from(value, 'latin1')]),
  tuple: (...items: Buffer[]): Buffer => Buffer.concat([Buffer.from('('), ...items, Buffer.from('t')]),
  list: (...items: Buffer[]): Buffer => Buffer.concat([Buffer.from(']('), ...items, Buffer.from('e')]),
  dict: (...items: Buffer[]): Buffer => Buffer.concat([Buffer.from('}('), ...items, Buffer.from('u')]),
  global: (module: string, name: string): Buffer => Buffer.from(`c${module}\n${name}\n`),
  call: (callee: Buffer, ...args: Buffer[]): Buffer => Buffer.concat([callee, pickle.tuple(...args), Buffer.from('R')]),
  build: (target: Buffer, state: Buffer): Buffer => Buffer.concat([target, state, Buffer.from('b')]),
  outside: (id: Buffer): Buffer => Buffer.concat([id, Buffer.from('Q')]),
  file: (value: Buffer): Buffer => Buffer.concat([Buffer.of(0x80, 2), value, Buffer.from('.')]),
};

function withInt(code: string, value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.write(code);
  bytes.writeInt32LE(value, 1);
  return bytes;
}

/** 0x1950a86a20f9469cfc6c, little end first. */
const MAGIC = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];

/** The beginning of the form before torch 1.6: three pickles. */
export const legacyStart = Buffer.concat([
  pickle.file(pickle.long(MAGIC)),
  pickle.file(pickle.int(1001)),
  pickle.file(pickle.dict(pickle.text('little_endian'), Buffer.of(0x88))),
]);

/** The steps of a tensor whose values are all of one storage. */
export function torchTensor(key: string, shape: readonly number[], isOld = false): Buffer {
  const count = shape.reduce((product, size) => product * size, 1);
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
  const text = isOld ? pickle.shortString : pickle.text;
  const storage = [text('storage'), pickle.global('torch', 'FloatStorage'), text(key), text('cpu'), pickle.int(count)];
  const args = [
    pickle.outside(pickle.tuple(...storage, pickle.none)),
    pickle.int(0),
    pickle.tuple(...shape.map(pickle.int)),
    pickle.tuple(...strides.map(pickle.int)),
  ];
  // Before torch 0.4 tensors were told apart from variables, and Python 2 wrote text as bytes.
  if (isOld) return pickle.call(pickle.global('torch._utils', '_rebuild_tensor'), ...args);
  const hooks = pickle.call(pickle.global('collections', 'OrderedDict'));
  return pickle.call(pickle.global('torch._utils', '_rebuild_tensor_v2'), ...args, pickle.no, hooks);
}

/** A state dict in the form before torch 1.6; `isOld` as Python 2 and torch 0.2 wrote it. */
export function legacyTorch(weights: TestWeights, isOld = false): Buffer {
  const entries = Object.entries(weights);
  const keyOf = (k: number): string => String(1000 + k);
  const items = entries.map(([name, { shape }], k) => {
    const tensor = torchTensor(keyOf(k), shape, isOld);
    return isOld ? pickle.list(pickle.shortString(name), tensor) : [pickle.text(name), tensor];
  });
  const dict = pickle.global('collections', 'OrderedDict');
  const root = isOld
    ? pickle.call(dict, pickle.list(...(items as Buffer[])))
    : Buffer.concat([pickle.call(dict), Buffer.from('('), ...items.flat(), Buffer.from('u')]);
  const text = isOld ? pickle.shortString : pickle.text;
  const storages = entries.flatMap(([, { values }]) => {
    const count = Buffer.alloc(8);
    count.writeBigInt64LE(BigInt(values.length));
    return [count, floatBytes(values)];
  });
  const keys = pickle.file(pickle.list(...entries.map((_, k) => text(keyOf(k)))));
  return Buffer.concat([legacyStart, pickle.file(root), keys, ...storages]);
}

/** A state dict as torch has saved it since 1.6; `isLong` with all sizes in their 64-bit fields. */
export function zippedTorch(weights: TestWeights, isLong = false): Buffer {
  const entries = Object.entries(weights);
  const items = entries.flatMap(([name, { shape }], k) => [pickle.text(name), torchTensor(String(k), shape)]);
  return zip(
    {
      'model/data.pkl': pickle.file(pickle.dict(...items)),
      'model/byteorder': Buffer.from('little'),
      ...Object.fromEntries(entries.map(([, { values }], k) => [`model/data/${k}`, floatBytes(values)])),
      'model/version': Buffer.from('3\n'),
    },
    isLong,
  );
}

/** A ZIP archive of stored entries. Checksums are left out: the reader does not look at them. */
export function zip(entries: Readonly<Record<string, Uint8Array>>, isLong = false, method = 0): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(entries)) {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    const extra = Buffer.alloc(isLong ? 28 : 0);
    if (isLong) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      [content.length, content.length, at].forEach((size, k) => extra.writeBigUInt64LE(BigInt(size), 4 + 8 * k));
    }
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(method, 10);
    [content.length, content.length].forEach((size, k) =>
      central.writeUInt32LE(isLong ? 0xffffffff : size, 20 + 4 * k),
    );
    central.writeUInt16LE(name.length, 28);
    central.writeUInt16LE(extra.length, 30);
    central.writeUInt32LE(isLong ? 0xffffffff : at, 42);
    parts.push(header, Buffer.from(name), Buffer.from(content.buffer, content.byteOffset, content.byteLength));
    directory.push(central, Buffer.from(name), extra);
    at += 30 + name.length + content.length;
  }
  const count = directory.length / 3;
  const size = directory.reduce((total, part) => total + part.length, 0);
  const end64 = Buffer.alloc(isLong ? 56 + 20 : 0);
  if (isLong) {
    end64.writeUInt32LE(0x06064b50, 0);
    end64.writeBigUInt64LE(BigInt(count), 32);
    end64.writeBigUInt64LE(BigInt(at), 48);
    end64.writeUInt32LE(0x07064b50, 56);
    end64.writeBigUInt64LE(BigInt(at + size), 64);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(isLong ? 0xffff : count, 10);
  end.writeUInt32LE(isLong ? 0xffffffff : at, 16);
  return Buffer.concat([...parts, ...directory, end64, end]);
}

/** How a blob says its shape: the C3D fork, Caffe before 2015, Caffe since. */
type BlobForm = 'c3d' | 'old' | 'new';

/** A .caffemodel with one layer for each name that has a `.weight` and a `.bias`. */
export function caffeModel(weights: TestWeights, form: BlobForm): Buffer {
  const isNew = form === 'new';
  const names = Object.keys(weights)
    .filter((key) => key.endsWith('.weight'))
    .map((key) => key.slice(0, -'.weight'.length));
  const layers = names.flatMap((name) =>
    bytesField(isNew ? 100 : 2, [
      ...textField(isNew ? 1 : 4, name),
      ...(isNew ? textField(2, 'Convolution') : varintField(5, 4)),
      ...['weight', 'bias'].flatMap((part) => bytesField(isNew ? 7 : 6, blob(weights[`${name}.${part}`]!, form))),
    ]),
  );
  // Layers without blobs stand between, as data and ReLU layers do.
  const empty = bytesField(isNew ? 100 : 2, textField(isNew ? 1 : 4, 'relu'));
  return Buffer.concat([...textField(1, 'net'), ...layers, ...empty]);
}

/** One blob; dimensions are filled up with leading ones as far as the form has them. */
export function blob({ shape, values }: TestTensor, form: BlobForm): Pieces {
  const content = bytesField(form === 'c3d' ? 6 : 5, [floatBytes(values)]);
  if (form === 'new')
    return [
      ...content,
      ...bytesField(
        7,
        bytesField(
          1,
          shape.map((size) => varintDigits(size)),
        ),
      ),
    ];
  const rank = form === 'c3d' ? 5 : 4;
  const dims = [...Array<number>(rank - shape.length).fill(1), ...shape];
  return [...dims.flatMap((size, axis) => varintField(axis + 1, size)), ...content];
}

function varintDigits(value: number): Uint8Array {
  return varintField(1, value)[0]!.subarray(1);
}

export function floatBytes(values: Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

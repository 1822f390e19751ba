import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { damagedReader } from './damaged.case.js';
import { valuesOf } from './tensor.js';
import { readTorch } from './torch.js';
import {
  legacyStart,
  legacyTorch,
  pickle,
  type TestWeights,
  torchTensor,
  zip,
  zippedTorch,
} from './weights-files.case.js';
import type { Weights } from './weights.js';

type Shown = Record<string, { shape: number[]; values: number[] }>;
type Oracle = {
  torch: { files: Record<string, string>; expected: Shown };
  arrays: { files: Record<string, string>; expected: Shown };
  hostile: string;
};

/** Written by Python; pickled.oracle.py tells how. */
const oracle = JSON.parse(readFileSync(new URL('pickled.oracle.json', import.meta.url), 'utf8')) as Oracle;

const sample: TestWeights = {
  'conv.weight': { shape: [2, 3], values: Float32Array.of(1, -2, 3.5, 0, 1e-30, 3e38) },
  'conv.bias': { shape: [2], values: Float32Array.of(-1, 0.25) },
};

function show(weights: Weights): Shown {
  return Object.fromEntries(
    [...weights.tensors].map(([name, tensor]) => [name, { shape: [...tensor.shape], values: [...valuesOf(tensor)] }]),
  );
}

function shown(weights: TestWeights): Shown {
  return Object.fromEntries(
    Object.entries(weights).map(([name, { shape, values }]) => [name, { shape: [...shape], values: [...values] }]),
  );
}

function fromBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

describe('weights saved by PyTorch', () => {
  it.each(Object.entries(oracle.torch.files))('are read from Python’s own pickles (%s)', (_, file) => {
    expect(show(readTorch(fromBase64(file)))).toEqual(oracle.torch.expected);
  });

  it.each(Object.entries(oracle.arrays.files))('are read from pickles of NumPy arrays (%s)', (_, file) => {
    expect(show(readTorch(fromBase64(file)))).toEqual(oracle.arrays.expected);
  });

  it.each([
    ['before torch 1.6', legacyTorch(sample)],
    ['of Python 2 and torch 0.2', legacyTorch(sample, true)],
    ['since torch 1.6', zippedTorch(sample)],
    ['with 64-bit sizes', zippedTorch(sample, true)],
  ])('are read in the form %s', (_, file) => {
    const weights = readTorch(file);
    expect(weights.form).toBe('torch');
    expect(show(weights)).toEqual(shown(sample));
  });

  it('honour the view of a storage that older files name', () => {
    const id = [pickle.text('storage'), pickle.global('torch', 'FloatStorage'), pickle.text('7'), pickle.text('cpu')];
    const view = pickle.tuple(pickle.text('8'), pickle.int(2), pickle.int(3));
    const storage = pickle.outside(pickle.tuple(...id, pickle.int(6), view));
    const tensor = pickle.call(
      pickle.global('torch._utils', '_rebuild_tensor'),
      storage,
      pickle.int(1),
      pickle.tuple(pickle.int(2)),
      pickle.tuple(pickle.int(1)),
    );
    const file = Buffer.concat([
      legacyStart,
      pickle.file(pickle.dict(pickle.text('w'), tensor)),
      pickle.file(pickle.list(pickle.text('7'))),
      Buffer.of(6, 0, 0, 0, 0, 0, 0, 0),
      Buffer.from(Float32Array.of(0, 1, 2, 3, 4, 5).buffer),
    ]);
    expect([...valuesOf(readTorch(file).tensors.get('w')!)]).toEqual([3, 4]);
  });

  it('come as bfloat16 and half floats to the bit', () => {
    const bits = [0x3f80, 0xc000, 0x7f80, 0x0001, 0x3c00, 0xbc01, 0x7c00, 0x8000];
    const asFloats = (storage: string): number[] => {
      const id = [pickle.text('storage'), pickle.global('torch', storage), pickle.text('0'), pickle.text('cpu')];
      const args = [pickle.int(0), pickle.tuple(pickle.int(8)), pickle.tuple(pickle.int(1))];
      const rebuild = pickle.global('torch._utils', '_rebuild_tensor_v2');
      const tensor = pickle.call(rebuild, pickle.outside(pickle.tuple(...id, pickle.int(8))), ...args);
      const file = zip({
        'a/data.pkl': pickle.file(pickle.dict(pickle.text('w'), tensor)),
        'a/data/0': new Uint8Array(Uint16Array.from(bits).buffer),
      });
      return [...valuesOf(readTorch(file).tensors.get('w')!)];
    };
    // 2⁻¹³³ is bfloat16's least number; 0x3c00 means 2⁻⁷ there and 1 among half floats.
    expect(asFloats('BFloat16Storage')).toEqual([
      1,
      -2,
      Infinity,
      2 ** -133,
      0.0078125,
      -0.00787353515625,
      2 ** 121,
      -0,
    ]);
    expect(asFloats('HalfStorage')).toEqual([1.875, -2, NaN, 2 ** -24, 1, -1.0009765625, Infinity, -0]);
  });
});

describe('a weights file that is not what it should be', () => {
  const refusal = (file: Uint8Array): string => {
    try {
      readTorch(file);
    } catch (error) {
      expect(error).toMatchObject({ name: 'UsageError', code: 'bad-model' });
      return (error as Error).message;
    }
    throw new Error('The file was read.');
  };
  const dictOf = (value: Buffer): Buffer => pickle.file(pickle.dict(pickle.text('w'), value));

  it('runs nothing: a call outside the closed list is named and refused', () => {
    const system = pickle.call(pickle.global('os', 'system'), pickle.text('true'));
    expect(refusal(dictOf(system))).toContain('found a call of "os.system"');
    expect(refusal(Buffer.concat([legacyStart, dictOf(system)]))).toContain('"os.system"');
    expect(refusal(zip({ 'a/data.pkl': dictOf(system) }))).toContain('"os.system"');
    expect(refusal(fromBase64(oracle.hostile))).toContain('"__builtin__.print"');
    for (const name of ['__class__', 'constructor', 'toString']) {
      expect(refusal(dictOf(pickle.call(pickle.global('Object', name))))).toContain(`"Object.${name}"`);
    }
    // A class that may be named may still not be called.
    expect(refusal(dictOf(pickle.call(pickle.global('torch', 'FloatStorage'))))).toContain('calls what is no function');
  });

  it('is told apart by what is wrong with it', () => {
    expect(refusal(new Uint8Array(0))).toContain('neither as an archive nor as a pickle');
    expect(refusal(pickle.file(pickle.int(5)))).toContain('no dictionary of tensors');
    expect(refusal(zip({ 'a/model.json': Buffer.from('{}') }))).toContain('no data.pkl');
    expect(refusal(zip({ 'a/data.pkl': dictOf(pickle.none), 'a/constants.pkl': Buffer.of(0) }))).toContain(
      'TorchScript',
    );
    expect(refusal(zip({ 'a/data.pkl': dictOf(pickle.none), 'a/byteorder': Buffer.from('big') }))).toContain(
      'big-endian',
    );
    expect(refusal(zip({ 'a/data.pkl': dictOf(pickle.none) }, false, 8))).toContain('compressed');
    expect(refusal(zip({ 'a/data.pkl': dictOf(torchTensor('0', [2])) }))).toContain('lost its values');
    expect(refusal(pickle.file(Buffer.from('(I1\nl')))).toContain('unknown step 0x49');
  });

  it('cannot claim more values than it has', () => {
    const claiming = (shape: readonly number[]): Buffer =>
      zip({ 'a/data.pkl': dictOf(torchTensor('0', shape)), 'a/data/0': new Uint8Array(64) });
    expect(readTorch(claiming([4, 4])).tensors.get('w')!.shape).toEqual([4, 4]);
    expect(refusal(claiming([17]))).toContain('room for 16 values');
    expect(refusal(claiming([2 ** 15, 2 ** 15]))).toContain('room for 16 values');
    expect(refusal(claiming([-4]))).toMatch(/unknown way|impossible/);
    // Strides of zero would make any number of values out of one.
    const spread = pickle.call(
      pickle.global('torch._utils', '_rebuild_tensor'),
      pickle.outside(
        pickle.tuple(
          pickle.text('storage'),
          pickle.global('torch', 'FloatStorage'),
          pickle.text('0'),
          pickle.text('cpu'),
          pickle.int(16),
        ),
      ),
      pickle.int(0),
      pickle.tuple(pickle.int(2 ** 30)),
      pickle.tuple(pickle.int(0)),
    );
    expect(refusal(zip({ 'a/data.pkl': dictOf(spread), 'a/data/0': new Uint8Array(64) }))).toContain('room for 16');
  });

  it('may nest to any depth', () => {
    const depth = 200_000;
    const deep = Buffer.concat([Buffer.from(']'.repeat(depth)), Buffer.from('a'.repeat(depth - 1))]);
    expect(refusal(dictOf(deep))).toContain('no dictionary of tensors');
    expect(refusal(pickle.file(Buffer.from('('.repeat(depth))))).toContain('takes more');
    expect(refusal(pickle.file(Buffer.alloc(2_000_001, 'N')))).toContain('does not end');
  });

  it('cannot return the same long part repeatedly', () => {
    const times = 30_000;
    const kept = (value: Buffer): Buffer => Buffer.concat([value, Buffer.of(0x71, 0)]);
    const again = (callee: Buffer, ...after: Buffer[]): Buffer => {
      const once = pickle.call(callee, Buffer.of(0x68, 0), ...after);
      return Buffer.concat(Array.from({ length: times }, () => once));
    };
    const pairs = pickle.list(...Array.from({ length: times }, () => pickle.tuple(pickle.none, pickle.none)));
    const dicts = again(pickle.global('collections', 'OrderedDict'));
    expect(refusal(pickle.file(pickle.list(kept(pairs), dicts)))).toContain('over and over');
    const codes = again(pickle.global('_codecs', 'encode'), pickle.text('latin1'));
    expect(refusal(pickle.file(pickle.list(kept(pickle.text('x'.repeat(1e6))), codes)))).toContain('over and over');
  });

  it('is read or refused, wherever it is cut or changed', { tags: 'slow' }, () => {
    const files = [
      ...['legacy', 'archive'].map((name) => fromBase64(oracle.torch.files[name]!)),
      ...['protocol 2', 'protocol 5'].map((name) => fromBase64(oracle.arrays.files[name]!)),
      legacyTorch(sample, true),
      zippedTorch(sample, true),
    ];
    const { survives, survivesChanges, refused } = damagedReader(readTorch);
    for (const file of files) {
      for (let length = 0; length < file.length; length += 3) survives(file.subarray(0, length));
      for (let at = 0; at < file.length; at++) {
        const changed = Uint8Array.from(file);
        changed[at]! ^= 1 << (at % 8);
        survives(changed);
      }
    }
    survivesChanges(files, 40, { numRuns: 1000, seed: 1 });
    expect(refused()).toBeGreaterThan(1000);
  });
});

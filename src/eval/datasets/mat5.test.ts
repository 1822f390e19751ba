import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { StoreError } from '../../base/index.js';
import oracle from './formats.oracle.json' with { type: 'json' };
import { decodeMat5, type MatArray } from './mat5.js';
import { encodeMat5 } from './mat5.case.js';

const refuse = (expected: string, found: string): StoreError =>
  new StoreError('refused', `Expected ${expected}, found ${found}.`);
const decode = (bytes: Uint8Array): Map<string, MatArray> => decodeMat5(bytes, refuse);
const sentenceOf = (bytes: Uint8Array): string => {
  try {
    decode(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return (error as StoreError).message;
  }
  return 'no error';
};

const variables = {
  labels: { dims: [3, 2], values: [2, 5, 9, 1, 1, 1], as: 'uint8' },
  wide: { dims: [2, 2], values: [1.5, -2.25, 1e300, 0] },
  small: { dims: [1, 1], values: [-7], as: 'int16' },
  name: { text: 'surfing' },
  none: { dims: [0, 2], values: [] },
  people: { cells: [{ text: 'kk' }, { cells: [{ dims: [1, 1], values: [7] }] }] },
} as const;

describe('decodeMat5', () => {
  it('reads a matrix written out by hand', () => {
    const head = Buffer.alloc(128);
    head.write('\x00\x01IM', 124, 'latin1');
    const words = (...list: number[]): Buffer => Buffer.from(Uint32Array.from(list).buffer);
    const body = Buffer.concat([
      words(6, 8, 9, 0), // flags: an array of uint8
      words(5, 8, 2, 1), // size: 2 × 1
      Buffer.from([1, 0, 2, 0, 0x68, 0x69, 0, 0]), // name, in the small form: "hi"
      Buffer.from([2, 0, 2, 0, 200, 3, 0, 0]), // two bytes, in the small form
    ]);
    const found = decode(Buffer.concat([head, words(14, body.length), body]));
    expect([...found]).toEqual([['hi', { kind: 'numbers', dims: [2, 1], values: Float64Array.of(200, 3) }]]);
  });

  it.each(oracle.mat5)('reads what SciPy wrote (compressed: $compressed)', ({ base64, numbers }) => {
    const found = decode(Buffer.from(base64, 'base64'));
    for (const [name, { dims, values }] of Object.entries(numbers)) {
      expect(found.get(name), name).toEqual({ kind: 'numbers', dims, values: Float64Array.from(values) });
    }
    expect(found.get('word')).toMatchObject({ kind: 'text', text: 'base jump' });
    expect(found.get('cells')).toMatchObject({
      dims: [1, 2],
      cells: [{ text: 'kk' }, { values: Float64Array.of(7) }],
    });
  });

  it.each([
    { bigEndian: false, compressed: false },
    { bigEndian: false, compressed: true },
    { bigEndian: true, compressed: false },
    { bigEndian: true, compressed: true },
  ])('reads every kind of variable (%o)', (knobs) => {
    const found = decode(encodeMat5(variables, knobs));
    expect([...found.keys()]).toEqual(Object.keys(variables));
    expect(found.get('labels')).toEqual({ kind: 'numbers', dims: [3, 2], values: Float64Array.of(2, 5, 9, 1, 1, 1) });
    expect(found.get('wide')).toMatchObject({ values: Float64Array.of(1.5, -2.25, 1e300, 0) });
    expect(found.get('small')).toMatchObject({ values: Float64Array.of(-7) });
    expect(found.get('name')).toMatchObject({ kind: 'text', text: 'surfing' });
    expect(found.get('none')).toMatchObject({ dims: [0, 2], values: new Float64Array(0) });
    expect(found.get('people')).toMatchObject({ cells: [{ text: 'kk' }, { cells: [{ values: Float64Array.of(7) }] }] });
  });

  it('takes a compressed stream that lacks only its end', () => {
    const whole = encodeMat5({ labels: variables.labels });
    const stream = deflateSync(whole.subarray(128));
    // Without the checksum at the end the stream never finishes, but every value is there.
    const cut = stream.subarray(0, stream.length - 4);
    const tag = Buffer.alloc(8);
    tag.writeUInt32LE(15, 0);
    tag.writeUInt32LE(cut.length, 4);
    const found = decode(Buffer.concat([whole.subarray(0, 128), tag, cut]));
    expect(found.get('labels')).toMatchObject({ values: Float64Array.of(2, 5, 9, 1, 1, 1) });
  });

  it('says what is wrong with a file of another kind', () => {
    expect(sentenceOf(Buffer.from('<!DOCTYPE html>'))).toContain('only 15 bytes');
    expect(sentenceOf(Buffer.alloc(200))).toContain('no mark of the byte order');
    expect(sentenceOf(Buffer.alloc(600).fill('MATLAB 7.3 MAT-file', 0, 19))).toContain('version 7.3');
    const old = encodeMat5(variables);
    old.writeUInt16LE(0x0200, 124);
    expect(sentenceOf(old)).toContain('version 0x200');
  });

  it('refuses absurd lengths without setting memory aside', () => {
    const lengthAt = (at: number, value: number): string => {
      const bytes = encodeMat5({ labels: variables.labels });
      bytes.writeInt32LE(value, at);
      return sentenceOf(bytes);
    };
    expect(lengthAt(132, 0x7ffffff0)).toContain('one of 2147483632 bytes'); // the matrix
    expect(lengthAt(160, 0x7fffffff)).toContain('numbers of 1 bytes'); // its rows
    expect(lengthAt(160, -3)).toContain('[-3 × 2]');
    const cells = encodeMat5({ people: { cells: [{ text: 'kk' }] } });
    cells.writeInt32LE(0x7fffffff, 164); // how many cells
    expect(sentenceOf(cells)).toContain('2147483647 cells');
  });

  it('refuses cells nested without end, and a bomb', { tags: 'slow' }, () => {
    const nested = Array.from({ length: 40 }).reduce<{ cells: unknown[] }>((inner) => ({ cells: [inner] }), {
      cells: [],
    });
    expect(sentenceOf(encodeMat5({ deep: nested as never }))).toContain('deeper ones');
    const bomb = (bytes: number): Buffer => {
      const packed = deflateSync(Buffer.alloc(bytes));
      return Buffer.concat([Buffer.from(Uint32Array.of(15, packed.length).buffer), packed]);
    };
    expect(sentenceOf(Buffer.concat([encodeMat5({}), bomb(100 << 20)]))).toContain('ERR_BUFFER_TOO_LARGE');
    expect(sentenceOf(Buffer.concat([encodeMat5({}), bomb(40 << 20)]))).toBe('no error');
    expect(sentenceOf(Buffer.concat([encodeMat5({}), bomb(40 << 20), bomb(40 << 20)]))).toContain('TOO_LARGE');
  });

  it('refuses every file that was cut short inside a value', () => {
    const bytes = encodeMat5({ wide: variables.wide });
    for (let length = 129; length < bytes.length; length++) {
      expect(() => decode(bytes.subarray(0, length)), `${length} bytes`).toThrow(StoreError);
    }
  });

  it('reads or refuses any damaged file', () => {
    const files = [{}, { compressed: true }, { bigEndian: true }].map((knobs) => encodeMat5(variables, knobs));
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 });
    fc.assert(
      fc.property(fc.constantFrom(...files), damage, fc.nat(), (file, changes, cut) => {
        const bytes = Buffer.from(file);
        for (const [at, value] of changes) bytes[128 + (at % (bytes.length - 128))] = value;
        const given = cut % 4 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes;
        expect(sentenceOf(given)).not.toBe('');
      }),
      { numRuns: 2000, seed: 5 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { StoreError } from '../base/index.js';
import { decodeNpy, type NumberTable } from './index.js';
import { encodeNpy } from './npy.case.js';

import oracle from '../eval/datasets/formats.oracle.json' with { type: 'json' };

const refuse = (expected: string, found: string): StoreError =>
  new StoreError('refused', `Expected ${expected}, found ${found}.`);
const decode = (bytes: Uint8Array): NumberTable => decodeNpy(bytes, refuse);
const headed = (header: string): Buffer => encodeNpy([[1, 2]], { header });

describe('decodeNpy', () => {
  it('reads rows', () => {
    const rows = [
      [1, 2, 3],
      [-4, 0.5, 6],
    ];
    expect(decode(encodeNpy(rows))).toEqual({ rows: 2, cols: 3, values: Float32Array.from(rows.flat()) });
  });

  it.each(oracle.npy)(
    'reads what NumPy wrote ($descr, Fortran order $fortran, version $version)',
    ({ base64, rows }) => {
      const table = decode(Buffer.from(base64, 'base64'));
      expect([table.rows, table.cols]).toEqual([3, 4]);
      rows.flat().forEach((value, place) => expect(table.values[place], `entry ${place}`).toBe(value));
    },
  );

  it('reads halves that are no ordinary number', () => {
    const bytes = encodeNpy([[0, 0]], { header: "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2)}" });
    [0x7c00, 0xfc00, 0x7e00, 0x8000].forEach((bits, place) => bytes.writeUInt16LE(bits, bytes.length - 8 + 2 * place));
    expect([...decode(bytes).values]).toEqual([Infinity, -Infinity, NaN, -0]);
  });

  it.each([
    ['another mark', Buffer.from('PK\x03\x04 some archive'), 'no NumPy mark'],
    ['another version', encodeNpy([[1]], { version: 9 }), 'version 9'],
    ['whole numbers', headed("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2)}"), 'the type "<i4"'],
    ['pickled objects', headed("{'descr': '|O', 'fortran_order': False, 'shape': (1, 2)}"), 'the type "|O"'],
    ['one dimension', headed("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"), 'the shape (2,)'],
    ['no columns', headed("{'descr': '<f4', 'fortran_order': False, 'shape': (9000000000000000, 0)}"), 'the shape ('],
    ['absurd rows', headed("{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 2)}"), '4000000000 × 2'],
    ['no shape', headed("{'descr': '<f4', 'fortran_order': False}"), 'descr'],
    ['cut short', encodeNpy([[1, 2]]).subarray(0, -1), '7 bytes'],
    ['bytes left over', Buffer.concat([encodeNpy([[1, 2]]), Buffer.alloc(1)]), '9 bytes'],
  ])('refuses %s', (_, bytes, found) => {
    expect(() => decode(bytes)).toThrow(StoreError);
    expect(() => decode(bytes)).toThrow(found);
  });

  it('refuses a header longer than the file', () => {
    const bytes = encodeNpy([[1, 2]], { version: 2 });
    bytes.writeUInt32LE(0xfffffff0, 8);
    expect(() => decode(bytes)).toThrow('a header of 4294967280 bytes');
  });

  it('returns a table or an error for any damaged file', () => {
    const file = encodeNpy([
      [1, 2],
      [3, 4],
    ]);
    const damage = fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(damage, fc.nat(file.length), (changes, length) => {
        const bytes = Buffer.from(file.subarray(0, length % 3 ? file.length : length));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        try {
          const { rows, cols, values } = decode(bytes);
          expect(values.length).toBe(rows * cols);
        } catch (error) {
          expect(error).toBeInstanceOf(StoreError);
        }
      }),
      { numRuns: 3000, seed: 5 },
    );
  });
});

import { describe, expect, it } from 'vitest';

import { bytesField, readMessage, readPacked, textField, textOf, varintField } from './onnx-file.js';

describe('a protobuf message', () => {
  it('is read field by field', () => {
    const message = Buffer.concat([
      Buffer.from('089601', 'hex'), // The example of the format's own description: field 1 is 150.
      Buffer.from('120774657374696e67', 'hex'), // And the second: field 2 is "testing".
      Buffer.from('1d0000803f', 'hex'),
      Buffer.from('210000000000000040', 'hex'),
    ]);
    const fields = [...readMessage(message)];
    expect(fields.map(({ number, wire, value, start, end }) => [number, wire, value, start, end])).toEqual([
      [1, 'varint', 150, 0, 3],
      [2, 'bytes', 0, 3, 12],
      [3, 'fixed32', 0, 12, 17],
      [4, 'fixed64', 0, 17, 26],
    ]);
    expect(textOf(fields[1]!.content)).toBe('testing');
    expect(fields[2]!.content).toEqual(message.subarray(13, 17));
    expect(fields[3]!.content).toHaveLength(8);
  });

  it('carries any number', () => {
    for (const value of [0, 1, 127, 128, 2 ** 31, 2 ** 48 + 5, 2 ** 49, 2 ** 53 - 1, -1, -2, -(2 ** 40)]) {
      const [field] = [...readMessage(Buffer.concat(varintField(7, value)))];
      expect(field).toMatchObject({ number: 7, value });
    }
    const digits = [0, 300, 2 ** 40, -1].map((value) => varintField(1, value)[0]!.subarray(1));
    expect(readPacked(Buffer.concat(digits), 4)).toEqual([0, 300, 2 ** 40, -1]);
    expect(() => readPacked(Buffer.concat(digits), 3)).toThrow(/more than 3 numbers/);
  });

  it('is written as it is read', () => {
    const inner = [...varintField(1, 5), ...textField(20, 'ü')];
    const [outer] = [...readMessage(Buffer.concat(bytesField(2 ** 20, inner)))];
    expect(outer!.number).toBe(2 ** 20);
    const [five, text] = [...readMessage(outer!.content)];
    expect([five!.value, textOf(text!.content)]).toEqual([5, 'ü']);
  });

  it.each([
    ['a number cut short', '08ff'],
    ['a number of eleven digits', '08' + 'ff'.repeat(10) + '01'],
    ['a content longer than the message', '1205616263'],
    ['a content of negative length', '12' + 'ff'.repeat(9) + '01'],
    ['field 0', '0000'],
    ['a group', '0b0c'],
    ['a fixed number cut short', '1d0000'],
  ])('is refused with %s', (_, hex) => {
    expect(() => [...readMessage(Buffer.from(hex, 'hex'))]).toThrow(expect.objectContaining({ code: 'bad-model' }));
  });
});

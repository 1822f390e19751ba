import { deflateSync } from 'node:zlib';

/** A variable to write: numbers column after column, text, or cells. */
export type MatValue =
  | { readonly dims: readonly number[]; readonly values: readonly number[]; readonly as?: 'double' | 'uint8' | 'int16' }
  | { readonly text: string }
  | { readonly cells: readonly MatValue[] };

type MatKnobs = { readonly bigEndian?: boolean; readonly compressed?: boolean };

/** Element type, array class and bytes of the number types the writer knows. */
const NUMBERS = {
  double: { element: 9, array: 6, size: 8 },
  uint8: { element: 2, array: 9, size: 1 },
  int16: { element: 3, array: 10, size: 2 },
} as const;

/** A MAT file of level 5. Elements of one to four bytes are written in the small form, as MATLAB does. */
export function encodeMat5(variables: Readonly<Record<string, MatValue>>, knobs: MatKnobs = {}): Buffer {
  const header = Buffer.alloc(128, 0x20);
  header.write('MATLAB 5.0 MAT-file, written by a test', 'latin1');
  header.fill(0, 116, 124);
  const write = writer(knobs.bigEndian ?? false);
  write.word16(0x0100).copy(header, 124);
  header.write(knobs.bigEndian ? 'MI' : 'IM', 126, 'latin1');
  const elements = Object.entries(variables).map(([name, value]) => {
    const element = write.array(name, value);
    return knobs.compressed ? Buffer.concat([write.tag(15, deflateSync(element))]) : element;
  });
  return Buffer.concat([header, ...elements]);
}

function writer(bigEndian: boolean) {
  const word16 = (value: number): Buffer => {
    const bytes = Buffer.alloc(2);
    if (bigEndian) bytes.writeUInt16BE(value);
    else bytes.writeUInt16LE(value);
    return bytes;
  };
  const word32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    if (bigEndian) bytes.writeInt32BE(value);
    else bytes.writeInt32LE(value);
    return bytes;
  };
  /** An element without padding, as compressed ones are. */
  const tag = (type: number, body: Buffer): Buffer => Buffer.concat([word32(type), word32(body.length), body]);
  const element = (type: number, body: Buffer): Buffer => {
    if (body.length > 0 && body.length <= 4) {
      return Buffer.concat([word32((body.length << 16) | type), body, Buffer.alloc(4 - body.length)]);
    }
    return Buffer.concat([tag(type, body), Buffer.alloc((8 - (body.length % 8)) % 8)]);
  };
  const numbers = (values: readonly number[], size: number): Buffer => {
    const bytes = Buffer.alloc(values.length * size);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    values.forEach((value, index) => {
      if (size === 8) view.setFloat64(8 * index, value, !bigEndian);
      else if (size === 2) view.setInt16(2 * index, value, !bigEndian);
      else view.setUint8(index, value);
    });
    return bytes;
  };
  const array = (name: string, value: MatValue): Buffer => {
    const kind = 'values' in value ? NUMBERS[value.as ?? 'double'] : null;
    const dims = 'values' in value ? value.dims : [1, 'text' in value ? value.text.length : value.cells.length];
    const body =
      'values' in value
        ? element(kind!.element, numbers(value.values, kind!.size))
        : 'text' in value
          ? element(4, Buffer.concat(Array.from(value.text, (char) => word16(char.charCodeAt(0)))))
          : Buffer.concat(value.cells.map((cell) => array('', cell)));
    const head = [
      element(6, Buffer.concat([word32(kind?.array ?? ('text' in value ? 4 : 1)), word32(0)])),
      element(5, Buffer.concat(dims.map(word32))),
      element(1, Buffer.from(name, 'latin1')),
    ];
    return element(14, Buffer.concat([...head, body]));
  };
  return { word16, tag, array };
}

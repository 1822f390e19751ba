/** A field of a table to be written. */
export type FlatValue =
  | { readonly byte: number }
  | { readonly int: number }
  | { readonly ints: readonly number[] }
  | { readonly longs: readonly number[] }
  | { readonly floats: readonly number[] }
  | { readonly bytes: Uint8Array }
  | { readonly table: FlatFields }
  | { readonly tables: readonly FlatFields[] };

/** A table to be written: values by field number. */
export type FlatFields = Readonly<Record<number, FlatValue>>;

/** Writes a FlatBuffer front to back: each table behind its layout, what it points to behind both. */
export function buildFlatBuffer(mark: string, root: FlatFields): Uint8Array {
  let file = Buffer.alloc(0);
  const append = (bytes: Uint8Array, alignment = 8): number => {
    const gap = (alignment - (file.length % alignment)) % alignment;
    file = Buffer.concat([file, Buffer.alloc(gap), bytes]);
    return file.length - bytes.length;
  };
  const pointTo = (slot: number, target: number): void => void file.writeUInt32LE(target - slot, slot);

  const writeTable = (fields: FlatFields): number => {
    const entries = Object.entries(fields).map(([field, value]) => ({ field: Number(field), value }));
    const layoutBytes = 4 + 2 * (1 + Math.max(-1, ...entries.map(({ field }) => field)));
    const layout = Buffer.alloc(layoutBytes);
    layout.writeUInt16LE(layoutBytes, 0);
    layout.writeUInt16LE(4 + 4 * entries.length, 2);
    entries.forEach(({ field }, k) => layout.writeUInt16LE(4 + 4 * k, 4 + 2 * field));
    const layoutAt = append(layout);
    const table = append(Buffer.alloc(4 + 4 * entries.length));
    file.writeInt32LE(table - layoutAt, table);
    for (const [k, { value }] of entries.entries()) {
      const slot = table + 4 + 4 * k;
      if ('byte' in value) file.writeInt8(value.byte, slot);
      else if ('int' in value) file.writeInt32LE(value.int, slot);
      else pointTo(slot, 'table' in value ? writeTable(value.table) : writeVector(value));
    }
    return table;
  };

  const writeVector = (
    value: Exclude<FlatValue, { byte: number } | { int: number } | { table: FlatFields }>,
  ): number => {
    if ('tables' in value) {
      const start = append(vector(value.tables.length, new Uint8Array(4 * value.tables.length)));
      value.tables.forEach((fields, k) => pointTo(start + 4 + 4 * k, writeTable(fields)));
      return start;
    }
    if ('bytes' in value) return append(vector(value.bytes.length, value.bytes));
    const [count, items] =
      'ints' in value
        ? [value.ints.length, Int32Array.from(value.ints)]
        : 'floats' in value
          ? [value.floats.length, Float32Array.from(value.floats)]
          : [value.longs.length, BigInt64Array.from(value.longs, BigInt)];
    return append(vector(count, new Uint8Array(items.buffer)));
  };

  const start = Buffer.alloc(8);
  start.write(mark, 4, 'latin1');
  append(start);
  pointTo(0, writeTable(root));
  return new Uint8Array(file);
}

function vector(count: number, items: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(count);
  return Buffer.concat([length, items]);
}

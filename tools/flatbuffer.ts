import { damaged } from '../src/features/onnx-file.js';

/**
 * A table of a FlatBuffer: fields by number, each left out or found through offsets. Reading never leaves the file: an
 * offset that points outside throws a `UsageError`.
 */
export type FlatTable = {
  byte(field: number, fallback: number): number;
  int(field: number, fallback: number): number;
  table(field: number): FlatTable | null;
  tables(field: number): FlatTable[];
  ints(field: number): number[];
  longs(field: number): Float64Array;
  floats(field: number): Float32Array;
  /** A view of the file, not a copy. */
  bytes(field: number): Uint8Array;
};

/**
 * An honest file contains each vector about once, so that fewer items are read than it has bytes. A hostile one could point
 * at the same long vector from everywhere and keep a reader busy for hours.
 */
const ITEMS_PER_BYTE = 4;

/** Opens a FlatBuffer by its root table. */
export function readFlatBuffer(file: Uint8Array): FlatTable {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let itemsLeft = ITEMS_PER_BYTE * file.byteLength;

  const within = (address: number, bytes: number): number => {
    if (address < 0 || address + bytes > file.byteLength) throw damaged(`it points outside itself (byte ${address})`);
    return address;
  };
  const follow = (address: number): number => address + view.getUint32(within(address, 4), true);

  const tableAt = (table: number): FlatTable => {
    const layout = table - view.getInt32(within(table, 4), true);
    const layoutBytes = view.getUint16(within(layout, 2), true);
    /** Address of a field's value, or `null` where it is left out. */
    const find = (field: number): number | null => {
      const slot = 4 + 2 * field;
      if (slot >= layoutBytes) return null;
      const offset = view.getUint16(within(layout + slot, 2), true);
      return offset === 0 ? null : table + offset;
    };
    const vector = (field: number, itemBytes: number): { length: number; at: number } => {
      const address = find(field);
      if (address === null) return { length: 0, at: 0 };
      const start = follow(address);
      const length = view.getUint32(within(start, 4), true);
      within(start + 4, length * itemBytes);
      itemsLeft -= length;
      if (itemsLeft < 0) throw damaged('its parts overlap');
      return { length, at: start + 4 };
    };
    return {
      byte(field, fallback) {
        const address = find(field);
        return address === null ? fallback : view.getInt8(within(address, 1));
      },
      int(field, fallback) {
        const address = find(field);
        return address === null ? fallback : view.getInt32(within(address, 4), true);
      },
      table(field) {
        const address = find(field);
        return address === null ? null : tableAt(follow(address));
      },
      tables(field) {
        const { length, at } = vector(field, 4);
        return Array.from({ length }, (_, k) => tableAt(follow(at + 4 * k)));
      },
      ints(field) {
        const { length, at } = vector(field, 4);
        return Array.from({ length }, (_, k) => view.getInt32(at + 4 * k, true));
      },
      longs(field) {
        const { length, at } = vector(field, 8);
        return Float64Array.from({ length }, (_, k) => Number(view.getBigInt64(at + 8 * k, true)));
      },
      floats(field) {
        const { length, at } = vector(field, 4);
        return Float32Array.from({ length }, (_, k) => view.getFloat32(at + 4 * k, true));
      },
      bytes(field) {
        const { length, at } = vector(field, 1);
        return file.subarray(at, at + length);
      },
    };
  };
  return tableAt(follow(0));
}

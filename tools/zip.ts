import { UsageError } from '../src/base/index.js';
import { damaged } from '../src/features/onnx-file.js';

/** Archives of weights have one entry per array; a hostile one could list millions. */
const MOST_ENTRIES = 100_000;

/** Signatures and sizes of the records, from the ZIP application note (APPNOTE 4.3). */
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const END_64_BYTES = 56;
const LOCATOR_BYTES = 20;
const LONGEST_COMMENT = 0xffff;
/** A 32-bit or 16-bit field of all ones means that the real number is in the 64-bit record. */
const FULL = 0xffffffff;
const FULL_16 = 0xffff;

/** Whether a file begins like a ZIP archive. */
export function isZip(file: Uint8Array): boolean {
  return file.length >= 4 && new DataView(file.buffer, file.byteOffset, 4).getUint32(0, true) === LOCAL;
}

/** The entries of a ZIP archive by name, as views of the file; throws for compressed entries. */
export function readZip(file: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const within = (at: number, bytes: number): number => {
    if (at >= 0 && bytes >= 0 && at + bytes <= file.length) return at;
    throw damaged('the archive points outside itself');
  };
  const long = (at: number): number => Number(view.getBigUint64(within(at, 8), true));

  const { count, start } = directory(view, long, within);
  if (count > MOST_ENTRIES) throw damaged(`the archive claims ${count} entries`);
  const entries = new Map<string, Uint8Array>();
  let at = start;
  for (let k = 0; k < count; k++) {
    if (view.getUint32(within(at, CENTRAL_BYTES), true) !== CENTRAL) throw damaged('the archive lost its directory');
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const [nameBytes, extraBytes] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
    const name = Buffer.from(file.subarray(within(at + 46, nameBytes + extraBytes), at + 46 + nameBytes)).toString();
    const sizes = [view.getUint32(at + 20, true), view.getUint32(at + 24, true), view.getUint32(at + 42, true)];
    const extra = at + CENTRAL_BYTES + nameBytes;
    const [packed = 0, bytes = 0, local = 0] = extended(view, long, sizes, extra, extra + extraBytes);
    if (flags & 1 || method !== 0 || packed !== bytes) throw packedEntry(name);
    if (entries.has(name)) throw damaged(`the archive has two entries "${name}"`);
    if (view.getUint32(within(local, LOCAL_BYTES), true) !== LOCAL)
      throw damaged(`entry "${name}" is not where it should be`);
    const content = local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    entries.set(name, file.subarray(within(content, bytes), content + bytes));
    at += CENTRAL_BYTES + nameBytes + extraBytes + view.getUint16(at + 32, true);
  }
  return entries;
}

type Long = (at: number) => number;

/** Where the central directory begins and how many entries it has, from the record at the end of the file. */
function directory(
  view: DataView,
  long: Long,
  within: (at: number, bytes: number) => number,
): { count: number; start: number } {
  const earliest = Math.max(0, view.byteLength - END_BYTES - LONGEST_COMMENT);
  for (let end = view.byteLength - END_BYTES; end >= earliest; end--) {
    if (view.getUint32(end, true) !== END) continue;
    const [count, start] = [view.getUint16(end + 10, true), view.getUint32(end + 16, true)];
    const locator = end - LOCATOR_BYTES;
    const isLong = locator >= 0 && view.getUint32(locator, true) === LOCATOR_64;
    if (!isLong || (count !== FULL_16 && start !== FULL)) return { count, start };
    const record = within(long(locator + 8), END_64_BYTES);
    if (view.getUint32(record, true) !== END_64) throw damaged('the archive lost its end');
    return { count: long(record + 32), start: long(record + 48) };
  }
  throw damaged('the archive has no end');
}

/** Packed size, size and place of an entry; from its 64-bit extra field (id 1) if the short ones are full. */
function extended(view: DataView, long: Long, sizes: readonly number[], from: number, to: number): number[] {
  if (!sizes.includes(FULL)) return [...sizes];
  for (let at = from; at + 4 <= to; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let next = at + 4;
    return sizes.map((size) => {
      if (size !== FULL) return size;
      next += 8;
      if (next > to) throw damaged('the archive cuts a 64-bit size short');
      return long(next - 8);
    });
  }
  throw damaged('the archive lost a 64-bit size');
}

function packedEntry(name: string): UsageError {
  return new UsageError(
    'bad-model',
    `Expected an archive written by torch.save, whose entries are not compressed; found "${name}" compressed or encrypted. Save the weights again with torch.save.`,
  );
}

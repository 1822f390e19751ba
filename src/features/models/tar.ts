import { UsageError } from '../../base/index.js';

const BLOCK = 512;

/** Bytes read before giving up; the packages of networks have a fifth of this. */
const MOST_BYTES = 2 ** 30;

/**
 * The wanted files of a tar archive, by their path without its first folder (npm's `package/`). Paths are only compared, and
 * nothing is written. Other files are skipped without being kept in memory.
 */
export async function readTarFiles(
  archive: AsyncIterable<Uint8Array>,
  wanted: ReadonlySet<string>,
): Promise<Map<string, Buffer>> {
  const take = byteReader(archive);
  const found = new Map<string, Buffer>();
  for (;;) {
    const header = await take(BLOCK, true);
    // The archive ends with two blocks of zeros, or without them.
    if (header.every((byte) => byte === 0)) return found;
    const { name, size, isFile } = readHeader(header);
    const isWanted = isFile && wanted.has(name);
    const content = await take(Math.ceil(size / BLOCK) * BLOCK, isWanted);
    if (isWanted) found.set(name, content.subarray(0, size));
  }
}

/** Gives the next `count` bytes, or skips them if they are not to be kept. Only at the very end may they be missing. */
function byteReader(source: AsyncIterable<Uint8Array>): (count: number, isKept: boolean) => Promise<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  let seen = 0;
  return async (count, isKept) => {
    const parts: Uint8Array[] = [];
    for (let missing = count; missing > 0;) {
      if (rest.length === 0) {
        const next = await chunks.next();
        if (next.done) {
          if (missing === count && count === BLOCK) return Buffer.alloc(0);
          throw damagedArchive('it ends too early');
        }
        rest = next.value;
        seen += rest.length;
        if (seen > MOST_BYTES) throw damagedArchive('it is larger than any that holds a network');
      }
      const taken = rest.subarray(0, missing);
      if (isKept) parts.push(taken);
      rest = rest.subarray(taken.length);
      missing -= taken.length;
    }
    return Buffer.concat(parts);
  };
}

/** A header of the ustar format: name, size in octal digits, checksum, kind, and the front part of long names. */
function readHeader(block: Buffer): { name: string; size: number; isFile: boolean } {
  const text = (start: number, length: number): string =>
    block.toString('latin1', start, start + length).replace(/\0.*$/s, '');
  const octal = (start: number, length: number): number => {
    const digits = text(start, length).trim();
    return /^[0-7]{1,12}$/.test(digits) ? parseInt(digits, 8) : NaN;
  };
  const size = octal(124, 12);
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (Number.isNaN(size) || octal(148, 8) !== sum) throw damagedArchive('it has no header where one must be');
  const kind = text(156, 1);
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : '';
  const path = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  return { name: path.slice(path.indexOf('/') + 1), size, isFile: kind === '' || kind === '0' };
}

function damagedArchive(reason: string): UsageError {
  return new UsageError('bad-package', `The package is damaged: ${reason}. Fetch it again.`);
}

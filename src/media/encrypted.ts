import { open, type FileHandle } from 'node:fs/promises';

/** Boxes (ISO 14496-12) on the way from a file to the list of its kinds of samples. */
const PATH = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'];
/** Kinds of samples that are encrypted pictures: common encryption (ISO 23001-7), and that of one shop. */
const ENCRYPTED = new Set(['encv', 'drmi']);
/** More boxes than this in a row are no film. */
const MOST_BOXES = 100_000;

/**
 * Whether the pictures of an MP4 or MOV are encrypted. The decoder does not say: it takes the bytes as they are, and gives grey
 * pictures.
 */
export async function isEncrypted(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    return await search(file, 0, (await file.stat()).size, 0);
  } finally {
    await file.close();
  }
}

async function search(file: FileHandle, from: number, to: number, depth: number): Promise<boolean> {
  const header = Buffer.alloc(16);
  for (let at = from, boxes = 0; at + 8 <= to && boxes < MOST_BOXES; boxes++) {
    const { bytesRead } = await file.read(header, 0, 16, at);
    if (bytesRead < 8) return false;
    const name = header.toString('latin1', 4, 8);
    const short = header.readUInt32BE(0);
    const inside = at + (short === 1 ? 16 : 8);
    const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? to - at : short;
    const end = Math.min(to, at + size);
    if (end < inside) return false;
    if (depth === PATH.length) {
      if (ENCRYPTED.has(name)) return true;
    } else if (name === PATH[depth]) {
      // The list begins with its version and its length.
      const first = name === 'stsd' ? inside + 8 : inside;
      if (await search(file, first, end, depth + 1)) return true;
    }
    at = end;
  }
  return false;
}

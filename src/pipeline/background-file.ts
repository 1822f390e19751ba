import { createHash } from 'node:crypto';
import { z } from 'zod';

import { StoreError, type Matrix, zeros } from '../base/index.js';

/*
 * background.1, little-endian:
 *   0  8 bytes  "TLBACKGR"
 *   8  uint32   length of the header
 *  12  UTF-8    header, JSON: features, dim, sources
 *  ..  float32  for each row the largest size of its entries
 *  ..  int8     127·sign(v)·√(|v|/largest), row after row
 *  end 32 bytes SHA-256 of everything before
 * Square roots, because shots are compared by the roots of their entries.
 */
const MAGIC = 'TLBACKGR';
const HEADER_AT = 12;
const CHECKSUM_BYTES = 32;
const STEPS = 127;

const headerSchema = z.object({
  schema: z.literal('background.1'),
  features: z.string(),
  dim: z.int().positive(),
  sources: z.array(z.object({ sha256: z.string(), shots: z.int().nonnegative() })),
});

/** Raw vectors of unrelated footage, one row per shot, video after video. */
export type BackgroundFile = {
  readonly raw: Matrix;
  /** Names the features: vectors of others cannot be compared with these. */
  readonly features: string;
  /** The videos that the rows are from, in order, by the hash of their content. */
  readonly sources: readonly { readonly sha256: string; readonly shots: number }[];
};

/** A background as a file. */
export function encodeBackground({ raw, features, sources }: BackgroundFile): Buffer {
  const header = Buffer.from(JSON.stringify({ schema: 'background.1', features, dim: raw.cols, sources }), 'utf8');
  const first = HEADER_AT + header.length;
  const body = first + 4 * raw.rows + raw.data.length;
  const bytes = Buffer.alloc(body + CHECKSUM_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(header.length, 8);
  header.copy(bytes, HEADER_AT);
  for (let i = 0; i < raw.rows; i++) {
    const row = raw.data.subarray(i * raw.cols, (i + 1) * raw.cols);
    const largest = Math.fround(row.reduce((size, value) => Math.max(size, Math.abs(value)), 0));
    bytes.writeFloatLE(largest, first + 4 * i);
    row.forEach((value, k) => {
      const root = largest > 0 ? Math.sign(value) * Math.sqrt(Math.min(1, Math.abs(value) / largest)) : 0;
      bytes.writeInt8(Math.round(STEPS * root), first + 4 * raw.rows + i * raw.cols + k);
    });
  }
  checksum(bytes, body).copy(bytes, body);
  return bytes;
}

/** Reads such a file. Anything damaged or unknown is refused; `source` names the file in errors. */
export function decodeBackground(bytes: Uint8Array, source: string): BackgroundFile {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const body = buffer.length - CHECKSUM_BYTES;
  const refuse = (found: string): StoreError =>
    new StoreError('bad-background', `Expected a background file in "${source}", found ${found}. Make it again.`);
  if (body < HEADER_AT || buffer.toString('latin1', 0, 8) !== MAGIC) throw refuse('something else');
  if (!checksum(buffer, body).equals(buffer.subarray(body))) throw refuse('one that is cut off or altered');
  const first = HEADER_AT + buffer.readUInt32LE(8);
  const header = headerSchema.safeParse(parseJson(buffer.toString('utf8', HEADER_AT, first)));
  if (!header.success) throw refuse('another version');
  const { features, dim, sources } = header.data;
  const rows = sources.reduce((sum, { shots }) => sum + shots, 0);
  if (body !== first + rows * (4 + dim)) throw refuse('another number of rows than it says');
  const raw = zeros(rows, dim);
  for (let i = 0; i < rows; i++) {
    const largest = buffer.readFloatLE(first + 4 * i);
    if (!Number.isFinite(largest)) throw refuse('an entry that is not finite');
    for (let k = 0; k < dim; k++) {
      const root = buffer.readInt8(first + 4 * rows + i * dim + k) / STEPS;
      raw.data[i * dim + k] = largest * Math.sign(root) * root * root;
    }
  }
  return { raw, features, sources };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function checksum(bytes: Buffer, length: number): Buffer {
  return createHash('sha256').update(bytes.subarray(0, length)).digest();
}

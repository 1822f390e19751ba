import { createHash } from 'node:crypto';
import { StoreError, zeros } from '../base/index.js';
import type { Moment } from './types.js';
import { deepFlawOf } from './usable.js';

/*
 * moment.2, little-endian:
 *   0  8 bytes  "TLMOMENT"            24  float64  shot count
 *   8  uint32   version, 2            32  float64  sum of the weights
 *  12  uint32   dim                   40  float64  weighted sum of the mean vectors
 *  16  uint32   video count           ..  float64  upper triangle of the matrix, row after row
 *  20  uint32   flags, bit 0 = every  end 32 bytes SHA-256 of everything before
 *               row has unit length
 */
const MAGIC = 'TLMOMENT';
const VERSION = 2;
const HEADER_BYTES = 40;
const CHECKSUM_BYTES = 32;

/** A moment as bytes (format `moment.2`): versioned, and guarded by a checksum. */
export function encodeMoment(moment: Moment): Buffer {
  const { dim, matrix } = moment;
  const body = HEADER_BYTES + 8 * dim + 4 * dim * (dim + 1);
  const bytes = Buffer.alloc(body + CHECKSUM_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(VERSION, 8);
  bytes.writeUInt32LE(dim, 12);
  bytes.writeUInt32LE(moment.videoCount, 16);
  bytes.writeUInt32LE(moment.unitRows ? 1 : 0, 20);
  bytes.writeDoubleLE(moment.shotCount, 24);
  bytes.writeDoubleLE(moment.weight, 32);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = HEADER_BYTES;
  moment.means.forEach((value, k) => view.setFloat64(at + 8 * k, value, true));
  at += 8 * dim;
  for (let i = 0; i < dim; i++) {
    for (let j = i; j < dim; j++, at += 8) view.setFloat64(at, matrix.data[i * dim + j]!, true);
  }
  checksum(bytes, body).copy(bytes, body);
  return bytes;
}

/** The moment in bytes from `encodeMoment`. Anything damaged, unknown, or that no shots could give, is refused. */
export function decodeMoment(bytes: Uint8Array): Moment {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < HEADER_BYTES + CHECKSUM_BYTES || buffer.toString('latin1', 0, 8) !== MAGIC) {
    throw new StoreError(
      'not-a-moment',
      'Expected a stored topic context, found something else. Build the context again.',
    );
  }
  const version = buffer.readUInt32LE(8);
  if (version !== VERSION) {
    throw new StoreError(
      'moment-version',
      `Expected a topic context of version ${VERSION}, found ${version}. Build it again.`,
    );
  }
  const dim = buffer.readUInt32LE(12);
  const body = HEADER_BYTES + 8 * dim + 4 * dim * (dim + 1);
  if (buffer.length !== body + CHECKSUM_BYTES || !checksum(buffer, body).equals(buffer.subarray(body))) {
    throw new StoreError(
      'moment-damaged',
      'Expected a whole topic context, found one that is cut off or altered. Build the context again.',
    );
  }
  const matrix = zeros(dim, dim);
  const view = new DataView(buffer.buffer, buffer.byteOffset);
  const means = Float64Array.from({ length: dim }, (_, k) => view.getFloat64(HEADER_BYTES + 8 * k, true));
  let at = HEADER_BYTES + 8 * dim;
  for (let i = 0; i < dim; i++) {
    for (let j = i; j < dim; j++, at += 8) {
      matrix.data[i * dim + j] = matrix.data[j * dim + i] = view.getFloat64(at, true);
    }
  }
  const moment: Moment = {
    dim,
    videoCount: buffer.readUInt32LE(16),
    shotCount: buffer.readDoubleLE(24),
    unitRows: (buffer.readUInt32LE(20) & 1) === 1,
    matrix,
    weight: buffer.readDoubleLE(32),
    means,
  };
  const flaw = deepFlawOf(moment);
  if (flaw !== null) {
    throw new StoreError('moment-damaged', `Expected a valid topic context, found ${flaw}. Build the context again.`);
  }
  return moment;
}

function checksum(bytes: Buffer, length: number): Buffer {
  return createHash('sha256').update(bytes.subarray(0, length)).digest();
}

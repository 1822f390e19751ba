/** An `.npy` file of float32 rows in C order; `header` and `version` may say something else than what is there. */
export function encodeNpy(
  rows: readonly (readonly number[])[],
  knobs: { readonly version?: number; readonly header?: string } = {},
): Buffer {
  const { version = 1 } = knobs;
  const shape = `(${rows.length}, ${rows[0]?.length ?? 0})`;
  const text = knobs.header ?? `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`;
  const start = version === 1 ? 10 : 12;
  const padded = text.padEnd(Math.ceil((start + text.length + 1) / 64) * 64 - start - 1) + '\n';
  const head = Buffer.alloc(start);
  head.write('\x93NUMPY', 'latin1');
  head[6] = version;
  if (version === 1) head.writeUInt16LE(padded.length, 8);
  else head.writeUInt32LE(padded.length, 8);
  return Buffer.concat([head, Buffer.from(padded, 'latin1'), Buffer.from(Float32Array.from(rows.flat()).buffer)]);
}

import { readFile } from 'node:fs/promises';
import { z } from 'zod';

import { UsageError } from '../base/index.js';

const side = z.int().positive().max(4096);
const perChannel = z.tuple([z.number(), z.number(), z.number()]).readonly();
const spread = z.number().refine((value) => value !== 0, 'must not be zero');

/** The most characters about licence and origin in a record. */
export const LONGEST_NOTE = 1000;

/**
 * The record next to an ONNX file: which network it is, and the input it expects. `weights` writes the first fields for
 * networks that it imports; a record written by hand works for any network.
 */
export const networkRecord = z.object({
  schema: z.literal('network.1'),
  network: z.string().max(200),
  /** The format of the file that the graph was made from. */
  form: z.string().max(200),
  input: z.object({
    name: z.string().max(1000),
    width: side,
    height: side,
    frames: z.int().min(2).max(256).optional(),
    scaleTo: z.union([z.object({ width: side, height: side }), z.object({ shorterSide: side })]),
    channelOrder: z.enum(['rgb', 'bgr']),
    mean: perChannel,
    std: z.tuple([spread, spread, spread]).readonly(),
  }),
  hasPixelMean: z.boolean().default(false),
  pool5: z.enum(['end', 'both']).optional(),
  /** The first is the default feature. */
  layers: z
    .array(z.object({ name: z.string().max(1000), dim: z.int().positive(), isOutput: z.boolean() }))
    .min(1)
    .max(1000),
  dim: z.int().positive(),
  /** Of the ONNX file; a different file is refused. */
  sha256: z.string().optional(),
  /** What its source says about using it. */
  licence: z.string().max(LONGEST_NOTE).optional(),
  /** Where it came from. */
  origin: z.string().max(LONGEST_NOTE).optional(),
});
/** The content of such a record. */
export type NetworkRecord = z.infer<typeof networkRecord>;

/** The path of the record of an ONNX file: `c3d.json` for `c3d.onnx`. */
export function recordPath(onnxPath: string): string {
  return `${onnxPath.replace(/\.onnx$/i, '')}.json`;
}

/** The record next to an ONNX file; `null` if there is none. */
export async function readRecord(onnxPath: string): Promise<NetworkRecord | null> {
  const path = recordPath(onnxPath);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new UsageError('bad-record', `Could not read "${path}" (${code}). Check its permissions.`, { cause: error });
  }
  let issue = 'it is not JSON';
  try {
    const parsed = networkRecord.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    const [first] = parsed.error.issues;
    issue = `${first?.path.join('.') || 'top level'}: ${first?.message ?? 'not understood'}`;
  } catch {
    // Reported below.
  }
  throw new UsageError(
    'bad-record',
    `Expected the record of a network (schema network.1) in "${path}", found a problem: ${issue}. Correct it, or remove it to use the model without one.`,
  );
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { type Matrix, multiply, transpose, UsageError, zeros } from '../base/index.js';
import type { Network } from './network.js';
import { readInitializer, damaged } from './onnx-file.js';
import type { FeatureMatrix } from './types.js';

/** The network included in Throughline; `models/README.md` says where it comes from. */
export const EMBEDDED_MODEL = {
  name: 'efficientnet-lite0',
  file: new URL('../../models/efficientnet-lite0.onnx', import.meta.url),
  /** Of the file as published, in TFLite: what caches and records know the network by. */
  sha256: 'aa03e4017f54fd5c743bd397b0a3e136fab0942f9c7cd715064a31ca3e4fc996',
  /** Of the ONNX file made of it by `npm run models -- embedded`. */
  onnxSha256: '1532323880d68451d407a3f0909167b470132462b785446daa923c4e169311b8',
  /** The file's own metadata: the network was trained on (value − 127) / 128. */
  mean: 127,
  spread: 128,
  dim: 1280,
  sidePx: 224,
  licence: 'Apache-2.0 by the metadata of the model file',
} as const;

/** EfficientNet-Lite0 up to its vector of 1280 numbers. It gets whole frames, stretched to its size. */
export async function embeddedNetwork(): Promise<Network> {
  const { name, sha256, mean, spread, dim, sidePx: width, sidePx: height } = EMBEDDED_MODEL;
  await readEmbeddedFile();
  return {
    ...{ name, sha256, dim, output: 'feature', onnx: fileURLToPath(EMBEDDED_MODEL.file) },
    input: {
      ...{ name: 'input', width, height, scaleTo: { width, height }, channelOrder: 'rgb' },
      ...{ mean: [mean, mean, mean], std: [spread, spread, spread] },
    },
  };
}

/** The same with its graph, for inspection. */
export async function readEmbeddedNetwork(): Promise<Network & { readonly onnx: Uint8Array }> {
  return { ...(await embeddedNetwork()), onnx: await readEmbeddedFile() };
}

let head: Promise<ClassHead> | null = null;

/** Its classifier, read when first asked for. */
export function embeddedClassHead(): Promise<ClassHead> {
  return (head ??= readEmbeddedFile().then(readClassHead));
}

async function readEmbeddedFile(): Promise<Buffer> {
  const file = await readFile(EMBEDDED_MODEL.file).catch((error: unknown) => {
    throw new UsageError(
      'no-model',
      'Expected the embedded network in the installation, found none. Install Throughline again.',
      { cause: error },
    );
  });
  const sha256 = createHash('sha256').update(file).digest('hex');
  if (sha256 === EMBEDDED_MODEL.onnxSha256) return file;
  throw new UsageError(
    'bad-model',
    `Expected the embedded network with sha256 ${EMBEDDED_MODEL.onnxSha256}, found ${sha256}: it is damaged. Install Throughline again.`,
  );
}

/** The last layer of a classifier, which turns the vector of a picture into one number per class. */
export type ClassHead = {
  /** One column per class, one row per entry of a vector. */
  readonly weights: Matrix;
  readonly bias: Float32Array;
};

/** The names of its constants in the embedded ONNX file: no operation of the graph uses them. */
export const CLASS_HEAD = { stored: 'classes.stored', zero: 'classes.zero', scale: 'classes.scale', bias: 'classes.bias' }; // prettier-ignore

/** Reads the classifier kept in an ONNX file:  w = scale · (stored − zero), as a 32-bit float, one scale per class. */
export function readClassHead(file: Uint8Array): ClassHead {
  const [stored, zero, scale, bias] = (['stored', 'zero', 'scale', 'bias'] as const).map((part) =>
    readInitializer(file, CLASS_HEAD[part]),
  );
  if (!stored || !zero || !scale || !bias) throw damaged('it has no classifier');
  const floats = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
  const [zeros, scales] = [floats(zero), floats(scale)];
  const [rows, cols] = [scales.length, stored.length / scales.length];
  const codes = new Int8Array(stored.buffer, stored.byteOffset, stored.length);
  const data = new Float64Array(codes.length);
  for (let row = 0, at = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++, at++) data[at] = Math.fround((codes[at]! - zeros[row]!) * scales[row]!);
  }
  return { weights: transpose({ rows, cols, data }), bias: floats(bias) };
}

/**
 * What a shot shows, by classes:  x_c = √p_c,  p = softmax(Wu + b)   for the vector u of the shot.
 * Rows have length one; their cosine is Bhattacharyya's coefficient, high only if two shots share likely classes.
 */
export function classRoots({ shotCount, dim, data }: FeatureMatrix, { weights, bias }: ClassHead): Matrix {
  const roots = zeros(shotCount, bias.length);
  const logits = multiply({ rows: shotCount, cols: dim, data: Float64Array.from(data) }, weights).data;
  for (let start = 0; start < logits.length; start += bias.length) {
    let [highest, sum] = [-Infinity, 0];
    for (let c = 0; c < bias.length; c++) highest = Math.max(highest, (logits[start + c]! += bias[c]!));
    for (let c = 0; c < bias.length; c++) sum += logits[start + c] = Math.exp(logits[start + c]! - highest);
    for (let c = 0; c < bias.length; c++) roots.data[start + c] = Math.sqrt(logits[start + c]! / sum);
  }
  return roots;
}

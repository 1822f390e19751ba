import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { UsageError } from '../base/index.js';
import { type ClassHead, readClassHead } from './classes.js';
import type { Network } from './network.js';
import { convertTflite } from './tflite-to-onnx.js';

/** The network included in Throughline; `models/README.md` says where it comes from. */
export const EMBEDDED_MODEL = {
  name: 'efficientnet-lite0',
  file: new URL('../../models/efficientnet-lite0.tflite', import.meta.url),
  sha256: 'aa03e4017f54fd5c743bd397b0a3e136fab0942f9c7cd715064a31ca3e4fc996',
  /** The file's own metadata: the network was trained on (value − 127) / 128. */
  mean: 127,
  spread: 128,
  dim: 1280,
  sidePx: 224,
  licence: 'Apache-2.0 by the metadata of the model file',
} as const;

/** EfficientNet-Lite0 up to its vector of 1280 numbers, as its file, which is converted where it runs. It gets whole frames, stretched to its size. */
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
  const { onnx } = convertTflite(await readEmbeddedFile());
  return { ...(await embeddedNetwork()), onnx };
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
  if (sha256 === EMBEDDED_MODEL.sha256) return file;
  throw new UsageError(
    'bad-model',
    `Expected the embedded network with sha256 ${EMBEDDED_MODEL.sha256}, found ${sha256}: it is damaged. Install Throughline again.`,
  );
}

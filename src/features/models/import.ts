import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { UsageError } from '../../base/index.js';
import { importWeights, type ImportOptions } from '../weights/index.js';
import { askedColour, type Asked } from './asked.js';
import { storeNetwork, type WriteParts } from './folder.js';

/** How a weights file is imported; `mean` and `std` as people write them, red first on the scale 0 to 1. */
export type ImportChoice = Pick<ImportOptions, 'network' | 'channelOrder' | 'pool5' | 'upTo'> &
  Pick<Asked, 'mean' | 'std'> & {
    /** Default: the name of the network. */
    readonly name?: string | undefined;
    /** Path of a per-pixel mean. */
    readonly pixelMean?: string | undefined;
  };

/** Makes a published weights file into a network of the models folder. */
export async function importNetwork(
  path: string,
  { name, pixelMean, mean, std, ...options }: ImportChoice,
  write: WriteParts,
): Promise<{ readonly name: string; readonly path: string; readonly dim: number }> {
  const file = await readWhole(path, 'weights');
  const { onnx, sidecar } = importWeights(file, {
    ...options,
    ...(pixelMean !== undefined && { pixelMean: await readWhole(pixelMean, 'mean') }),
  });
  if (sidecar.hasPixelMean && (mean !== undefined || std !== undefined)) {
    throw new UsageError('bad-mean', 'Expected either --pixel-mean or --mean and --std, found both. Leave one out.');
  }
  const { channelOrder } = sidecar.input;
  const input = {
    ...sidecar.input,
    mean: askedColour('--mean', mean, channelOrder) ?? sidecar.input.mean,
    std: askedColour('--std', std, channelOrder) ?? sidecar.input.std,
  };
  const record = {
    ...sidecar,
    input,
    layers: [...sidecar.layers],
    sha256: createHash('sha256').update(onnx).digest('hex'),
    licence: 'weights files state none; ask where this one came from',
    origin: basename(path),
  };
  const stored = name ?? sidecar.network;
  return { name: stored, path: await storeNetwork(stored, { onnx, record }, write), dim: sidecar.dim };
}

function readWhole(path: string, what: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError('no-model', `Could not read the ${what} "${path}" (${error.code}). Check the path.`, {
      cause: error,
    });
  });
}

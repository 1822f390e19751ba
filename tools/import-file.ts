import { readFile } from 'node:fs/promises';

import { UsageError, whyUnreadable } from '../src/base/index.js';
import {
  type ImportChoice,
  type ImportedGraph,
  importNetwork,
  keepImported,
  type StoredImport,
  takeOnnx,
  type WriteParts,
} from '../src/features/models.js';
import { askedColour } from '../src/features/network-of.js';
import { readPixelMean, subtractMean } from './pixel-mean.js';
import { type ImportOptions, importWeights } from './weights.js';

/** How a weights file, or an ONNX file with a training mean, is imported. */
export type FileChoice = ImportChoice &
  Pick<ImportOptions, 'pool5' | 'upTo'> & {
    /** Path of a per-pixel mean. */
    readonly pixelMean?: string | undefined;
  };

/** Turns a published weights file, or an ONNX file, into a network of the models folder. */
export async function importFile(path: string, choice: FileChoice, write: WriteParts): Promise<StoredImport> {
  if (!/\.onnx$/i.test(path)) return keepImported(path, await convertWeights(path, choice), choice, write);
  refuse(choice, ['pool5', 'upTo'], 'an ONNX file');
  if (choice.pixelMean === undefined) return importNetwork(path, choice, write);
  return keepImported(path, await centreOnnx(path, choice, choice.pixelMean), choice, write);
}

async function convertWeights(path: string, choice: FileChoice): Promise<ImportedGraph> {
  const { network, channelOrder, pool5, upTo, pixelMean, mean, std } = choice;
  if (network === 'onnx') {
    throw new UsageError('bad-option', `Expected a file with the ending .onnx for --network onnx, found "${path}".`);
  }
  refuse(choice, ['layer', 'input'], 'weights');
  if (pixelMean !== undefined) refuseTwoMeans(mean, std);
  const { onnx, sidecar } = importWeights(await readWhole(path, 'weights'), {
    network,
    ...(channelOrder && { channelOrder }),
    ...(pool5 && { pool5 }),
    ...(upTo && { upTo }),
    ...(pixelMean !== undefined && { pixelMean: await readWhole(pixelMean, 'mean') }),
  });
  const { input } = sidecar;
  const fed = {
    ...input,
    mean: askedColour('--mean', mean, input.channelOrder) ?? input.mean,
    std: askedColour('--std', std, input.channelOrder) ?? input.std,
  };
  return { onnx, record: { ...sidecar, input: fed, layers: [...sidecar.layers] } };
}

/** An ONNX file with a mean by pixel subtracted inside its graph. */
async function centreOnnx(path: string, choice: FileChoice, pixelMean: string): Promise<ImportedGraph> {
  const { onnx, record } = await takeOnnx(path, choice);
  refuseTwoMeans(choice.mean, choice.std, record.hasPixelMean);
  const { frames, height, width, name } = record.input;
  const extent = [...(frames === undefined ? [] : [frames]), height, width];
  const centred = subtractMean(onnx, name, readPixelMean(await readWhole(pixelMean, 'mean'), extent));
  // The spread is one: means by pixel go with networks that are fed bytes.
  const fed = { ...record.input, name: centred.input, mean: [0, 0, 0], std: [1, 1, 1] } as const;
  return { onnx: centred.onnx, record: { ...record, input: fed, hasPixelMean: true } };
}

function refuse(choice: FileChoice, names: readonly (keyof FileChoice)[], what: string): void {
  const given = names.find((name) => choice[name] !== undefined);
  if (given === undefined) return;
  const option = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError('bad-option', `Expected ${what} without --${option}, found both. Leave the option out.`);
}

function refuseTwoMeans(mean: string | undefined, std: string | undefined, hasPixelMean = false): void {
  if (hasPixelMean) {
    throw new UsageError('bad-mean', 'This network subtracts a mean of its own from each pixel. Leave --pixel-mean out.'); // prettier-ignore
  }
  if (mean !== undefined || std !== undefined) {
    throw new UsageError('bad-mean', 'Expected either --pixel-mean or --mean and --std, found both. Leave one out.');
  }
}

function readWhole(path: string, what: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      'no-model',
      `Could not read the ${what} "${path}" (${whyUnreadable(error)}). Check the path.`,
      {
        cause: error,
      },
    );
  });
}

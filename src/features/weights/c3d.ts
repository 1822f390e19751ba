import { plainPooling } from './conv-net.js';
import { pairNames, type Naming } from './naming.js';
import { buildNetwork, type GraphOptions } from './network.js';
import { SPORTS1M } from './training-colours.js';
import type { ImportedNetwork, Weights } from './types.js';

const CONVOLUTIONS = ['conv1', 'conv2', 'conv3a', 'conv3b', 'conv4a', 'conv4b', 'conv5a', 'conv5b'];
const LAYERS = [...CONVOLUTIONS, 'fc6', 'fc7'];

const caffeNames = ['conv1a', 'conv2a', ...CONVOLUTIONS.slice(2)];
const sequential = [0, 3, 6, 8, 11, 13, 16, 18].map((k) => `features.${k}`);

/** The known published files; docs/rooms/features-weights.md describes each. */
const NAMINGS: readonly Naming[] = [
  { form: 'caffe', names: pairNames(LAYERS, [...caffeNames, 'fc6-1', 'fc7-1']), ...SPORTS1M },
  { form: 'caffe', names: pairNames(LAYERS, [...caffeNames, 'fc6', 'fc7']), ...SPORTS1M },
  { form: 'torch', names: pairNames(LAYERS, LAYERS), ...SPORTS1M },
  { form: 'torch', names: pairNames(LAYERS, [...sequential, 'classifier.0', 'classifier.3']), ...SPORTS1M },
  {
    form: 'torch',
    names: pairNames(LAYERS, [...caffeNames.map((name) => `${name}.conv`), 'fc6', 'fc7']),
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
      namings: NAMINGS,
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

import { plainPooling } from './conv-net.js';
import { pairNames, type Naming } from './naming.js';
import { buildNetwork, type GraphOptions } from './network.js';
import type { ImportedNetwork, Weights } from './types.js';

/** Convolutions before each pooling. */
const STAGES = [2, 2, 3, 3, 3].map((count, stage) =>
  Array.from({ length: count }, (_, k) => `conv${stage + 1}_${k + 1}`),
);
const LAYERS = [...STAGES.flat(), 'fc6', 'fc7'];

/** torchvision counts every ReLU and pooling as a module of its own. */
const sequential = [0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28].map((k) => `features.${k}`);

const NAMINGS: readonly Naming[] = [
  {
    form: 'caffe',
    names: pairNames(LAYERS, LAYERS),
    // ImageNet's mean as published with the model, blue first.
    channelOrder: 'bgr',
    mean: [103.939, 116.779, 123.68],
    std: [1, 1, 1],
  },
  {
    form: 'torch',
    names: pairNames(LAYERS, [...sequential, 'classifier.0', 'classifier.3']),
    // torchvision's 0.485, 0.456, 0.406 and 0.229, 0.224, 0.225, on bytes.
    channelOrder: 'rgb',
    mean: [123.675, 116.28, 103.53],
    std: [58.395, 57.12, 57.375],
  },
];

/** VGG-16 (Simonyan & Zisserman 2014, configuration D) up to fc6 or fc7 as ONNX. */
export function vggGraph(weights: Weights, options: GraphOptions = {}): ImportedNetwork {
  return buildNetwork(
    {
      network: 'vgg16',
      namings: NAMINGS,
      extent: [224, 224],
      scaleTo: { shorterSide: 256 },
      stages: STAGES.map((convolutions) => ({ convolutions, pooling: plainPooling([2, 2]) })),
      dense: options.upTo === 'fc6' ? ['fc6'] : ['fc6', 'fc7'],
    },
    weights,
    options,
  );
}

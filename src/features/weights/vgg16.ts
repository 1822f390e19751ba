import { plainPooling } from './conv-net.js';
import { pairNames, type Naming } from './naming.js';
import { buildNetwork, type GraphOptions } from './network.js';
import { CAFFE_IMAGENET, TORCHVISION } from './training-colours.js';
import type { ImportedNetwork, Weights } from './types.js';

/** Convolutions before each pooling. */
const STAGES = [2, 2, 3, 3, 3].map((count, stage) =>
  Array.from({ length: count }, (_, k) => `conv${stage + 1}_${k + 1}`),
);
const LAYERS = [...STAGES.flat(), 'fc6', 'fc7'];

/** torchvision counts every ReLU and pooling as a module of its own. */
const sequential = [0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28].map((k) => `features.${k}`);

const NAMINGS: readonly Naming[] = [
  { form: 'caffe', names: pairNames(LAYERS, LAYERS), ...CAFFE_IMAGENET },
  { form: 'torch', names: pairNames(LAYERS, [...sequential, 'classifier.0', 'classifier.3']), ...TORCHVISION },
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

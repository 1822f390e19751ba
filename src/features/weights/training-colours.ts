import type { NetworkInput } from './types.js';

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

/** Sports-1M, blue first: sport1m_train16_128_mean averaged over place and time (docs/rooms/features-weights.md). */
export const SPORTS1M = {
  channelOrder: 'bgr',
  mean: [90.25, 97.66, 101.41],
  std: [1, 1, 1],
} as const satisfies TrainingColours;

import { z } from 'zod';

import {
  ADDABLE_NAMES,
  BLOCK_NAMES,
  BLOCK_WEIGHT,
  DEVICES,
  FEATURE_NAMES,
  MEAN_BOUNDS,
  NORMALISATIONS,
  parseBlocks,
  parseColour,
  parseRowStep,
  parseSize,
  STD_BOUNDS,
} from '../features/index.js';

/** Where shots begin and end, and the vectors they are compared by. */
export const vectorOptions = {
  segmenter: z.enum(['colour', 'uniform', 'kts']).default('colour').meta({
    description:
      'How a video is cut into shots: colour (where the picture changes most), uniform (equal shots) or kts (kernel temporal segmentation).',
    placeholder: 'NAME',
    affectsResult: true,
  }),
  minShot: z.int().min(1).default(32).meta({
    description: 'Shortest shot.',
    placeholder: 'FRAMES',
    unit: 'frames',
    affectsResult: true,
  }),
  maxShot: z.int().min(1).default(96).meta({
    description: 'Longest shot; at least twice the shortest.',
    placeholder: 'FRAMES',
    unit: 'frames',
    affectsResult: true,
  }),
  shots: z.string().optional().meta({
    description: 'Use the shots of this list (CSV or JSON) instead of finding them.',
    placeholder: 'FILE',
    affectsResult: true,
  }),
  features: z
    .enum(FEATURE_NAMES)
    .default('default')
    .meta({
      description: `What a shot is described by: default (the embedded network), shallow (made by hand, no network), c3d (windows of 16 frames), vgg (pictures), onnx (any network, with --model), or a network that was added: ${ADDABLE_NAMES.join(', ')} (throughline models add NAME).`,
      placeholder: 'NAME',
      affectsResult: true,
    }),
  model: z.string().min(1).optional().meta({
    description:
      'The network of c3d, vgg or onnx: an .onnx file, or the name of one in the models folder (throughline models list). Default for c3d and vgg: the one imported there.',
    placeholder: 'FILE',
    affectsResult: true,
  }),
  layer: z.string().min(1).optional().meta({
    description: 'Tensor of the network that is the feature. Default: fc6 for c3d, fc7 for vgg, else the first output.',
    placeholder: 'NAME',
    affectsResult: true,
  }),
  input: z
    .string()
    .refine((text) => parseSize(text) !== null, 'Expected WIDTHxHEIGHT, such as 224x224')
    .optional()
    .meta({
      description: 'Size of the pictures the network is given, where its file leaves it open. Default: 224x224.',
      placeholder: 'WIDTHxHEIGHT',
      affectsResult: true,
    }),
  mean: z
    .string()
    .refine(
      (text) => parseColour(text, ...MEAN_BOUNDS) !== null,
      'Expected three numbers from 0 to 1, such as 0.485,0.456,0.406',
    )
    .optional()
    .meta({
      description:
        'Subtracted from each picture: red, green, blue on the scale 0 to 1, as CLIP, DINO and torchvision state theirs. Default: as the network’s record says, else 0.485,0.456,0.406.',
      placeholder: 'R,G,B',
      affectsResult: true,
    }),
  std: z
    .string()
    .refine(
      (text) => parseColour(text, ...STD_BOUNDS) !== null,
      'Expected three numbers above 0 on the scale 0 to 1, such as 0.229,0.224,0.225',
    )
    .optional()
    .meta({
      description:
        'What each picture is then divided by, on the same scale. Default: as the network’s record says, else 0.229,0.224,0.225.',
      placeholder: 'R,G,B',
      affectsResult: true,
    }),
  vectors: z.string().min(1).optional().meta({
    description:
      'Take the vectors of shots from here instead of making them: a folder with an .npy or .h5 file a video, by its name, or one .h5 file with a dataset a video. Rows are of shots (with --shots), or of frames, which are averaged over each shot.',
    placeholder: 'PATH',
    affectsResult: true,
  }),
  vectorsEvery: z
    .string()
    .refine((text) => parseRowStep(text) !== null, 'Expected a whole number of frames (16) or a time (0.5s)')
    .optional()
    .meta({
      description:
        'How far apart the rows of --vectors are: a number of frames (16) or a time (0.5s). Default: found from their number.',
      placeholder: 'STEP',
      affectsResult: true,
    }),
  fast: z.boolean().default(false).meta({
    description:
      'Decode key pictures only, each standing for all frames up to the next: much faster, but shots between two key pictures look alike.',
    affectsResult: true,
  }),
  device: z
    .enum(DEVICES)
    .default('cpu')
    .meta({
      description:
        'Where the network computes: cpu, or a graphics device the network runtime was built for. Devices differ in the last digits.',
      placeholder: DEVICES.join('|'),
      affectsResult: true,
    }),
  normalise: z
    .enum(NORMALISATIONS)
    .default('root')
    .meta({
      description:
        'How the vectors of shots are scaled before they are compared: length (to length one) or root (roots of the entries first, so that few strong ones count less).',
      placeholder: NORMALISATIONS.join('|'),
      affectsResult: true,
    }),
  blocks: z
    .string()
    .refine(
      (text) => parseBlocks(text) !== null,
      `Expected blocks of ${BLOCK_NAMES.join(' and ')}, with commas between them, such as motion or motion=0.3,sound=0.1; at most 0.9 together`,
    )
    .optional()
    .meta({
      description: `What shots are compared by beside their pictures: ${BLOCK_NAMES.join(', ')}, or both with a comma between them. Each takes a share of the comparison, ${BLOCK_WEIGHT} unless stated (motion=0.3).`,
      placeholder: 'NAMES',
      affectsResult: true,
    }),
  whiten: z.int().min(1).max(4096).optional().meta({
    description:
      'Bring the vectors of a topic to this many directions and even out how much shots differ along each (PCA-whitening).',
    placeholder: 'COUNT',
    affectsResult: true,
  }),
} as const;

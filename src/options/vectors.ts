import { z } from 'zod';
import {
  BLOCK_NAMES,
  BLOCK_WEIGHT,
  DEVICES,
  FEATURE_NAMES,
  FETCHED_NAMES,
  MEAN_BOUNDS,
  NORMALISATIONS,
  parseBlocks,
  parseColour,
  parseRowStep,
  parseSize,
  STD_BOUNDS,
} from '../features/index.js';
import { DEFAULT_BOUNDS, SEGMENTER_NAMES } from '../shots/index.js';

/** Where shots begin and end, and the vectors they are compared by. */
export const vectorOptions = {
  segmenter: z.enum(SEGMENTER_NAMES).default('colour').meta({
    description:
      'How a video is divided into shots: colour (at cuts, and where the picture changes inside long takes), uniform (shots of equal length) or kts (kernel temporal segmentation).',
    placeholder: 'NAME',
    group: 'features',
  }),
  shotsBy: z.enum(['seconds', 'frames']).default('seconds').meta({
    description:
      'Unit of --min-shot and --max-shot: seconds, or frames as in the paper. With --method cvs-paper the default is frames.',
    placeholder: 'seconds|frames',
    group: 'features',
  }),
  minShot: z
    .number()
    .positive()
    .max(3600)
    .optional()
    .meta({
      description: `Shortest shot that may be chosen; what is shorter between two cuts is left out. Default: ${DEFAULT_BOUNDS.seconds.min} s, or ${DEFAULT_BOUNDS.frames.min} frames with --shots-by frames.`,
      placeholder: 'LENGTH',
      group: 'features',
    }),
  maxShot: z
    .number()
    .positive()
    .max(65535)
    .optional()
    .meta({
      description: `Longest shot; at least twice the shortest. Default: ${DEFAULT_BOUNDS.seconds.max} s, or ${DEFAULT_BOUNDS.frames.max} frames with --shots-by frames.`,
      placeholder: 'LENGTH',
      group: 'features',
    }),
  speech: z.enum(['network', 'energy']).default('network').meta({
    description:
      'How speech is found in the sound, so that clips begin and end in a pause: network (the bundled speech network) or energy (loudness alone).',
    placeholder: 'NAME',
    group: 'features',
  }),
  shots: z.string().optional().meta({
    description: 'Use the shots listed in this file (CSV or JSON) instead of detecting them.',
    placeholder: 'FILE',
    group: 'features',
  }),
  features: z
    .enum(FEATURE_NAMES)
    .default('default')
    .meta({
      description: `Features that describe a shot: default (the bundled network), shallow (hand-crafted, no network), c3d (windows of 16 frames), vgg (single pictures), onnx (any network; needs --model), or one fetched into the models folder (models/README.md): ${FETCHED_NAMES.join(', ')}.`,
      placeholder: 'NAME',
      group: 'features',
    }),
  model: z.string().min(1).optional().meta({
    description:
      'Network for c3d, vgg or onnx: an .onnx file, or a name from "throughline models list". Default for c3d and vgg: the imported one.',
    placeholder: 'FILE',
    group: 'features',
  }),
  layer: z.string().min(1).optional().meta({
    description:
      'Tensor of the network to use as the feature. Default: fc6 for c3d, fc7 for vgg, otherwise the first output.',
    placeholder: 'NAME',
    group: 'features',
  }),
  input: z
    .string()
    .refine((text) => parseSize(text) !== null, 'Expected WIDTHxHEIGHT, such as 224x224')
    .optional()
    .meta({
      description: 'Size of the network’s input pictures, if its file does not fix it. Default: 224x224.',
      placeholder: 'WIDTHxHEIGHT',
      group: 'features',
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
        'Mean subtracted from each picture: red, green, blue on the scale 0 to 1, as published for CLIP, DINO and torchvision. Default: from the network’s record, otherwise 0.485,0.456,0.406.',
      placeholder: 'R,G,B',
      group: 'features',
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
        'Standard deviation each picture is then divided by, on the same scale. Default: from the network’s record, otherwise 0.229,0.224,0.225.',
      placeholder: 'R,G,B',
      group: 'features',
    }),
  vectors: z.string().min(1).optional().meta({
    description:
      'Feature vectors computed elsewhere: a folder with one .npy or .h5 file per video, or one .h5 file with a dataset per video. Each row is a shot (with --shots) or a frame; frames are averaged over each shot.',
    placeholder: 'PATH',
    group: 'features',
  }),
  vectorsEvery: z
    .string()
    .refine((text) => parseRowStep(text) !== null, 'Expected a whole number of frames (16) or a time (0.5s)')
    .optional()
    .meta({
      description:
        'Distance between the rows of --vectors: a number of frames (16) or a time (0.5s). Default: worked out from the number of rows.',
      placeholder: 'STEP',
      group: 'features',
    }),
  fast: z.boolean().default(false).meta({
    description:
      'Decode key pictures only, each standing for all frames up to the next. Much faster, but all shots between two key pictures look the same.',
    group: 'features',
  }),
  device: z
    .enum(DEVICES)
    .default('cpu')
    .meta({
      description:
        'Where the network runs: cpu, or a graphics device that the network runtime was built for. Results differ between devices in the last digits.',
      placeholder: DEVICES.join('|'),
      group: 'features',
    }),
  normalise: z
    .enum(NORMALISATIONS)
    .default('root')
    .meta({
      description:
        'How vectors are scaled before they are compared: length (to length one) or root (first take square roots of the entries, so that a few strong ones count less). With --method cvs-paper the default is length.',
      placeholder: NORMALISATIONS.join('|'),
      group: 'features',
    }),
  blocks: z
    .string()
    .refine(
      (text) => parseBlocks(text) !== null,
      `Expected ${BLOCK_NAMES.join(' or ')}, or both separated by a comma, such as motion or motion=0.3,sound=0.1; at most 0.9 together`,
    )
    .optional()
    .meta({
      description: `What else to compare shots by, besides their pictures: ${BLOCK_NAMES.join(', ')}, or both separated by a comma. Each takes a share of the comparison, ${BLOCK_WEIGHT} unless stated (motion=0.3).`,
      placeholder: 'NAMES',
      group: 'features',
    }),
  background: z.string().optional().meta({
    description:
      'File of unrelated footage that evidence compares shots with, made by "throughline background" with the same features. The included network has one.',
    placeholder: 'FILE',
    group: 'features',
  }),
  whiten: z.int().min(1).max(4096).optional().meta({
    description:
      'Reduce the vectors of a topic to this many dimensions and equalise the variance along each (PCA whitening).',
    placeholder: 'COUNT',
    group: 'features',
  }),
} as const;

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
import { cvsDefaults, METHOD_NAMES, methods } from '../select/index.js';
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

/** How shots are chosen, how the videos of a topic relate, and the resources of a run. */
export const choiceOptions = {
  method: z
    .enum(METHOD_NAMES)
    .default('cvs')
    .meta({
      description: `How shots are chosen: ${METHOD_NAMES.map((name) => `${name} (${methods[name].summary})`).join(', ')}.`,
      placeholder: 'NAME',
      group: 'method',
    }),
  seed: z.int().min(0).max(0xffffffff).default(1).meta({
    description: 'Seed for methods that use random numbers. The same seed gives the same summary.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  relate: z.boolean().default(true).meta({
    description:
      'Compare the videos with each other. Copies count once together; videos that do not seem to belong are named.',
    off: 'Every video counts once; strays and doubles are not looked for.',
    group: 'method',
  }),
  dropStrays: z.boolean().default(false).meta({
    description: 'Leave out videos that do not seem to belong to the topic, instead of only naming them.',
    group: 'method',
  }),
  allowBad: z.boolean().default(false).meta({
    description:
      'Choose shots with bad pictures (black, flat, out of focus, shaken and the like) like others. By default only if pinned, or if no other shot is left.',
    group: 'method',
  }),
  neighbors: z.enum(['equal', 'similar']).default('equal').meta({
    description:
      'How much the other videos count when one is summarised: equal (all the same) or similar (more similar videos count more).',
    placeholder: 'equal|similar',
    group: 'method',
  }),
  autoTopics: z.boolean().default(false).meta({
    description: 'Sort the videos into topics by what they show, and summarise each topic in its own folder.',
    group: 'output',
  }),
  groups: z.int().min(1).max(10_000).optional().meta({
    description: 'Number of topics to sort the videos into. Default: as many as can be told apart.',
    placeholder: 'COUNT',
    group: 'output',
  }),
  contextWeight: z.number().min(0).max(10).default(cvsDefaults.contextWeight).meta({
    description: 'How much the other videos count (α in the paper); 0 looks at each video alone.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  shared: z.number().min(0).max(1).default(cvsDefaults.shared).meta({
    description:
      'What cvs looks for: 0 is what only this video shows, 1 is what the topic shares, 0.5 is both, as in the paper.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  diversity: z.number().min(0).max(1).default(cvsDefaults.diversity).meta({
    description: 'How strongly similar shots exclude each other (λd in the paper).',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  evidence: z.number().min(0).max(5).optional().meta({
    description:
      'How much the evidence for a shot counts: its price in the problem is exp(−evidence × deviations). 0 is the paper’s problem. Default: 1; 0 with --method cvs-paper.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  sparsity: z.number().gt(0).lt(1).optional().meta({
    description:
      'How strongly importance concentrates on few shots, from 0 to 1: λs as a share of the value at which nothing is chosen (1/γ in the paper). Default: 0.5; 0.3 for a video alone; with --method cvs-paper 0.02 of the paper’s λ0.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  jobs: z.int().min(1).max(256).optional().meta({
    description:
      'Number of videos processed at the same time; the results stay the same. Default: the number of processor cores, at most 4.',
    placeholder: 'COUNT',
    group: 'output',
    affectsResult: false,
  }),
  cache: z.string().min(1).optional().meta({
    description: 'Cache folder. Default: $THROUGHLINE_CACHE if set, otherwise the user’s cache folder.',
    placeholder: 'FOLDER',
    group: 'output',
    affectsResult: false,
  }),
  verify: z.boolean().default(false).meta({
    description:
      'Read every file again, also those that have not changed since an earlier run by device, inode, size and times.',
    group: 'output',
    affectsResult: false,
  }),
} as const;

import { z } from 'zod';

import { UsageError } from './base/index.js';
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
} from './features/index.js';
import { parsePictures, PICTURES } from './export/index.js';
import { cvsDefaults, METHOD_NAMES, methods } from './select/index.js';
import { FILM_ORDERS } from './summary/index.js';
import { parseWish, WISH_FORM } from './wishes.js';

/** One option as people meet it: in the CLI's help, the configuration file and the documentation. */
export type OptionFacts = {
  readonly description: string;
  /** What stands for the value in help texts; absent for switches. */
  readonly placeholder?: string;
  readonly unit?: string;
  /** May be given several times; its value is a list. */
  readonly isList: boolean;
  /** Options that cannot change a result are not part of the record of a run. */
  readonly affectsResult: boolean;
};

/** Wishes about shots, by file and time or number. */
const wishes = z.array(z.string().refine((text) => parseWish(text) !== null, `Expected ${WISH_FORM}`));

/** Shots by file and number, in an order made by hand. */
const shotNames = z.array(
  z.string().refine((text) => parseWish(text)?.kind === 'shot', 'Expected FILE#SHOT, such as "paris.mp4#4"'),
);

/** Every option of a run, declared once: type, default, description, unit. */
const declared = {
  length: z.string().default('15%').meta({
    description:
      'Length of each summary: a share of the video (15%), a time (30s, 1m30s) or a number of shots (12 shots).',
    placeholder: 'LENGTH',
    affectsResult: true,
  }),
  out: z.string().min(1).optional().meta({
    description:
      'Folder for films, storyboards, summary.json and report.html. Default: the topic folder’s name with "-summary" added, beside it.',
    placeholder: 'FOLDER',
    affectsResult: false,
  }),
  topic: z.string().trim().min(1).optional().meta({
    description: 'What the topic is called. Default: the name of its folder.',
    placeholder: 'NAME',
    affectsResult: true,
  }),
  recursive: z.boolean().default(false).meta({
    description: 'Look for videos in subfolders too.',
    affectsResult: false,
  }),
  pin: wishes.optional().meta({
    description:
      'What must be in the summary: FILE@FROM-TO (times from the first picture) plays exactly that, FILE#4 plays shot 4 as the report counts. May be given several times.',
    placeholder: 'WISH',
    affectsResult: true,
  }),
  veto: wishes.optional().meta({
    description: 'What must not be in the summary, spelled like a pin. May be given several times.',
    placeholder: 'WISH',
    affectsResult: true,
  }),
  minClip: z.number().gt(0).max(3600).optional().meta({
    description: 'Shortest clip of a film; shorter ones are widened at both ends.',
    placeholder: 'SECONDS',
    unit: 'seconds',
    affectsResult: true,
  }),
  maxClip: z.number().gt(0).max(3600).optional().meta({
    description:
      'Longest clip of a film: of a longer shot its middle plays, and no shot joins that would prolong a clip.',
    placeholder: 'SECONDS',
    unit: 'seconds',
    affectsResult: true,
  }),
  handles: z.int().min(0).max(10_000).default(0).meta({
    description:
      'Frames added before and after every clip of a film, as far as there are any; they count towards the length.',
    placeholder: 'FRAMES',
    unit: 'frames',
    affectsResult: true,
  }),
  order: z
    .enum(FILM_ORDERS)
    .default('film')
    .meta({
      description:
        'Order in which a film plays its clips: film (as they were filmed; in the film of a topic, what comes early in its video comes early), importance (the most important first) or source (the film of a topic video by video).',
      placeholder: FILM_ORDERS.join('|'),
      affectsResult: true,
    }),
  sequence: shotNames.optional().meta({
    description:
      'Order made by hand for the film of each video: its shots (FILE#4, as the report counts) play in the order given; clips without any of them follow what they follow by --order. May be given several times.',
    placeholder: 'SHOT',
    affectsResult: true,
  }),
  topicSequence: shotNames.optional().meta({
    description: 'Order made by hand for the film of the topic, spelled like --sequence. May be given several times.',
    placeholder: 'SHOT',
    affectsResult: true,
  }),
  films: z.boolean().default(true).meta({
    description: 'Render a film of each summary.',
    affectsResult: true,
  }),
  concept: z.string().min(1).optional().meta({
    description:
      'Also make one film of the whole topic, this long: a time (60s), a share of all footage (5%) or a number of shots (20 shots).',
    placeholder: 'LENGTH',
    affectsResult: true,
  }),
  balance: z.boolean().default(true).meta({
    description:
      'Let the videos take turns in the film of the topic: none gets another shot before all that have one to give had theirs.',
    affectsResult: true,
  }),
  perSource: z.number().positive().optional().meta({
    description: 'Most of one video in the film of the topic.',
    placeholder: 'SECONDS',
    unit: 'seconds',
    affectsResult: true,
  }),
  alike: z.number().gt(0).max(1).optional().meta({
    description:
      'Similarity from which two shots count as nearly the same, so that only one is in the film of the topic; 1 leaves out only what is identical. Default: at most six tenths as far apart as shots of different videos are on average.',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  title: z.string().min(1).max(200).optional().meta({
    description: 'Title shown for a moment before the film of the topic. Default: none.',
    placeholder: 'TEXT',
    affectsResult: true,
  }),
  captions: z.boolean().default(false).meta({
    description: 'Write the name of its video into each shot of the film of the topic.',
    affectsResult: true,
  }),
  sound: z.enum(['keep', 'none']).default('keep').meta({
    description: 'Sound of the films: keep (the default track of the source) or none.',
    placeholder: 'keep|none',
    affectsResult: true,
  }),
  format: z.enum(['mp4', 'webm', 'copy']).default('mp4').meta({
    description:
      'What films are written as: mp4 (H.264 and AAC), webm (VP9 and Opus; smaller, slower) or copy (MP4 that takes whole groups of pictures of an H.264 source over as they are and encodes only the edges of clips).',
    placeholder: 'mp4|webm|copy',
    affectsResult: true,
  }),
  fade: z.number().min(0).max(10).default(0).meta({
    description:
      'Cross-fade between the clips of a film, over as much as half of the shorter one; 0 cuts. A film with fades has a steady frame rate.',
    placeholder: 'SECONDS',
    unit: 'seconds',
    affectsResult: true,
  }),
  loudness: z.enum(['even', 'keep']).optional().meta({
    description:
      'Loudness of the films’ sound: even (every source brought to −18 LUFS as EBU R 128 measures it) or keep (as it was recorded). Default: even in a film of several videos, keep in a film of one.',
    placeholder: 'even|keep',
    affectsResult: true,
  }),
  fit: z.enum(['letterbox', 'crop']).default('letterbox').meta({
    description:
      'How pictures of another shape fill the frame of a film of several videos: letterbox (whole, on black) or crop (filling it, cut at the edges).',
    placeholder: 'letterbox|crop',
    affectsResult: true,
  }),
  preview: z.enum(['none', 'gif', 'webp']).default('none').meta({
    description:
      'A small moving picture of each summary, 4 pictures a second, 15 seconds at most: gif, webp (smaller) or none.',
    placeholder: 'none|gif|webp',
    affectsResult: true,
  }),
  pictures: z
    .string()
    .refine((text) => parsePictures(text) !== null, `Expected some of ${PICTURES.join(', ')}, or none`)
    .default('storyboard')
    .meta({
      description:
        'Pictures to draw, with commas between them: storyboard (all shots of a video, PNG), svg (the same with links into the video), sheet (contact sheets of all shots of the topic), stills (the middle frame of each chosen shot, full size, JPEG), or none.',
      placeholder: 'NAMES',
      affectsResult: true,
    }),
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
      description: `What a shot is described by: default (the embedded network), shallow (made by hand, no network), c3d (clips), vgg (pictures), onnx (any network, with --model), or a network that was added: ${ADDABLE_NAMES.join(', ')} (throughline models add NAME).`,
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
  method: z
    .enum(METHOD_NAMES)
    .default('cvs')
    .meta({
      description: `How shots are chosen: ${METHOD_NAMES.map((name) => `${name} (${methods[name].summary})`).join(', ')}.`,
      placeholder: 'NAME',
      affectsResult: true,
    }),
  seed: z.int().min(0).max(0xffffffff).default(1).meta({
    description: 'Seed of the methods that draw random numbers. The same seed gives the same summary.',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  relate: z.boolean().default(true).meta({
    description:
      'Compare the videos with each other: those that show the same count once, those that do not belong count a quarter.',
    affectsResult: true,
  }),
  dropStrays: z.boolean().default(false).meta({
    description: 'Leave out videos that do not belong to the topic, instead of letting them count a quarter.',
    affectsResult: true,
  }),
  neighbors: z.enum(['equal', 'similar']).default('equal').meta({
    description:
      'How much the other videos count for one of them: equal (each the same) or similar (nearer ones more).',
    placeholder: 'equal|similar',
    affectsResult: true,
  }),
  autoTopics: z.boolean().default(false).meta({
    description: 'Divide the videos into topics by what they show, and summarise each topic in a folder of its own.',
    affectsResult: true,
  }),
  groups: z.int().min(1).max(10_000).optional().meta({
    description: 'How many topics to divide the videos into. Default: as many as can be told apart.',
    placeholder: 'COUNT',
    affectsResult: true,
  }),
  contextWeight: z.number().min(0).max(10).default(cvsDefaults.contextWeight).meta({
    description: 'How much the other videos count (α of the paper); 0 looks at the video alone.',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  shared: z.number().min(0).max(1).default(cvsDefaults.shared).meta({
    description:
      'What a summary looks for, by cvs: 0 what only this video has, 1 what the topic shares, 0.5 both as in the paper.',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  diversity: z.number().min(0).max(1).default(cvsDefaults.diversity).meta({
    description: 'How much similar shots exclude each other (λd of the paper).',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  sparsity: z.number().gt(0).lt(1).optional().meta({
    description:
      'How few shots carry importance, from 0 (all) to 1 (none): λs as a share of the value at which nothing is chosen (1/γ of the paper). Default: 0.5; 0.3 for a video judged alone.',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  jobs: z.int().min(1).max(256).optional().meta({
    description:
      'Videos worked on at the same time. Default: the number of processor cores, at most 4. Results do not depend on it.',
    placeholder: 'COUNT',
    affectsResult: false,
  }),
  cache: z.string().min(1).optional().meta({
    description: 'Folder of the cache. Default: the user’s cache folder, or $THROUGHLINE_CACHE.',
    placeholder: 'FOLDER',
    affectsResult: false,
  }),
} as const;

/** The shape of a configuration file: options may be left out, and are checked against each other only together. */
export const configSchema = z.strictObject(declared);

/** The schema of all options of a run. */
export const optionsSchema = configSchema
  .refine((options) => options.maxShot >= 2 * options.minShot, {
    message: 'maxShot must be at least twice minShot, or some lengths could not be divided into shots',
    path: ['maxShot'],
  })
  .refine(({ minClip, maxClip }) => minClip === undefined || maxClip === undefined || minClip <= maxClip, {
    message: 'expected at most maxClip, found more: no clip could be both. Lower it, or raise maxClip',
    path: ['minClip'],
  });

export type Options = z.output<typeof optionsSchema>;
export type OptionsInput = z.input<typeof optionsSchema>;

/** Checks options by their schema; the first thing wrong becomes a sentence. */
export function checkOptions(options: OptionsInput): Options {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UsageError(
    'bad-option',
    `Option ${issue?.path.join('.') || '(unknown)'}: ${issue?.message ?? 'not understood'}.`,
  );
}

/** Each option with its facts and its default (`undefined` where the run decides), in the order of declaration. */
export const optionFacts: readonly (OptionFacts & { name: keyof Options; schema: z.ZodType; defaultValue: unknown })[] =
  Object.entries(declared).map(([name, schema]) => ({
    ...(schema.meta() as unknown as Omit<OptionFacts, 'isList'>),
    isList: schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodArray,
    name: name as keyof Options,
    schema,
    defaultValue: schema instanceof z.ZodDefault ? schema.parse(undefined) : undefined,
  }));

/** The options that can change a result, for the record of a run. */
export function resultOptions(options: Options): Record<string, unknown> {
  return Object.fromEntries(
    optionFacts.filter((fact) => fact.affectsResult).map((fact) => [fact.name, options[fact.name] ?? null]),
  );
}

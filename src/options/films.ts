import { z } from 'zod';

import { LOUDNESSES, parsePictures, PICTURES, SOUNDS, SURROUNDS } from '../render/index.js';
import { cvsDefaults, METHOD_NAMES, methods } from '../select/index.js';
import { FILM_ORDERS, parseWish, WISH_FORM } from '../summary/index.js';

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

/** Wishes about shots, by file and time or number. */
const wishes = z.array(z.string().refine((text) => parseWish(text) !== null, `Expected ${WISH_FORM}`));

/** Shots by file and number, in an order made by hand. */
const shotNames = z.array(
  z.string().refine((text) => parseWish(text)?.kind === 'shot', 'Expected FILE#SHOT, such as "paris.mp4#4"'),
);

/** What is made, where, and how it plays. */
export const filmOptions = {
  length: z.string().default('15%').meta({
    description:
      'Length of each summary: a share of the video (15%), a time (30s, 1m30s) or a number of shots (12 shots).',
    placeholder: 'LENGTH',
    group: 'wishes',
  }),
  out: z.string().min(1).optional().meta({
    description:
      'Folder for films, storyboards, summary.json and report.html. Default: next to the topic folder, with "-summary" added to its name.',
    placeholder: 'FOLDER',
    group: 'output',
    affectsResult: false,
  }),
  topic: z.string().trim().min(1).optional().meta({
    description: 'Name of the topic. Default: the name of its folder.',
    placeholder: 'NAME',
    group: 'output',
  }),
  recursive: z.boolean().default(false).meta({
    description: 'Look for videos in subfolders too.',
    group: 'output',
    affectsResult: false,
  }),
  pin: wishes.optional().meta({
    description:
      'Must be in the summary. FILE@FROM-TO plays exactly that stretch, counted from the first picture; FILE#4 plays shot 4 of the report. Can be repeated.',
    placeholder: 'WISH',
    group: 'wishes',
  }),
  veto: wishes.optional().meta({
    description: 'Must not be in the summary; written like --pin. Can be repeated.',
    placeholder: 'WISH',
    group: 'wishes',
  }),
  minClip: z.number().gt(0).max(3600).optional().meta({
    description: 'Shortest clip. Shorter ones are extended at both ends.',
    placeholder: 'SECONDS',
    unit: 'seconds',
    group: 'wishes',
  }),
  maxClip: z.number().gt(0).max(3600).optional().meta({
    description:
      'Longest clip. Longer shots are trimmed to their middle; shots that would make a clip longer are skipped.',
    placeholder: 'SECONDS',
    unit: 'seconds',
    group: 'wishes',
  }),
  cutAt: z.enum(['pause', 'exact']).default('pause').meta({
    description:
      'Where clips begin and end: pause (of speech or motion within half a second, at least 2 seconds long, trimmed to the length asked for) or exact (where shots begin and end).',
    placeholder: 'pause|exact',
    group: 'wishes',
  }),
  handles: z.int().min(0).max(10_000).default(0).meta({
    description: 'Frames added before and after every clip, where the video has them. They count towards the length.',
    placeholder: 'FRAMES',
    unit: 'frames',
    group: 'film',
  }),
  order: z
    .enum(FILM_ORDERS)
    .default('auto')
    .meta({
      description:
        'Order of the clips. The film of a video plays as filmed, or with importance the most important first. The film of a topic plays by time (of recording), moments (as most videos show what they share), wide (from wide to close views), position (what is early in its video first), source (one video after the other) or importance; auto takes the first of time, moments and wide that the videos allow. film is the earlier name of position.',
      placeholder: FILM_ORDERS.join('|'),
      group: 'film',
    }),
  sequence: shotNames.optional().meta({
    description:
      'Your own order for the film of each video. Shots (FILE#4) play in the order given; other clips stay after the clip before them. Can be repeated.',
    placeholder: 'SHOT',
    group: 'film',
  }),
  topicSequence: shotNames.optional().meta({
    description: 'Your own order for the film of the topic; written like --sequence. Can be repeated.',
    placeholder: 'SHOT',
    group: 'film',
  }),
  films: z.boolean().default(true).meta({
    description: 'Render a film of each summary.',
    off: 'Do not render a film of each summary.',
    group: 'film',
  }),
  concept: z.string().min(1).optional().meta({
    description:
      'Also make one film of the whole topic, of this length: a time (60s), a share of all footage (5%) or a number of shots (20 shots).',
    placeholder: 'LENGTH',
    group: 'wishes',
  }),
  balance: z.boolean().default(true).meta({
    description: 'In the film of the topic, videos take turns.',
    off: 'In the film of the topic, go by rank alone; one video may give several shots in a row.',
    group: 'film',
  }),
  perSource: z.number().positive().optional().meta({
    description: 'Most that one video may contribute to the film of the topic.',
    placeholder: 'SECONDS',
    unit: 'seconds',
    group: 'film',
  }),
  alike: z.number().gt(0).max(1).optional().meta({
    description:
      'Similarity from which only one of two shots is in the film of the topic; 1 leaves out identical shots only. Default: where their distance is 0.6 of the average between shots of different videos (0.75 for an upright and a wide picture).',
    placeholder: 'NUMBER',
    group: 'film',
  }),
  title: z.string().min(1).max(200).optional().meta({
    description: 'Title shown briefly before the film of the topic.',
    placeholder: 'TEXT',
    group: 'film',
  }),
  captions: z.boolean().default(false).meta({
    description: 'Show the name of the video in each shot of the film of the topic.',
    group: 'film',
  }),
  burnIn: z.boolean().default(false).meta({
    description: 'Show name and timecode of the source in all films, for review. Makes the frame rate constant.',
    group: 'film',
  }),
  sound: z
    .enum(SOUNDS)
    .default('keep')
    .meta({
      description: 'Sound of the films: keep (the default track of the source) or none.',
      placeholder: SOUNDS.join('|'),
      group: 'film',
    }),
  format: z.enum(['mp4', 'webm', 'copy']).default('mp4').meta({
    description:
      'File format of the films: mp4 (H.264 and AAC), webm (VP9 and Opus; smaller, slower) or copy (MP4 with the H.264 pictures of the source, encoded only at the edges of clips).',
    placeholder: 'mp4|webm|copy',
    group: 'film',
  }),
  fade: z.number().min(0).max(10).default(0).meta({
    description:
      'Cross-fade between clips, at most half of the shorter clip; 0 means hard cuts. Fades make the frame rate constant.',
    placeholder: 'SECONDS',
    unit: 'seconds',
    group: 'film',
  }),
  loudness: z
    .enum(LOUDNESSES)
    .optional()
    .meta({
      description:
        'Loudness of the films: even (every source at −18 LUFS, measured by EBU R 128) or keep (as recorded). Default: even in a film of several videos, keep in a film of one.',
      placeholder: LOUDNESSES.join('|'),
      group: 'film',
    }),
  fit: z.enum(['letterbox', 'crop']).default('letterbox').meta({
    description:
      'How pictures of another shape fit a film of several videos: letterbox (whole) or crop (filling the frame).',
    placeholder: 'letterbox|crop',
    group: 'film',
  }),
  surround: z
    .enum(SURROUNDS)
    .default('blur')
    .meta({
      description:
        'What surrounds whole pictures of another shape: blur (the picture itself, enlarged and blurred) or plain (black).',
      placeholder: SURROUNDS.join('|'),
      group: 'film',
    }),
  music: z.string().min(1).optional().meta({
    description:
      'File with music to play under the film of the topic, softer where somebody speaks. A short one is repeated.',
    placeholder: 'FILE',
    group: 'film',
  }),
  preview: z.enum(['none', 'gif', 'webp']).default('none').meta({
    description:
      'Small animated preview of each summary, 4 pictures per second, at most 15 seconds: gif, webp (smaller) or none.',
    placeholder: 'none|gif|webp',
    group: 'film',
  }),
  pictures: z
    .string()
    .refine((text) => parsePictures(text) !== null, `Expected some of ${PICTURES.join(', ')}, or none`)
    .default('storyboard')
    .meta({
      description:
        'Pictures to draw, separated by commas: storyboard (all shots of a video, PNG), svg (the same with links into the video), sheet (contact sheets of all shots of the topic), pdf (the same for print, 24 shots a page), stills (the middle frame of each chosen shot, full size, JPEG), or none.',
      placeholder: 'NAMES',
      group: 'output',
    }),
} as const;

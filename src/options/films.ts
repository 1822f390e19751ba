import { z } from 'zod';

import { LOUDNESSES, parsePictures, PICTURES, SOUNDS, SURROUNDS } from '../render/index.js';
import { FILM_ORDERS, parseWish, WISH_FORM } from '../summary/index.js';

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

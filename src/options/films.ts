import { z } from 'zod';

import { parsePictures, PICTURES } from '../export/index.js';
import { FILM_ORDERS } from '../summary/index.js';
import { parseWish, WISH_FORM } from '../wishes/index.js';

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
} as const;

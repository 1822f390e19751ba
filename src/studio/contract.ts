import { z } from 'zod';

import { FILM_FORMATS, parsePictures, PICTURES, SURROUNDS } from '../render/index.js';
import { METHOD_NAMES } from '../select/index.js';
import { RATE_NAMES, timelineFormats, type TimelineFormatName } from '../timeline/index.js';
import { clipSchema } from './clips-contract.js';
import { commentRoutes } from './comments.js';
import { commandSchema, positionSchema, steeringSchema } from './document-contract.js';
import { route } from '../http/index.js';
export type { ParametersOf, ReceivedFrom, SentTo } from '../http/index.js';
import { studyRoutes } from './study-contract.js';

export type { Clip } from './clips-contract.js';
export type { Comment, Review } from './comments.js';
export type { Command, Position, Steering } from './document-contract.js';

/** What the server is doing. `fraction` is `null` if the share of finished work is unknown. */
const workSchema = z.object({
  state: z.enum(['idle', 'analysing', 'rendering', 'failed']),
  /** The work that failed, which can be tried again; `null` unless it did. */
  failed: z.enum(['analysing', 'rendering']).nullable(),
  stage: z.string().nullable(),
  fraction: z.number().min(0).max(1).nullable(),
  /** Estimated from what is done; `null` if it is too early to say. */
  secondsLeft: z.number().nonnegative().nullable(),
  item: z.string().nullable(),
  message: z.string().nullable(),
  /** Videos of this stage that were started, and the progress of each. */
  items: z.array(z.object({ name: z.string(), fraction: z.number().min(0).max(1) })),
  /** Why videos were left out. */
  reasons: z.array(z.string()),
});
/** Long work, and how far it is. */
export type Work = z.output<typeof workSchema>;

/** What can be opened: topics and folders of videos in the folder where the studio was started. */
const foldersSchema = z.object({
  /** Where new topics are kept. */
  folder: z.string(),
  folders: z.array(z.object({ name: z.string(), kind: z.enum(['topic', 'folder']), videos: z.int().nonnegative() })),
});
export type Folders = z.output<typeof foldersSchema>;

const done = z.object({ name: z.string() });

const FORMATS = Object.keys(timelineFormats) as [TimelineFormatName, ...TimelineFormatName[]];

/** What is made besides the report: the same names and meanings as the options of a run. */
const outputSchema = z.strictObject({
  films: z.boolean(),
  format: z.enum(Object.keys(FILM_FORMATS) as [keyof typeof FILM_FORMATS]),
  preview: z.enum(['none', 'gif', 'webp']),
  surround: z.enum(SURROUNDS),
  /** Path of a file on the machine of the server. */
  music: z.string().min(1).nullable(),
  pictures: z
    .string()
    .refine((text) => parsePictures(text) !== null, `Expected some of ${PICTURES.join(', ')}, or none`),
});
export type Output = z.output<typeof outputSchema>;

/** A file of the results; `href` is its address. */
const resultSchema = z.object({ name: z.string(), bytes: z.int().nonnegative(), href: z.string() });
export type ResultFile = z.output<typeof resultSchema>;

/** The film of the topic, the summaries of all videos one after the other, or the summary of one. */
const cutListRequest = z.strictObject({
  of: z.union([z.literal('film'), z.literal('all'), z.object({ video: z.string() })]),
  format: z.enum(FORMATS),
  rate: z.enum(RATE_NAMES as [string]).nullable(),
  handles: z.int().min(0).max(10_000),
});
export type CutListRequest = z.output<typeof cutListRequest>;

/** A shot as the page shows it. Times are seconds from the video's first frame, for display and seeking. */
const shotSchema = z.object({
  index: z.int().nonnegative(),
  from: z.number(),
  to: z.number(),
  rank: z.int().nonnegative(),
  /** Against the strongest shot of its video, in [0, 1]; own and shared are its two parts. */
  score: z.number(),
  own: z.number(),
  shared: z.number(),
  chosen: z.boolean(),
  pinned: z.boolean(),
  vetoed: z.boolean(),
  /** What is wrong with its pictures, in words; `null` if nothing is. */
  bad: z.string().nullable(),
});
export type Shot = z.output<typeof shotSchema>;

/** A warning about a video, with the evidence as a sentence. */
const remarkSchema = z.object({ kind: z.enum(['stray', 'double', 'damaged']), sentence: z.string() });
export type Remark = z.output<typeof remarkSchema>;

const spanSchema = z.object({ from: z.number(), to: z.number() });

const videoSchema = z.object({
  id: z.string(),
  name: z.string(),
  seconds: z.number(),
  /** Frames per second; the mean if the rate varies. */
  frameRate: z.number().positive(),
  /** Seconds of the summary. */
  chosenSeconds: z.number(),
  remarks: z.array(remarkSchema),
  /** How much it belongs to the topic, for sorting; `null` if that was not measured. */
  belonging: z.number().nullable(),
  /** The video that shows the same and is preferred; `null` if there is none. */
  doubleOf: z.string().nullable(),
  shots: z.array(shotSchema),
  /** What the film plays, in its order, and the shots each clip is made of. */
  clips: z.array(spanSchema.extend({ shots: z.array(z.int().nonnegative()) })),
});
export type Video = z.output<typeof videoSchema>;

const shotRefSchema = z.object({ video: z.string(), shot: z.int().nonnegative() });

/** The film of the whole topic: shots of all videos, in the order they play. */
const topicFilmSchema = z.object({
  seconds: z.number(),
  shots: z.array(
    z.object({
      video: z.string(),
      shot: z.int().nonnegative(),
      ...spanSchema.shape,
      /** Why it is there, in sentences. */
      reason: z.string(),
    }),
  ),
});
export type TopicFilm = z.output<typeof topicFilmSchema>;

const selectionSchema = z.object({
  steering: steeringSchema,
  videos: z.array(videoSchema),
  film: topicFilmSchema.nullable(),
});
/** What the films of a topic play, and why. */
export type Selection = z.output<typeof selectionSchema>;

/** What is known of a video by itself, as soon as it is analysed: for its lane on the timeline. */
const trackSchema = z.object({
  /** From cut to cut, with what is wrong with the pictures; `null` if nothing is. */
  shots: z.array(spanSchema.extend({ bad: z.string().nullable() })),
  /** Loudness from 0 to 1, evenly spaced from the first frame to the end; empty if there is no sound. */
  loudness: z.array(z.number()),
  speech: z.array(spanSchema),
});
export type Track = z.output<typeof trackSchema>;

const topicSchema = z.object({
  name: z.string(),
  /** Its folder; `null` while no topic is open. */
  folder: z.string().nullable(),
  /** Number of videos in its record, analysed or not. */
  known: z.int().nonnegative(),
  /** Bytes of the largest video that may be sent. */
  maxUpload: z.int().positive(),
  work: workSchema,
  clips: z.array(clipSchema),
  document: positionSchema.extend({ steering: steeringSchema }),
  /** `null` until all videos have been analysed. */
  selection: selectionSchema.nullable(),
  skipped: z.array(z.string()),
  notes: z.array(z.string()),
  methods: z.array(z.object({ name: z.enum(METHOD_NAMES), summary: z.string() })),
  /** Frame rates a cut list can have, by name. */
  rates: z.array(z.string()),
  /** What is made besides the report when films are rendered. */
  output: outputSchema,
  /** Where the report is, once there is one; `null` before. */
  report: z.string().nullable(),
  /** Address for reviewers on this network; `null` unless it was asked for. */
  review: z.string().nullable(),
});
/** A topic as the page shows it. */
export type Topic = z.output<typeof topicSchema>;

const whySchema = z.object({
  /** Why it is in the summary, or why not, in sentences. */
  reason: z.string(),
  /** Other takes of the same moment or view that could play instead, best first. */
  alternatives: z.array(shotRefSchema),
  own: z.number(),
  shared: z.number(),
  support: z.array(z.object({ video: z.string(), share: z.number(), shot: z.int().nonnegative() })),
});
export type Why = z.output<typeof whySchema>;

const mapSchema = z.object({
  points: z.array(z.object({ video: z.string(), shot: z.int(), x: z.number(), y: z.number() })),
});
export type ShotMap = z.output<typeof mapSchema>;

/** Everything the page can request. Pictures, media and events have their own addresses (server.ts). */
export const routes = {
  readTopic: route({
    ...{ method: 'get', path: '/api/topic', summary: 'The topic: its videos, shots, selection and running work.' },
    response: topicSchema,
  }),
  preview: route({
    ...{ method: 'post', path: '/api/preview', summary: 'The selection with these settings. Nothing is saved.' },
    ...{ body: steeringSchema, response: selectionSchema },
  }),
  edit: route({
    ...{
      method: 'post',
      path: '/api/edits',
      summary: 'Change the settings, undo or redo. Refused as "stale" if somebody else changed them first.',
    },
    body: z.strictObject({ revision: z.int().nonnegative(), command: commandSchema }),
    response: z.object({
      document: positionSchema.extend({ steering: steeringSchema }),
      /** `null` until all videos have been analysed. */
      selection: selectionSchema.nullable(),
    }),
  }),
  why: route({
    ...{ method: 'get', path: '/api/videos/:video/shots/:shot/why', summary: 'Why a shot matters, and to whom.' },
    response: whySchema,
  }),
  track: route({
    ...{
      method: 'get',
      path: '/api/videos/:video/track',
      summary: 'Cuts, bad pictures and sound of a video, once it is analysed.',
    },
    response: trackSchema,
  }),
  requestProxy: route({
    ...{ method: 'post', path: '/api/clips/:clip/proxy', summary: 'Make a copy that every browser plays, next.' },
    response: z.object({}),
  }),
  map: route({
    ...{ method: 'get', path: '/api/map', summary: 'All shots of the topic in two dimensions.' },
    response: mapSchema,
  }),
  compare: route({
    ...{ method: 'post', path: '/api/compare', summary: 'The selections of several settings, side by side.' },
    body: z.object({ settings: z.array(steeringSchema).min(1).max(16) }),
    response: z.object({ selections: z.array(selectionSchema) }),
  }),
  render: route({
    ...{
      method: 'post',
      path: '/api/render',
      summary: 'Make the report and what else is asked for, and save these settings.',
    },
    ...{ body: outputSchema, response: workSchema },
  }),
  cancel: route({
    ...{ method: 'delete', path: '/api/work', summary: 'Stop the running work; what is finished is kept.' },
    response: workSchema,
  }),
  ...commentRoutes,
  folders: route({
    ...{ method: 'get', path: '/api/folders', summary: 'Topics and folders of videos that can be opened.' },
    response: foldersSchema,
  }),
  openFolder: route({
    ...{ method: 'post', path: '/api/open', summary: 'Open one of the places, by its name.' },
    ...{ body: z.strictObject({ name: z.string().max(400) }), response: done },
  }),
  beginTopic: route({
    ...{ method: 'post', path: '/api/topics', summary: 'Create an empty topic, to which videos can be sent.' },
    ...{ body: z.strictObject({ name: z.string().trim().min(1).max(120) }), response: done },
  }),
  upload: route({
    ...{ method: 'put', path: '/api/uploads/:name', summary: 'Send a video: its bytes, as they are.', stream: true },
    response: z.object({ name: z.string(), bytes: z.int().nonnegative() }),
  }),
  include: route({
    ...{
      method: 'post',
      path: '/api/include',
      summary: 'Add the videos that were sent to the topic, and analyse them.',
    },
    response: workSchema,
  }),
  look: route({
    ...{ method: 'post', path: '/api/look', summary: 'Continue to analyse the videos.' },
    response: workSchema,
  }),
  cutList: route({
    ...{ method: 'post', path: '/api/cut-list', summary: 'The selection as a cut list or as chapters of its film.' },
    body: cutListRequest,
    response: z.object({ name: z.string(), text: z.string(), notes: z.array(z.string()) }),
  }),
  listResults: route({
    ...{ method: 'get', path: '/api/results', summary: 'The files that were made.' },
    response: z.object({ files: z.array(resultSchema) }),
  }),
  ...studyRoutes,
} as const;

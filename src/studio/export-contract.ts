import { z } from 'zod';
import { FILM_FORMATS, parsePictures, PICTURES, SURROUNDS } from '../render/index.js';
import { RATE_NAMES, timelineFormats, type TimelineFormatName } from '../timeline/index.js';
import { route } from './route.js';

const FORMATS = Object.keys(timelineFormats) as [TimelineFormatName, ...TimelineFormatName[]];

/** What is made besides the report: the same names and meanings as the options of a run. */
export const outputSchema = z.strictObject({
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

export const exportRoutes = {
  cutList: route({
    ...{ method: 'post', path: '/api/cut-list', summary: 'The selection as a cut list or as chapters of its film.' },
    body: cutListRequest,
    response: z.object({ name: z.string(), text: z.string(), notes: z.array(z.string()) }),
  }),
  listResults: route({
    ...{ method: 'get', path: '/api/results', summary: 'The files that were made.' },
    response: z.object({ files: z.array(resultSchema) }),
  }),
} as const;

import { z } from 'zod';

import { METHOD_NAMES } from '../select/index.js';
import { route } from '../http/index.js';

const lengthSchema = z.string().trim().min(1).max(40);
/** 1 is the worst, 10 the best: the scale of the paper. */
const markSchema = z.int().min(1).max(10);

/** What a new study compares. */
const newStudySchema = z.strictObject({
  keyWord: z.string().trim().min(1).max(200),
  methods: z.array(z.enum(METHOD_NAMES)).min(2).max(METHOD_NAMES.length),
  /** Length of the film of the topic; `null` if it is not rated. */
  film: lengthSchema.nullable(),
  /** Length of each video's summary; `null` if they are not rated. */
  summaries: lengthSchema.nullable(),
});
export type NewStudy = z.output<typeof newStudySchema>;

/** A study as everybody may see it: nothing here says which method a letter means. */
const studyFactsSchema = z.object({
  id: z.string(),
  keyWord: z.string(),
  /** Number of summaries to compare per subject. */
  letters: z.int(),
  subjects: z.array(z.string()),
  raters: z.array(z.object({ name: z.string(), marked: z.int(), wanted: z.int(), finished: z.boolean() })),
  ended: z.boolean(),
});
export type StudyFacts = z.output<typeof studyFactsSchema>;

/** What one rater sees. Letters are places in an order drawn for this rater and this subject. */
const ballotSchema = z.object({
  study: z.string(),
  keyWord: z.string(),
  rater: z.string(),
  name: z.string(),
  finished: z.boolean(),
  ended: z.boolean(),
  subjects: z.array(
    z.object({
      title: z.string(),
      summaries: z.array(
        z.object({
          letter: z.string(),
          /** Stretches of the originals, in seconds from the first frame, in the order they play. */
          clips: z.array(z.object({ video: z.string(), from: z.number(), to: z.number() })),
          mark: markSchema.nullable(),
        }),
      ),
    }),
  ),
});
export type Ballot = z.output<typeof ballotSchema>;

const intervalSchema = z.object({ low: z.number(), high: z.number() });

/** The results of one method. */
const studyRowSchema = z.object({
  method: z.enum(METHOD_NAMES),
  marks: z.int(),
  mean: z.number().nullable(),
  /** Standard deviation of the marks. */
  deviation: z.number().nullable(),
  /** 95 %, Student's t over the raters' own means; `null` for fewer than two raters. */
  interval: intervalSchema.nullable(),
  /** The first method's lead over this one, rater by rater, with its paired t-test; `null` for itself. */
  lead: z.object({ mean: z.number(), p: z.number(), pairs: z.int() }).nullable(),
});
export type StudyRow = z.output<typeof studyRowSchema>;

const studyResultsSchema = z.object({
  id: z.string(),
  keyWord: z.string(),
  /** Raters who finished; only they are counted. */
  raters: z.int(),
  unfinished: z.int(),
  tables: z.array(
    z.object({ kind: z.enum(['film', 'video']), subjects: z.int(), length: z.string(), rows: z.array(studyRowSchema) }),
  ),
  /** Address of the marks as CSV. */
  csv: z.string(),
});
export type StudyResults = z.output<typeof studyResultsSchema>;

/** The routes of studies. Before the end of a study, no answer says which method made a summary. */
export const studyRoutes = {
  readStudies: route({
    ...{ method: 'get', path: '/api/studies', summary: 'The studies of the topic, and how far their raters are.' },
    response: z.object({ studies: z.array(studyFactsSchema) }),
  }),
  openStudy: route({
    ...{ method: 'post', path: '/api/studies', summary: 'Open a blind study of several methods.' },
    ...{ body: newStudySchema, response: studyFactsSchema },
  }),
  joinStudy: route({
    ...{ method: 'post', path: '/api/studies/:study/raters', summary: 'Begin to rate, or go on, under a name.' },
    ...{ body: z.strictObject({ name: z.string().trim().min(1).max(80) }), response: ballotSchema },
  }),
  readBallot: route({
    ...{ method: 'get', path: '/api/studies/:study/raters/:rater', summary: 'What a rater is shown, and their marks.' },
    response: ballotSchema,
  }),
  mark: route({
    ...{ method: 'put', path: '/api/studies/:study/raters/:rater/marks', summary: 'Give a summary a mark.' },
    body: z.strictObject({ subject: z.int().nonnegative(), letter: z.string().max(2), mark: markSchema }),
    response: ballotSchema,
  }),
  finishRating: route({
    ...{ method: 'post', path: '/api/studies/:study/raters/:rater/finish', summary: 'Hand the marks in.' },
    response: ballotSchema,
  }),
  endStudy: route({
    ...{ method: 'post', path: '/api/studies/:study/end', summary: 'End a study: names the methods, takes no marks.' },
    response: studyResultsSchema,
  }),
  readResults: route({
    ...{ method: 'get', path: '/api/studies/:study/results', summary: 'The table of a study that has ended.' },
    response: studyResultsSchema,
  }),
} as const;

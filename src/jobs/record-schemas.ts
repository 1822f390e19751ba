import { z } from 'zod';

import { rationalSchema } from '../base/schemas.js';
import { EVIDENCE_TERMS } from '../evidence/index.js';
import { MAX_PIXELS } from '../media/index.js';
import { summaryDocument } from '../summary/index.js';

/**
 * What records of a topic look like. Others may write to a store: a record that does not fit is refused before any size,
 * count or file name in it is used.
 */

/** More videos than a topic can have; a count above it would fill the memory with places. */
export const MOST_VIDEOS = 1_000_000;

/** One step of a path, on every system. */
export const stepSchema = z.string().regex(/^(?!\.)[^/\\:\p{Cc}]+$/u);
/** Steps of a path that leads nowhere else: no scheme, no root, no way up. */
const wayInside = z.string().regex(/^(?!\.)[^/\\:\p{Cc}]+(?:\/(?!\.)[^/\\:\p{Cc}]+)*$/u);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const index = z.int().nonnegative();
const word = z.string().nullable();

const { notes, skipped, model, concept } = summaryDocument.shape;
const { standing, belonging, solver, shots } = summaryDocument.shape.videos.element.shape;
const said = { notes, skipped };
/** Infinity is `null` in JSON. */
const certificate = solver.extend({ residual: solver.shape.residual.nullable() });

const info = z
  .object({
    ...{ container: z.string(), codec: z.string(), pixelFormat: z.string(), interlaced: z.boolean() },
    colour: z.object({ matrix: word, primaries: word, transfer: word, isFullRange: z.boolean() }).optional(),
    ...{ widthPx: z.int().positive(), heightPx: z.int().positive(), sampleAspect: rationalSchema },
    rotationDeg: z.literal([0, 90, 180, 270]),
    ...{ timeBase: rationalSchema, frameRate: rationalSchema.nullable() },
    durationHint: z.number().nonnegative().nullable(),
    timecode: z.string().optional(),
    dates: z.object({ container: z.string(), quicktime: z.string(), writer: z.string() }).partial().optional(),
    audio: z.array(
      z.object({
        ...{ position: z.int().nonnegative(), codec: z.string(), channels: z.int().nonnegative() },
        ...{ sampleRate: z.int().nonnegative(), language: word, isDefault: z.boolean() },
      }),
    ),
  })
  .refine(({ widthPx, heightPx }) => widthPx * heightPx <= MAX_PIXELS);
const submitted = z.object({ id: stepSchema, name: z.string().min(1), sha256, bytes: z.int().nonnegative(), info, path: z.string().optional() }); // prettier-ignore

const extent = z.object({ seconds: z.number().nonnegative(), longestTake: z.number().nonnegative() });
const extracted = z.object({ ...said, video: z.object({ extractor: model, readWhole: word, extent }).nullable() });
const ownBudget = z.object({ kind: z.literal('seconds'), seconds: z.number().positive() });

const member = z.object({
  ...{ input: index.max(MOST_VIDEOS), id: stepSchema, name: z.string().min(1), extractor: model },
  ...{ weight: z.number().min(0).max(1), special: z.array(z.number().nonnegative()).nullable(), standing, belonging },
  remarks: z.array(z.object({ code: z.enum(['stray', 'double']), message: z.string() })).optional(),
  budget: ownBudget.nullable().optional(),
});

const numbers = z.array(z.number());
const ranked = z.object({
  ...said,
  ranking: z
    .object({
      ...{
        order: z.array(index),
        places: z.array(index),
        views: z.array(index),
        scores: numbers,
        own: numbers,
        shared: numbers,
      },
      evidence: z.object({ total: numbers, terms: z.partialRecord(z.enum(EVIDENCE_TERMS), numbers) }).nullable(),
      solver: certificate,
      shown: z.array(z.object({ shot: index, shown: shots.element.shape.shown.unwrap() })),
      support: z.array(z.object({ shot: index, by: z.array(z.object({ video: z.string(), share: z.number(), shot: index })) })), // prettier-ignore
    })
    .nullable(),
  made: z.object({ film: wayInside.nullable(), storyboard: wayInside.nullable(), pictures: z.array(wayInside) }),
});

const filmed = z.object({
  ...said,
  concept: concept
    .unwrap()
    .extend({ solver: certificate, film: wayInside.nullable(), storyboard: wayInside.nullable() })
    .nullable(),
});

/** By name, as `namesOf` gives it. */
const SCHEMAS: readonly (readonly [RegExp, z.ZodType])[] = [
  [/\/inputs\/\d+\.json$/, z.array(submitted)],
  [/\/extracted\/\d+\.json$/, extracted],
  [/\/extracted-\d+\.json$/, z.array(extracted)],
  [
    /\/roster\.json$/,
    z.object({ ...said, count: z.int().positive().max(MOST_VIDEOS), inBackground: z.array(z.string()) }),
  ],
  [/\/roster-\d+\.json$/, z.array(member)],
  [/\/rankings\/\d+\.json$/, ranked],
  [/\/rankings-\d+\.json$/, z.array(ranked)],
  [/\/concept\.json$/, filmed],
];

/** Whether what was read under a name is a record of the kind that the name says. */
export function isRecord(name: string, record: unknown): boolean {
  const schema = SCHEMAS.find(([pattern]) => pattern.test(name))?.[1];
  return schema ? schema.safeParse(record).success : typeof record === 'object' && record !== null;
}

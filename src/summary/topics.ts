import { z } from 'zod';
import { toSeconds, UsageError } from '../base/index.js';
import { type SummaryDocument, summaryShot } from './document.js';
import { fieldName, readRecord } from './record.js';

const member = z.object({
  id: z.string().describe('Unique within the run, made from the file name'),
  path: z.string().describe('As given, relative to the folder where possible'),
  sha256: z.string(),
});

const likeness = z.number().min(-1).max(1);

const group = z.object({
  name: z.string(),
  centre: z.string().describe('Id of the video most like the others of the topic'),
  inside: likeness.nullable().describe('Mean likeness of two of its videos; null for a topic of one'),
  outside: likeness.nullable().describe('Mean likeness of its videos to those of the other topics; null for one topic'),
  videos: z.array(member).min(1),
});

const loner = member.extend({
  nearest: z.string().nullable().describe('Name of the topic it is most like'),
  likeness: likeness.nullable().describe('Its mean likeness to the videos of that topic'),
});

/** The topics found in a folder, schema `topics.1`. Likeness is the cosine between the mean vectors of two videos. */
export const topicsDocument = z.object({
  schema: z.literal('topics.1'),
  throughline: z.string().describe('Version that wrote the file'),
  folder: z.string().describe('What the folder is called'),
  groups: z.int().positive().nullable().describe('How many topics were asked for; null when that was left open'),
  model: z.object({ name: z.string(), version: z.string().optional() }).describe('What made the vectors'),
  concordance: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('How often two videos of one topic are more alike than two of different topics; 0.5 is chance'),
  topics: z.array(group).describe('The larger first'),
  alone: z.array(loner).describe('Videos that are not clearly nearer to one topic than to the others'),
  skipped: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
});

/** The content of `topics.json`: the topics of a folder, and the videos that belong to none. */
export type TopicsDocument = z.infer<typeof topicsDocument>;

/** Reads a `topics.json`; `source` names the file in errors. */
export function parseTopics(text: string, source = 'topics.json'): TopicsDocument {
  const advice = 'Choose a file that Throughline wrote.';
  const record = readRecord(text, { kind: 'topics', current: 1, upgrades: {}, source, advice });
  const parsed = topicsDocument.safeParse(record);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(
    'bad-topics',
    `Expected a valid ${fieldName(issue?.path ?? [])} in "${source}", found a problem: ${issue?.message}. Find the topics again.`,
  );
}

/** The text of a `topics.json`. */
export function serialiseTopics(document: TopicsDocument): string {
  return `${JSON.stringify(topicsDocument.parse(document), null, 2)}\n`;
}

/** One shot of a topic on a line of its own, for other programs: schema `score.1`. */
export const scoreLine = z.object({
  schema: z.literal('score.1').describe('Name and version of this format'),
  row: z.int().nonnegative().describe('Number of the line, from 0; the row of the shot in every table'),
  video: z.string().describe('Id of the video'),
  path: z.string().describe('Path of the video, relative to the folder of the topic if possible'),
  sha256: z.string().describe('Of the video'),
  ...summaryShot.shape,
  seconds: z
    .object({ start: z.number(), end: z.number() })
    .describe('The range as seconds from the first picture of the video; "range" is exact'),
  vector: z
    .object({ file: z.string().describe('An .npy file'), row: z.int().nonnegative() })
    .nullable()
    .describe('Where the vector is that the shot was compared by; null if no tables were asked for'),
});
/** One shot of a topic, as other programs read it. */
export type ScoreLine = z.infer<typeof scoreLine>;

/** Every shot of a topic, video after video. */
export function* scoreLines({ videos }: SummaryDocument, vectors: string | null): Generator<ScoreLine> {
  let row = 0;
  for (const { id, path, sha256, shots, range: whole } of videos) {
    const seconds = (tick: number): number => toSeconds(tick - whole.start, whole.base);
    for (const shot of shots) {
      const { start, end } = shot.range;
      yield {
        ...{ schema: 'score.1', row, video: id, path, sha256, ...shot },
        seconds: { start: seconds(start), end: seconds(end) },
        vector: vectors === null ? null : { file: vectors, row },
      };
      row++;
    }
  }
}

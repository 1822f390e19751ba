import { z } from 'zod';

import { compareTexts, UsageError } from '../base/index.js';
import { readRecord } from '../summary/index.js';

/** The record of a topic that grows, schema `topic.1`: `topic.json` in its folder. */
export const projectDocument = z.object({
  schema: z.literal('topic.1'),
  name: z.string().min(1).describe('What the topic is called'),
  options: z.record(z.string(), z.unknown()).describe('Options that were given; those not here have their defaults'),
  videos: z
    .array(
      z.object({
        path: z.string().min(1).describe('Relative to the folder of this file, with forward slashes, or absolute'),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        bytes: z.int().nonnegative(),
        leftOut: z.literal(true).optional().describe('Stays in the topic, but is not summarised'),
      }),
    )
    .describe('In the order they were added'),
});

/** The content of `topic.json`: the videos of a topic in a folder, and its options. */
export type Project = z.infer<typeof projectDocument>;
/** One video of a topic in a folder. */
export type ProjectVideo = Project['videos'][number];

/** Reads a `topic.json`; `source` names the file in errors. */
export function parseProject(text: string, source: string): Project {
  const advice = 'Restore the file, or create the topic again.';
  const record = readRecord(text, { kind: 'topic', current: 1, upgrades: {}, source, advice });
  const parsed = projectDocument.safeParse(record);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(
    'bad-topic',
    `Expected a valid ${issue?.path.join('.') ?? 'record'} in "${source}", found a problem: ${issue?.message}. Correct that field.`,
  );
}

/** The text of a `topic.json`. */
export function serialiseProject(project: Project): string {
  const options = Object.fromEntries(Object.entries(project.options).toSorted(([a], [b]) => compareTexts(a, b)));
  return `${JSON.stringify(projectDocument.parse({ ...project, options }), null, 2)}\n`;
}

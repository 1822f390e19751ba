import { z } from 'zod';

import { UsageError } from '../base/index.js';

/** A remark at a moment of an original, so that it stays with the picture when the film is cut again. */
export const commentSchema = z.object({
  id: z.string(),
  video: z.string(),
  /** Seconds from the first frame of the video. */
  seconds: z.number().nonnegative(),
  by: z.string(),
  text: z.string(),
  /** When it was written, in ISO 8601. */
  written: z.string(),
  isDone: z.boolean(),
});
/** A remark of a reviewer. */
export type Comment = z.output<typeof commentSchema>;

const fileSchema = z.object({ schema: z.literal('comments.1'), comments: z.array(commentSchema) });

/** The text of a `comments.json`. */
export function serialiseComments(comments: readonly Comment[]): string {
  return `${JSON.stringify({ schema: 'comments.1', comments }, null, 2)}\n`;
}

/** Reads a `comments.json`, as the studio keeps it in the folder of a topic. */
export function parseComments(text: string, path: string): Comment[] {
  try {
    return fileSchema.parse(JSON.parse(text)).comments;
  } catch {
    throw new UsageError(
      'bad-comments',
      `Expected comments in "${path}", found something else. Repair or remove the file.`,
    );
  }
}

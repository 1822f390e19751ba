import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';

import { UsageError } from '../base/index.js';
import { readText, writeParts } from '../storage/index.js';
import { commentSchema, parseComments, serialiseComments, type Comment } from '../timeline/index.js';

import { route } from '../http/index.js';
import { clipSchema } from './clips-contract.js';

export type { Comment };

/** What reviewers see: the film, what they may play, and what was said. */
const reviewSchema = z.object({
  name: z.string(),
  film: z
    .array(z.object({ video: z.string(), from: z.number(), to: z.number(), frameRate: z.number().positive() }))
    .describe('Empty if there is no film yet'),
  clips: z.array(clipSchema),
  comments: z.array(commentSchema),
  /** Studies that can be rated. */
  studies: z.array(z.object({ id: z.string(), keyWord: z.string() })),
});
export type Review = z.output<typeof reviewSchema>;

const list = z.object({ comments: z.array(commentSchema) });
const words = (max: number) => z.string().trim().min(1).max(max);

/** For reviewers as well as for the editor. */
export const reviewRoutes = {
  readReview: route({
    ...{ method: 'get', path: '/api/review', summary: 'The film of the topic and the comments on it, for reviewers.' },
    response: reviewSchema,
  }),
  comment: route({
    ...{ method: 'post', path: '/api/comments', summary: 'Comment on a moment.' },
    body: z.strictObject({
      video: z.string().max(400),
      seconds: z.number().nonnegative(),
      by: words(80),
      text: words(2000),
    }),
    response: list,
  }),
} as const;

export const commentRoutes = {
  ...reviewRoutes,
  settleComment: route({
    ...{ method: 'post', path: '/api/comments/:comment', summary: 'Mark a comment as done, or open it again.' },
    body: z.strictObject({ isDone: z.boolean() }),
    response: list,
  }),
  deleteComment: route({
    ...{ method: 'delete', path: '/api/comments/:comment', summary: 'Delete a comment.' },
    response: list,
  }),
} as const;

/** Comments of one topic. */
const MAX_COMMENTS = 5000;

/** The comments in the folder of a topic (`comments.json`), one change after the other. */
export async function openComments(folder: string, emit: (comments: readonly Comment[]) => void) {
  const path = join(folder, 'comments.json');
  let comments = await readComments(path);
  let last: Promise<unknown> = Promise.resolve();
  const change = async (next: (now: readonly Comment[]) => readonly Comment[]) => {
    const written = last.then(async () => {
      const changed = next(comments);
      await writeParts(path, [serialiseComments(changed)]);
      comments = changed;
      emit(comments);
    });
    last = written.catch(() => undefined);
    await written;
    return { comments: [...comments] };
  };
  const require = (id: string): void => {
    if (!comments.some((each) => each.id === id)) {
      throw new UsageError('not-found', 'Expected a comment, found none: somebody else has deleted it.');
    }
  };
  emit(comments);
  return {
    list: () => comments,
    add(given: Pick<Comment, 'video' | 'seconds' | 'by' | 'text'>) {
      if (comments.length >= MAX_COMMENTS) {
        throw new UsageError('too-many', `Expected at most ${MAX_COMMENTS} comments. Delete some that are done.`);
      }
      const comment = { id: randomUUID(), ...given, written: new Date().toISOString(), isDone: false };
      return change((now) => [...now, comment]);
    },
    settle(id: string, isDone: boolean) {
      require(id);
      return change((now) => now.map((each) => (each.id === id ? { ...each, isDone } : each)));
    },
    delete(id: string) {
      require(id);
      return change((now) => now.filter((each) => each.id !== id));
    },
  };
}

/** The comments of a file; none if it does not exist. What cannot be read is not written over. */
async function readComments(path: string): Promise<readonly Comment[]> {
  const text = await readText(path).catch(() => null);
  return text === null ? [] : parseComments(text, path);
}

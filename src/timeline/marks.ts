import { z } from 'zod';
import { UsageError } from '../base/index.js';
import type { SummaryDocument, SummaryShot } from '../summary/index.js';
import { nameOf } from './sources.js';
import type { TimelineClip } from './types.js';
import { oneLine } from './xml.js';

/** Markers besides the reason of a clip. */
export const MARKS = ['moments', 'evidence', 'comments'] as const;
/** A kind of marker besides the reason of a clip. */
export type MarkKind = (typeof MARKS)[number];

/** A marker of a clip as every format writes it; the first one is the reason. */
type Mark = NonNullable<TimelineClip['markers']>[number];

/** All markers of a clip: why it is there, then the others. */
export function marksOf(clip: TimelineClip): (Omit<Mark, 'kind'> & { kind: Mark['kind'] | 'reason' })[] {
  const { in: frame, rank, name, reason, markers = [] } = clip;
  const why = { kind: 'reason', frame, name: rank === null ? name : `Rank ${rank + 1}`, text: reason } as const;
  return [...(reason === '' ? [] : [why]), ...markers];
}

/** The markers of shots: moments and evidence, if they are asked for. */
export function shotMarker(
  document: SummaryDocument,
  kinds: readonly MarkKind[],
): (video: string, shot: SummaryShot, frame: number) => Mark[] {
  const pathOf = new Map(document.videos.map(({ id, path }) => [id, nameOf(path)]));
  const moments = new Map<string, Omit<Mark, 'frame'>>();
  for (const [at, { videos, members }] of kinds.includes('moments')
    ? (document.concept?.moments ?? []).entries()
    : []) {
    const names = [...new Set(members.map(({ video }) => pathOf.get(video) ?? video))].join(', ');
    const mark = { kind: 'moment', name: `Moment ${at + 1}`, text: `In ${videos} videos: ${names}.` } as const;
    for (const { video, shot } of members) moments.set(`${shot} ${video}`, mark);
  }
  return (video, { index, evidence }, frame) => {
    const moment = moments.get(`${index} ${video}`);
    const { total, ...terms } = evidence ?? { total: 0 };
    const all = Object.entries(terms).map(([name, value]) => `${name} ${value.toFixed(2)}`);
    const text = `${all.join(', ')}${all.length > 0 ? ' ' : ''}(standard deviations within its video).`;
    const isWanted = evidence !== null && kinds.includes('evidence');
    return [
      ...(moment ? [{ ...moment, frame }] : []),
      ...(isWanted ? [{ kind: 'evidence', frame, name: `Evidence ${total.toFixed(2)}`, text } as const] : []),
    ];
  };
}

/** A comment as a marker. */
export function commentMark({ by, text, isDone }: Comment, frame: number): Mark {
  return { kind: 'comment', frame, name: oneLine(by), text: oneLine(text), isDone };
}

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

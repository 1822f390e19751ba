import { z } from 'zod';

import { random, toSeconds, UsageError } from '../base/index.js';
import { shuffledOrder } from '../eval/index.js';
import { METHOD_NAMES } from '../select/index.js';
import { readRecord } from '../summary/index.js';
import type { Ballot, StudyFacts } from './study-contract.js';

const count = z.int().nonnegative();
const method = z.enum(METHOD_NAMES);

/** The record of a blind study, schema `study.1`: one file in the topic's folder. It names the methods, so raters must not read it. */
export const studyDocument = z.object({
  schema: z.literal('study.1'),
  id: z.string().regex(/^study-[1-9]\d*$/),
  keyWord: z.string(),
  methods: z.array(method).min(2),
  film: z.string().nullable().describe('Length of the film of the topic'),
  summaries: z.string().nullable().describe('Length of each video’s summary'),
  seed: count.describe('The orders are drawn from it; nobody could guess it'),
  subjects: z.array(
    z.object({
      kind: z.enum(['film', 'video']),
      title: z.string(),
      summaries: z
        .array(
          z.array(
            z.object({
              video: z.string(),
              start: count.describe('Ticks from the video’s first frame'),
              end: count,
              base: z.object({ num: z.int().positive(), den: z.int().positive() }).describe('Seconds per tick'),
            }),
          ),
        )
        .describe('In the order of the methods; clips in the order they play'),
    }),
  ),
  raters: z.array(
    z.object({
      name: z.string(),
      finished: z.boolean(),
      ballots: z
        .array(z.object({ subject: count, order: z.array(method), marks: z.array(z.int().min(1).max(10).nullable()) }))
        .describe('In the order the rater sees them; order and marks go by letter: A, B, C'),
    }),
  ),
  ended: z.boolean(),
});
export type Study = z.output<typeof studyDocument>;
type Rater = Study['raters'][number];

export const letterOf = (index: number): string => String.fromCharCode(65 + index);

/** Reads a study's file; `source` names it in errors. */
export function parseStudy(text: string, source: string): Study {
  const advice = 'Restore the file, or remove it.';
  const parsed = studyDocument.safeParse(readRecord(text, { kind: 'study', current: 1, upgrades: {}, source, advice }));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError('bad-study', `Expected a valid ${issue?.path.join('.')} in "${source}": ${issue?.message}.`);
  }
  const contradiction = contradictionIn(parsed.data);
  if (contradiction === null) return parsed.data;
  throw new UsageError(
    'bad-study',
    `Expected parts that fit together in "${source}", found ${contradiction}. ${advice}`,
  );
}

/** What does not fit together in a study, to follow "found". */
function contradictionIn({ methods, subjects, raters, film, summaries }: Study): string | null {
  const lengths = { film, video: summaries };
  const isEveryMethod = (order: readonly string[]): boolean =>
    order.length === methods.length && methods.every((each) => order.includes(each));
  if (new Set(methods).size !== methods.length) return 'a method twice';
  for (const { kind, title, summaries: each } of subjects) {
    if (each.length !== methods.length) return `${each.length} summaries of "${title}" for ${methods.length} methods`;
    if (each.flat().some(({ start, end }) => end <= start)) return `a clip of "${title}" that ends before it begins`;
    if (lengths[kind] === null) return `"${title}" without the length of its summaries`;
  }
  for (const { name, finished, ballots } of raters) {
    const isBad = ballots.some(
      ({ subject, order, marks }) =>
        subject >= subjects.length ||
        !isEveryMethod(order) ||
        marks.length !== order.length ||
        (finished && marks.includes(null)),
    );
    if (
      isBad ||
      new Set(ballots.map(({ subject }) => subject)).size !== subjects.length ||
      ballots.length !== subjects.length
    )
      return `marks of "${name}" that are not of these summaries`;
  }
  return null;
}

/** Adds a rater by name; a known one continues. The orders are drawn now, from the seed of the study. */
export function joinStudy(study: Study, name: string): { study: Study; rater: number } {
  const known = study.raters.findIndex((rater) => rater.name.toLowerCase() === name.toLowerCase());
  if (known >= 0) return { study, rater: known };
  requireOpen(study);
  const { below } = random(study.seed);
  const draws = study.subjects.length + 1;
  for (let spent = study.raters.length * draws; spent > 0; spent--) below(2 ** 32);
  const subjects = shuffledOrder(study.subjects.length, below(2 ** 32));
  const ballots = subjects.map((subject) => {
    const order = shuffledOrder(study.methods.length, below(2 ** 32)).map((index) => study.methods[index]!);
    return { subject, order, marks: order.map(() => null) };
  });
  return {
    study: { ...study, raters: [...study.raters, { name, finished: false, ballots }] },
    rater: study.raters.length,
  };
}

/** Gives a summary a mark, by the letter the rater sees. */
export function markSummary(
  study: Study,
  index: number,
  { subject, letter, mark }: { subject: number; letter: string; mark: number },
): Study {
  requireOpen(study);
  const rater = raterAt(study, index);
  if (rater.finished)
    throw new UsageError('rater-finished', 'These marks were handed in and can no longer be changed.');
  const at = rater.ballots[subject]?.order.findIndex((_, each) => letterOf(each) === letter) ?? -1;
  if (at < 0)
    throw new UsageError('not-found', `Expected a summary of this study, found ${letter} at number ${subject + 1}.`);
  const ballots = rater.ballots.map((ballot, each) =>
    each === subject ? { ...ballot, marks: ballot.marks.with(at, mark) } : ballot,
  );
  return withRater(study, index, { ...rater, ballots });
}

/** Hands in the marks of a rater. Throws if one is missing. */
export function finishRating(study: Study, index: number): Study {
  requireOpen(study);
  const rater = raterAt(study, index);
  const { marked, wanted } = progressOf(rater);
  if (marked < wanted) {
    throw new UsageError(
      'marks-missing',
      `Only ${marked} of ${wanted} summaries are marked. Mark all of them before handing in.`,
    );
  }
  return withRater(study, index, { ...rater, finished: true });
}

/** What a rater may see: letters, never methods. */
export function ballotOf(study: Study, index: number): Ballot {
  const { name, finished, ballots } = raterAt(study, index);
  return {
    ...{ study: study.id, keyWord: study.keyWord, rater: String(index + 1), name, finished, ended: study.ended },
    subjects: ballots.map(({ subject, order, marks }) => {
      const { title, summaries } = study.subjects[subject]!;
      return {
        title,
        summaries: order.map((shown, at) => ({
          letter: letterOf(at),
          clips: summaries[study.methods.indexOf(shown)]!.map(({ video, start, end, base }) => ({
            ...{ video, from: toSeconds(start, base), to: toSeconds(end, base) },
          })),
          mark: marks[at]!,
        })),
      };
    }),
  };
}

/** A study as everybody may see it. */
export function factsOf({ id, keyWord, methods, subjects, raters, ended }: Study): StudyFacts {
  return {
    ...{ id, keyWord, letters: methods.length, subjects: subjects.map(({ title }) => title), ended },
    raters: raters.map((rater) => ({ name: rater.name, finished: rater.finished, ...progressOf(rater) })),
  };
}

function progressOf({ ballots }: Rater): { marked: number; wanted: number } {
  const marks = ballots.flatMap((ballot) => ballot.marks);
  return { marked: marks.filter((mark) => mark !== null).length, wanted: marks.length };
}

function raterAt(study: Study, index: number): Rater {
  const rater = study.raters[index];
  if (rater) return rater;
  throw new UsageError('not-found', `Expected a rater of this study, found number ${index + 1}.`);
}

function withRater(study: Study, index: number, rater: Rater): Study {
  return { ...study, raters: study.raters.with(index, rater) };
}

function requireOpen({ ended }: Study): void {
  if (ended) throw new UsageError('study-ended', 'This study has ended and no longer accepts marks.');
}

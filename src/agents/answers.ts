import { basename, join } from 'node:path';
import { z } from 'zod';

import { UsageError } from '../base/index.js';
import { METHOD_NAMES } from '../select/index.js';
import type { Selection, Topic, Work } from '../studio/index.js';
import { isBusy, type Desk } from './desks.js';

/*
 * What tools answer. Videos go by file name, shots count from 1 as in reports and wishes, and times are seconds from the
 * first picture of a video.
 */

const seconds = (what: string): z.ZodNumber => z.number().describe(what);
const video = z.string().describe('File name of the video');
const number = z.int().positive().describe('Number of the shot in its video, from 1');
const span = {
  from: seconds('Seconds from the first picture of its video'),
  to: seconds('The end, which does not play any more'),
};

export const statusAnswer = z.object({
  state: z.enum(['idle', 'analysing', 'rendering', 'failed']).describe('idle: nothing is under way'),
  isReady: z.boolean().describe('The topic is analysed: summaries, film and edits can be asked for'),
  stage: z.string().nullable(),
  percent: z.number().nullable().describe('Of all stages of the work; null if nothing is under way'),
  secondsLeft: z.number().nullable().describe('Of this stage, estimated; null if it is too early to say'),
  item: z.string().nullable().describe('The video that is worked on'),
  message: z.string().nullable().describe('Why work failed or ended early'),
  reasons: z.array(z.string()).describe('Why videos were left out'),
});

export const topicAnswer = z.object({
  folder: z.string().describe('Folder of the videos'),
  topicFolder: z.string().describe('Folder of the topic: everything that is made is in it'),
  name: z.string(),
  status: statusAnswer,
  videos: z.array(
    z.object({
      video,
      seconds: seconds('Its length').nullable(),
      state: z.enum(['waiting', 'analysing', 'analysed', 'failed']),
      problem: z.string().nullable().describe('Why it cannot be used; null if it can'),
      isLeftOut: z.boolean(),
    }),
  ),
  settings: z.object({
    length: z.string().describe('Length of the summary of each video'),
    filmLength: z.string().nullable().describe('Length of the film of the topic'),
    shared: z.number().describe('0: what only this video shows; 1: what it shares with the others'),
    method: z.enum(METHOD_NAMES),
  }),
  notes: z.array(z.string()),
  report: z.string().nullable().describe('Path of the report, once films were rendered'),
});

const clipAnswer = z.object({
  clip: z.int().positive().describe('Number of the clip in the summary, from 1'),
  ...span,
  shots: z.array(number),
});
const videoAnswer = z.object({
  video,
  seconds: seconds('Its length'),
  summarySeconds: seconds('Length of its summary'),
  shots: z.int().describe('Number of its shots'),
  remarks: z.array(z.string()).describe('Whether it belongs to the topic, shows the same as another, or is damaged'),
  clips: z.array(clipAnswer).describe('What its summary plays, in order'),
});
export const summariesAnswer = z.object({
  videos: z.array(videoAnswer),
  total: z.int().describe('Number of videos that are summarised; ask for the next with "first"'),
});

export const shotsAnswer = z.object({
  video,
  total: z.int().describe('Number of its shots; ask for the next with "first"'),
  shots: z.array(
    z.object({
      ...{ shot: number, ...span },
      rank: z.int().positive().describe('Place in the ranking of its video, 1 is the most important'),
      score: z.number().describe('Against the strongest shot of its video'),
      isChosen: z.boolean(),
      isPinned: z.boolean(),
      isVetoed: z.boolean(),
      bad: z.string().nullable().describe('What is wrong with its pictures; null if nothing is'),
    }),
  ),
});

export const filmAnswer = z.object({
  seconds: seconds('Length of the film').nullable().describe('null: no film is asked for'),
  shots: z.array(
    z.object({
      place: z.int().positive().describe('Place in the film, from 1'),
      ...{ video, shot: number, ...span },
      reason: z.string().describe('Why it is there'),
    }),
  ),
  total: z.int().describe('Number of its shots; ask for the next with "first"'),
});

const otherShot = z.object({
  ...{ video, shot: number, ...span },
  rank: z.int().positive().describe('Place in the ranking of its own video'),
  isChosen: z.boolean(),
  bad: z.string().nullable().describe('What is wrong with its pictures; null if nothing is'),
});
export const whyAnswer = z.object({
  ...{ video, shot: number, ...span },
  isChosen: z.boolean(),
  reason: z.string().describe('Why it is in the summary, or why not'),
  own: z.number().describe('How much of its own video it stands for'),
  shared: z.number().describe('How much of the other videos it stands for'),
  support: z.array(z.object({ video, share: z.number(), shot: number })).describe('Videos that support it'),
});
export const alternativesAnswer = z.object({
  alternatives: z.array(otherShot).describe('Other takes of the same moment or view, best first'),
});

export const editAnswer = z.object({
  revision: z.int().describe('Number of changes so far'),
  undo: z.string().nullable().describe('What undo would take back'),
  video: videoAnswer.nullable().describe('The video that was changed; null if the change is about several or none'),
  filmSeconds: z.number().nullable().describe('Length of the film of the topic'),
});

/** The stages of both kinds of work, in order. */
const STAGES: Readonly<Record<string, readonly string[]>> = {
  analysing: ['probe', 'analyse', 'select'],
  rendering: ['probe', 'analyse', 'select', 'render', 'concept', 'report'],
};

/** How much of all stages is done; `null` if nothing is under way. */
export function percentOf({ state, stage, fraction }: Work): number | null {
  const stages = STAGES[state];
  if (!stages) return null;
  return (100 * (Math.max(0, stages.indexOf(stage ?? '')) + (fraction ?? 0))) / stages.length;
}

export function statusOf(work: Work, { selection }: Pick<Topic, 'selection'>): z.input<typeof statusAnswer> {
  const { state, stage, secondsLeft, item, message, reasons } = work;
  const percent = percentOf(work);
  return {
    ...{ state, isReady: selection !== null && !(isBusy(work) && state === 'analysing') },
    ...{ stage, percent: percent && rounded(percent), secondsLeft: secondsLeft && rounded(secondsLeft) },
    ...{ item, message, reasons },
  };
}

export function topicOf(topic: Topic, desk: Desk): z.input<typeof topicAnswer> {
  const { length, concept, shared, method, leftOut } = topic.document.steering;
  const isOut = new Set(leftOut);
  return {
    ...{ folder: desk.folder, topicFolder: desk.topic, name: topic.name, status: statusOf(topic.work, topic) },
    videos: topic.clips.map(({ name, seconds: length, state, problem }) => ({
      ...{ video: name, seconds: length, state, problem, isLeftOut: isOut.has(name) },
    })),
    settings: { length, filmLength: concept, shared, method },
    notes: [...topic.notes, ...topic.skipped],
    report: topic.report && join(desk.results, basename(decodeURIComponent(topic.report))),
  };
}

type Video = Selection['videos'][number];

/** The selection of a topic; throws while there is none. */
export function selectionOf({ selection, work }: Pick<Topic, 'selection' | 'work'>): Selection {
  if (selection) return selection;
  const what = isBusy(work)
    ? 'its analysis is not finished: ask for "status"'
    : 'it is not analysed: ask for "analyse"';
  throw new UsageError('not-ready', `Expected an analysed topic, found that ${what}.`);
}

/** A video by its file name or id. */
export function videoIn({ videos }: Selection, named: string): Video {
  const found = videos.filter(({ name, id }) => name === named || id === named);
  if (found.length === 1) return found[0]!;
  const why = found.length === 0 ? 'none' : `${found.length}; rename the files`;
  throw new UsageError('not-found', `Expected a video of this topic named "${named.slice(0, 200)}", found ${why}.`);
}

/** A shot of a video by its number from 1. */
export function shotIn({ name, shots }: Video, wanted: number): Video['shots'][number] {
  const found = shots[wanted - 1];
  if (found) return found;
  throw new UsageError('not-found', `Expected a shot from 1 to ${shots.length} of "${name}", found ${wanted}.`);
}

export function videoAnswerOf(video: Video): z.input<typeof videoAnswer> {
  return {
    ...{ video: video.name, seconds: rounded(video.seconds), summarySeconds: rounded(video.chosenSeconds) },
    ...{ shots: video.shots.length, remarks: video.remarks.map(({ sentence }) => sentence) },
    clips: video.clips.map(({ from, to, shots }, at) => ({
      ...{ clip: at + 1, from: rounded(from), to: rounded(to), shots: shots.map((index) => index + 1) },
    })),
  };
}

export function shotAnswerOf({
  index,
  from,
  to,
  rank,
  score,
  chosen,
  pinned,
  vetoed,
  bad,
}: Video['shots'][number]): z.input<typeof shotsAnswer>['shots'][number] {
  return {
    ...{ shot: index + 1, from: rounded(from), to: rounded(to), rank: rank + 1, score: rounded(score) },
    ...{ isChosen: chosen, isPinned: pinned, isVetoed: vetoed, bad },
  };
}

/** The film of the topic, its shots from `first` (from 1) on. */
export function filmOf(selection: Selection, first: number, count: number): z.input<typeof filmAnswer> {
  const { film, videos } = selection;
  const names = new Map(videos.map(({ id, name }) => [id, name]));
  const shots = (film?.shots ?? []).map(({ video: id, shot, from, to, reason }, at) => ({
    ...{ place: at + 1, video: names.get(id) ?? id, shot: shot + 1, from: rounded(from), to: rounded(to), reason },
  }));
  return {
    seconds: film && rounded(film.seconds),
    shots: shots.slice(first - 1, first - 1 + count),
    total: shots.length,
  };
}

/** To the millisecond, as wishes are. */
export function rounded(value: number): number {
  return Math.round(1000 * value) / 1000;
}

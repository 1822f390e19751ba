import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { UsageError } from '../base/index.js';
import type { OptionsInput } from '../index.js';
import type { RankedTopic } from '../pipeline/index.js';
import { METHOD_NAMES } from '../select/index.js';
import { readText, writeParts } from '../storage/index.js';
import type { Handlers } from '../http/index.js';
import type { NewStudy, studyRoutes } from './study-contract.js';
import { ballotOf, factsOf, finishRating, joinStudy, markSummary, parseStudy, type Study } from './study.js';
import { resultsOf, studyCsv } from './study-results.js';

/** The studies of a topic: the handlers of their routes, and their marks as CSV. */
export type Studies = { readonly handlers: Handlers<typeof studyRoutes>; csv(study: string): Promise<string> };

type Subject = Study['subjects'][number];

/**
 * Stores the studies of a topic, one file each in `folder`. The summaries are computed when a study is opened and stay the
 * same whatever settings change later. Changes are made one after the other, each to what is on disk.
 */
export function keepStudies(folder: string, subjectsFor: (study: NewStudy) => Promise<Study['subjects']>): Studies {
  const pathOf = (id: string): string => join(folder, `${id}.json`);
  const write = (study: Study): Promise<void> => writeParts(pathOf(study.id), [`${JSON.stringify(study, null, 2)}\n`]);
  const read = async (id: string): Promise<Study> => {
    const text = (await idsIn(folder)).includes(id) ? await readText(pathOf(id)) : null;
    if (text === null) throw new UsageError('not-found', `There is no study "${id}".`);
    return parseStudy(text, pathOf(id));
  };
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };
  const change = (id: string, step: (study: Study) => Study): Promise<Study> =>
    inTurn(async () => {
      const changed = step(await read(id));
      await write(changed);
      return changed;
    });
  const indexOf = (rater: string): number => (/^[1-9]\d{0,5}$/.test(rater) ? Number(rater) - 1 : -1);

  return {
    csv: async (id) => studyCsv(await read(id)),
    handlers: {
      readStudies: async () => ({ studies: (await Promise.all((await idsIn(folder)).map(read))).map(factsOf) }),
      openStudy: async ({ body }) => {
        const subjects = await subjectsFor(body);
        return inTurn(async () => {
          const numbers = (await idsIn(folder)).map((id) => Number(id.slice('study-'.length)));
          const study: Study = {
            ...{ schema: 'study.1', id: `study-${Math.max(0, ...numbers) + 1}`, ...body, methods: inOrder(body) },
            ...{ seed: randomInt(2 ** 32), subjects, raters: [], ended: false },
          };
          await write(study);
          return factsOf(study);
        });
      },
      joinStudy: async ({ parameters, body }) => {
        const joined = await change(parameters.study, (study) => joinStudy(study, body.name).study);
        return ballotOf(joined, joinStudy(joined, body.name).rater);
      },
      readBallot: async ({ parameters }) => ballotOf(await read(parameters.study), indexOf(parameters.rater)),
      mark: async ({ parameters, body }) => {
        const index = indexOf(parameters.rater);
        return ballotOf(await change(parameters.study, (study) => markSummary(study, index, body)), index);
      },
      finishRating: async ({ parameters }) => {
        const index = indexOf(parameters.rater);
        return ballotOf(await change(parameters.study, (study) => finishRating(study, index)), index);
      },
      endStudy: async ({ parameters }) =>
        resultsOf(await change(parameters.study, (study) => ({ ...study, ended: true }))),
      readResults: async ({ parameters }) => resultsOf(await read(parameters.study)),
    },
  };
}

/** Ids of the studies in a folder, oldest first. */
async function idsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const numbers = names.flatMap((name) => /^study-([1-9]\d*)\.json$/.exec(name)?.[1] ?? []).map(Number);
  return numbers.toSorted((a, b) => a - b).map((number) => `study-${number}`);
}

const inOrder = ({ methods }: NewStudy): NewStudy['methods'] => METHOD_NAMES.filter((name) => methods.includes(name));

/** What is rated: for every method the film of the topic, the summary of each video, or both; same lengths, no pins or vetoes. */
export async function subjectsOf(
  study: NewStudy,
  judge: (options: OptionsInput) => Promise<RankedTopic>,
): Promise<Study['subjects']> {
  const { film, summaries } = study;
  if (film === null && summaries === null) {
    throw new UsageError(
      'nothing-rated',
      'There is nothing to rate. Choose the film of the topic, the summaries, or both.',
    );
  }
  const wanted = inOrder(study);
  if (wanted.length < 2) throw new UsageError('one-method', 'Choose at least two methods to compare.');
  const judged: RankedTopic[] = [];
  for (const method of wanted) {
    const lengths = {
      ...(summaries === null ? {} : { length: summaries }),
      ...(film === null ? {} : { concept: film }),
    };
    judged.push(await judge({ ...lengths, method, pin: [], veto: [], order: 'position' }));
  }
  const { videos } = judged[0]!;
  const films: Subject = {
    ...{ kind: 'film', title: 'The film of the topic' },
    summaries: judged.map(({ concept }) => (concept?.shots ?? []).map((shot) => clipOf(videos, shot.video, shot))),
  };
  const perVideo = videos.map(({ id, name }, index): Subject => ({
    ...{ kind: 'video', title: name },
    summaries: judged.map((of) => of.videos[index]!.clips.map((clip) => clipOf(videos, id, clip))),
  }));
  return [...(film === null ? [] : [films]), ...(summaries === null ? [] : perVideo)];
}

type Clip = Subject['summaries'][number][number];

function clipOf(
  videos: RankedTopic['videos'],
  id: string,
  { range }: RankedTopic['videos'][number]['clips'][number],
): Clip {
  const { start } = videos.find((video) => video.id === id)!.analysis;
  const { num, den } = range.base;
  return { video: id, start: range.start - start, end: range.end - start, base: { num, den } };
}

import { inMemory, stackRows, type Matrix } from './base/index.js';
import { resultOptions, type Options } from './options/index.js';
import { analyseTopic } from './pipeline.js';
import type { Run } from './run.js';
import {
  chooseConcept,
  describeConcept,
  poseProblems,
  rankShotsOfTopic,
  recordOf,
  relateTopic,
  WORTH_THREADS,
  type AnalysedVideo,
  type ChosenConcept,
  type Posed,
  type RankedVideo,
} from './stages/index.js';
import { openSolvers } from './select/index.js';
import type { SummaryDocument } from './summary/index.js';
import { placeWishes } from './wishes/index.js';

/** A topic ranked and cut under some options. Nothing is written. */
export type Judged = {
  readonly options: Options;
  readonly videos: readonly RankedVideo[];
  /** The film of the whole topic; `null` if the options ask for none. */
  readonly concept: ChosenConcept | null;
  readonly notes: readonly string[];
};

/** A topic that stays open: its videos were analysed once and can be judged again and again, in milliseconds. */
export type HeldTopic = {
  readonly topic: string;
  readonly videos: readonly AnalysedVideo[];
  readonly skipped: Run['skipped'];
  /** The vectors of all shots, one row each, video after video. */
  vectors(): Promise<Matrix>;
  /** The record that a run under the same options would write, without the files it would make. */
  describe(judged: Judged): SummaryDocument;
  /** Ends its threads, and lets go of its vectors. */
  close(): Promise<void>;
  judge(run: Pick<Run, 'options' | 'budget' | 'conceptBudget'>): Promise<Judged>;
};

/** Analyses the videos of a topic, or finds their analyses in the cache, and keeps them open. */
export async function holdTopic(given: readonly string[], run: Run): Promise<HeldTopic> {
  const { topic, analysed: all } = await analyseTopic(given, run, { writes: false });
  const related = await relateTopic(all, run);
  const analysed = related.videos;
  let posed: { readonly key: string; readonly problems: Posed } | null = null;
  // Most options leave the problems as they are; only those about vectors change them. The latest are kept: each set is
  // as large as the topic.
  const pose = ({ normalise, whiten, blocks, background }: Options): Posed => {
    const options = { normalise, whiten, blocks, background };
    const key = JSON.stringify(options);
    if (posed?.key !== key) {
      posed = { key, problems: poseProblems(related, { ...run, options }, { keeps: true }) };
    }
    return posed.problems;
  };
  // Threads that stay: a judgement need not start any, and does not block this one. Few videos are solved faster here.
  const solvers = analysed.length < WORTH_THREADS ? null : openSolvers(run.jobs);
  const solving = solvers ? { solve: solvers.solve } : {};
  return {
    topic,
    videos: analysed,
    skipped: run.skipped,
    vectors: async () => stackRows((await pose(run.options).vectors.features()).map(inMemory)),
    describe: ({ options, videos, concept, notes }) => {
      const nothing = { film: null, storyboard: null, pictures: [] };
      const result = {
        topic,
        options: resultOptions(options),
        videos: videos.map((video) => ({ ...video, ...nothing })),
      };
      const film = concept && describeConcept(concept, videos, options);
      return recordOf({ ...result, concept: film }, [], { skipped: run.skipped, notes: [...run.notes, ...notes] });
    },
    async close() {
      await solvers?.close();
      await run.shelf.close();
    },
    async judge({ options, budget, conceptBudget }) {
      const notes: string[] = [];
      const wishes = placeWishes(options, analysed.map(({ name }) => name)); // prettier-ignore
      const judging = { ...run, options, budget, conceptBudget, notes, jobs: 0, tell: () => undefined, ...solving };
      const problems = pose(options);
      const videos = await rankShotsOfTopic(related, judging, wishes, problems);
      return { options, videos, concept: await chooseConcept(videos, judging, problems.vectors), notes };
    },
  };
}

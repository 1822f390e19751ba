import { inMemory, stackRows, UsageError, type Matrix } from '../base/index.js';
import { resultOptions, type Options } from '../options/index.js';
import { analyseTopic } from './pipeline.js';
import type { Run } from './run.js';
import { chooseConcept, type ChosenConcept } from './concept.js';
import { describeConcept } from './render-concept.js';
import { buildProblems, rankShotsOfTopic, WORTH_THREADS, type TopicProblems } from './rank.js';
import { recordOf } from './publish.js';
import { relateTopic } from './relate.js';
import type { AnalysedVideo } from './analyse-videos.js';
import type { RankedVideo } from './cut-video.js';
import { openSolvers } from '../select/index.js';
import { type SummaryDocument, resolveWishes } from '../summary/index.js';

/** A topic ranked and cut under some options. Nothing is written. */
export type RankedTopic = {
  readonly options: Options;
  readonly videos: readonly RankedVideo[];
  /** The film of the whole topic; `null` if the options ask for none. */
  readonly concept: ChosenConcept | null;
  readonly notes: readonly string[];
};

/** A topic that stays open: its videos were analysed once and can be ranked again and again, in milliseconds. */
export type AnalysedTopic = {
  readonly topic: string;
  readonly videos: readonly AnalysedVideo[];
  readonly skipped: Run['skipped'];
  /** The vectors of all shots, one row each, video after video. */
  vectors(): Promise<Matrix>;
  /** The record that a run under the same options would write, without the files it would make. */
  describe(ranked: RankedTopic): SummaryDocument;
  /** Ends its threads and frees its vectors. */
  close(): Promise<void>;
  /** Ranks the topic as if the videos whose ids are in `without` were not in it. */
  rank(run: Pick<Run, 'options' | 'budget' | 'conceptBudget'>, without?: ReadonlySet<string>): Promise<RankedTopic>;
};

/** Some of the videos of a topic, related to each other, and their problems under some options. */
type Subset = {
  readonly related: Awaited<ReturnType<typeof relateTopic>>;
  readonly run: Run;
  problemsUnder(options: Options): TopicProblems;
};

/** Analyses the videos of a topic, or finds their analyses in the cache, and keeps them open. */
export async function openAnalysedTopic(given: readonly string[], run: Run): Promise<AnalysedTopic> {
  const { topic, analysed: all } = await analyseTopic(given, run, { writes: false });
  const openSubset = async (without: ReadonlySet<string>): Promise<Subset> => {
    const own = { ...run, notes: [...run.notes], skipped: [...run.skipped] };
    const kept = all.filter(({ id }) => !without.has(id));
    if (kept.length === 0) {
      throw new UsageError('nothing-left', 'Expected at least one video in the topic, found that all are left out.');
    }
    const related = await relateTopic(kept, own);
    let latestProblems: { readonly key: string; readonly problems: TopicProblems } | null = null;
    // Most options leave the problems as they are; only those about vectors change them. The latest are kept: each set is
    // as large as the topic.
    const problemsUnder = ({ normalise, whiten, blocks, background }: Options): TopicProblems => {
      const options = { normalise, whiten, blocks, background };
      const key = JSON.stringify(options);
      if (latestProblems?.key !== key) {
        latestProblems = { key, problems: buildProblems(related, { ...own, options }, { keeps: true }) };
      }
      return latestProblems.problems;
    };
    return { related, run: own, problemsUnder };
  };
  const whole = await openSubset(new Set());
  // Only the latest selection of videos is kept besides the whole topic.
  let latest: { readonly key: string; readonly subset: Promise<Subset> } | null = null;
  const subsetWithout = (without: ReadonlySet<string>): Promise<Subset> => {
    const key = [...without].toSorted().join('\n');
    if (without.size === 0) return Promise.resolve(whole);
    if (latest?.key !== key) {
      latest = { key, subset: openSubset(without) };
      latest.subset.catch(() => (latest = null));
    }
    return latest.subset;
  };
  const subsets = new WeakMap<RankedTopic, Subset>();
  // Threads that stay: a ranking need not start any, and does not block this one. Few videos are solved faster here.
  const solvers = all.length < WORTH_THREADS ? null : openSolvers(run.jobs);
  const solving = solvers ? { solve: solvers.solve } : {};
  return {
    topic,
    videos: whole.related.videos,
    skipped: whole.run.skipped,
    vectors: async () => stackRows((await whole.problemsUnder(run.options).vectors.features()).map(inMemory)),
    describe: (ranked) => {
      const { options, videos, concept, notes } = ranked;
      const { skipped, notes: noted } = (subsets.get(ranked) ?? whole).run;
      const nothing = { film: null, storyboard: null, pictures: [] };
      const result = {
        topic,
        options: resultOptions(options),
        videos: videos.map((video) => ({ ...video, ...nothing })),
      };
      const film = concept && describeConcept(concept, videos, options);
      return recordOf({ ...result, concept: film }, [], { skipped, notes: [...noted, ...notes] });
    },
    async close() {
      await solvers?.close();
      await run.workspace.close();
    },
    async rank({ options, budget, conceptBudget }, without = new Set()) {
      const notes: string[] = [];
      const subset = await subsetWithout(without);
      const { related, run: own, problemsUnder } = subset;
      const wishes = resolveWishes(options, related.videos.map(({ name }) => name)); // prettier-ignore
      const ranking = { ...own, options, budget, conceptBudget, notes, jobs: 0, emit: () => undefined, ...solving };
      const problems = problemsUnder(options);
      const videos = await rankShotsOfTopic(related, ranking, wishes, problems);
      const ranked = { options, videos, concept: await chooseConcept(videos, ranking, problems.vectors), notes };
      subsets.set(ranked, subset);
      return ranked;
    },
  };
}

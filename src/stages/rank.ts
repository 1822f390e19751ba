import { lengthInSeconds, type Matrix } from '../base/index.js';
import type { Run } from '../run.js';
import {
  explain,
  isCvsRanking,
  methods,
  solveAll,
  type CvsKnobs,
  type MethodChoice,
  type Ranking,
} from '../select/index.js';
import { clipsOf, cutToLength, rankShots, type Clip, type SummaryShot, type Support } from '../summary/index.js';
import { problemsOfTopic, type Problem } from '../topic/index.js';
import { note, type AnalysedVideo } from './analyse-videos.js';
import { shotVectors } from './shot-vectors.js';

export type RankedVideo = AnalysedVideo & {
  readonly shots: readonly SummaryShot[];
  readonly clips: readonly Clip[];
  readonly solver: { readonly iterations: number; readonly converged: boolean; readonly residual: number };
};

/** Supporters named for each chosen shot; those behind are too weak to mean much. */
const SUPPORTERS = 5;

/** Topics smaller than this are solved before a thread would have started. */
const WORTH_THREADS = 6;

/** Ranks each video's shots against the topic, cuts the ranking to the length, and says who supports each chosen shot. */
export async function rankShotsOfTopic(videos: readonly AnalysedVideo[], run: Run): Promise<RankedVideo[]> {
  run.tell({ type: 'stage-started', stage: 'select', total: videos.length });
  if (videos.length === 1) {
    note(
      run,
      'alone',
      `"${videos[0]?.name}" is the only video, so there is no topic to compare it with: its shots were judged by the video alone.`,
    );
  }
  const features = shotVectors(videos, run.options);
  const choice = choose(run, videos.length);
  const problems = problemsOfTopic(features, methods[choice.method].others);
  let solved = 0;
  const rankings = await solveAll(problems, choice, {
    workers: videos.length < WORTH_THREADS ? 0 : run.jobs,
    ...(run.signal ? { signal: run.signal } : {}),
    onSolved: (place) => {
      const fraction = ++solved / videos.length;
      run.tell({ type: 'progress', stage: 'select', fraction, item: videos[place]?.name ?? null, frames: 0 });
    },
  });
  const ranked = videos.map((video, place) => {
    const others = videos.flatMap(({ id }, index) => (index === place ? [] : [{ id, features: features[index]! }]));
    return cutVideo(
      video,
      rankings[place]!,
      supporters(problems[place]!, rankings[place]!, choice.knobs ?? {}, others),
      run,
    );
  });
  run.tell({ type: 'stage-done', stage: 'select' });
  return ranked;
}

/**
 * The method asked for and its knobs. For cvs, a context weight of zero means that the others are not there: they could
 * not be rebuilt, only avoided without end. So it does for a video without others.
 */
function choose({ options }: Run, videoCount: number): MethodChoice {
  const { method, seed, contextWeight, diversity, sparsity } = options;
  const isAlone = videoCount === 1 || contextWeight === 0;
  return {
    method: method === 'cvs' && isAlone ? 'cvs-neighborhood' : method,
    seed,
    knobs: { contextWeight, diversity, ...(sparsity === undefined ? {} : { sparsity }) },
  };
}

/** Who supports a shot, strongest first. */
function supporters(
  problem: Problem,
  ranking: Ranking,
  knobs: Partial<CvsKnobs>,
  others: readonly { id: string; features: Matrix }[],
): (shot: number) => Support[] {
  const why = isCvsRanking(ranking)
    ? explain(problem, ranking, knobs)
    : (shot: number) => ranking.support?.[shot] ?? [];
  return (shot) =>
    why(shot, others)
      .flatMap(({ neighbor, share, shot: counterpart }) =>
        share > 0 && counterpart !== null ? [{ video: others[neighbor]!.id, share, shot: counterpart }] : [],
      )
      .sort((a, b) => b.share - a.share)
      .slice(0, SUPPORTERS);
}

/** The shots of the summary: the ranking cut to the length, with notes on whatever a reader should know. */
function cutVideo(
  video: AnalysedVideo,
  ranking: Ranking,
  supportOf: (shot: number) => Support[],
  run: Run,
): RankedVideo {
  const { shots, start, end, timeBase } = video.analysis;
  const { iterations, converged, residual } = ranking.certificate;
  const { length } = run.options;
  const order = rankShots(ranking, shots);
  const rankOf = new Map(order.map((shot, rank) => [shot, rank]));
  const cut = cutToLength(order, shots, run.budget, { start, end, base: timeBase }, ranking.scores);
  if (cut.overBudget && shots.length > 1) {
    const best = lengthInSeconds(shots[cut.chosen[0]!]!.range).toFixed(1);
    note(
      run,
      'over-length',
      `The best shot of "${video.name}" (${best} s) is longer than the length asked for (${length}) and nothing shorter comes near it: it was taken whole.`,
    );
  }
  if (!converged) {
    note(
      run,
      'not-converged',
      `The solver stopped before "${video.name}" was solved to its tolerance (residual ${residual.toExponential(1)}).`,
    );
  }
  const chosen = new Set(cut.chosen);
  return {
    ...video,
    shots: shots.map((shot, index) => ({
      ...shot,
      rank: rankOf.get(index)!,
      score: ranking.scores[index]!,
      own: ranking.own[index]!,
      shared: ranking.shared[index]!,
      chosen: chosen.has(index),
      support: chosen.has(index) ? supportOf(index) : [],
    })),
    clips: clipsOf(cut.chosen.map((index) => shots[index]!)),
    solver: { iterations, converged, residual },
  };
}

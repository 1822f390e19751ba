import { CancelledError, type Matrix } from '../base/index.js';
import type { FeatureMatrix } from '../features/index.js';
import type { Run } from '../run.js';
import { cvs, type CvsKnobs, type Ranking } from '../select/index.js';
import {
  clipsOf,
  cutToLength,
  parseBudget,
  rankShots,
  type Clip,
  type SummaryShot,
  type Support,
} from '../summary/index.js';
import { emptyMoment, addMoments, momentOf, problemOf } from '../topic/index.js';
import { note, type AnalysedVideo } from './analyse-videos.js';

export type RankedVideo = AnalysedVideo & {
  readonly shots: readonly SummaryShot[];
  readonly clips: readonly Clip[];
  readonly solver: { readonly iterations: number; readonly converged: boolean; readonly residual: number };
};

/** Supporters named for each chosen shot; those behind are too weak to mean much. */
const SUPPORTERS = 5;

/** Ranks each video's shots against the topic, cuts the ranking to the length, and says who supports each chosen shot. */
export async function rankShotsOfTopic(videos: readonly AnalysedVideo[], run: Run): Promise<RankedVideo[]> {
  run.tell({ type: 'stage-started', stage: 'select', total: videos.length });
  const budget = parseBudget(run.options.length);
  const selector = cvs(knobsOf(run));
  if (videos.length === 1) {
    note(
      run,
      'alone',
      `"${videos[0]?.name}" is the only video, so there is no topic to compare it with: its shots were judged by the video alone.`,
    );
  }

  const features = videos.map((video) => toMatrix(video.analysis.features));
  const topic = features.reduce(
    (sum, matrix) => addMoments(sum, momentOf(matrix)),
    emptyMoment(features[0]?.cols ?? 0),
  );
  const ranked = videos.map((video, place): RankedVideo => {
    if (run.signal?.aborted) throw new CancelledError();
    const own = features[place] as Matrix;
    const problem = problemOf(own, topic, { ownWeight: 1 });
    const ranking = selector.select(problem);
    const { shots, start, end, timeBase } = video.analysis;
    const order = rankShots(ranking, shots);
    const cut = cutToLength(order, shots, budget, { start, end, base: timeBase }, ranking.scores);
    if (cut.overBudget) {
      note(
        run,
        'over-length',
        `The best shot of "${video.name}" is longer than the length asked for (${run.options.length}) and nothing that fits comes near it: it was taken whole.`,
      );
    }
    if (!ranking.certificate.converged) {
      note(
        run,
        'not-converged',
        `The solver stopped before "${video.name}" was solved to its tolerance (residual ${ranking.certificate.residual.toExponential(1)}).`,
      );
    }
    const others = videos.flatMap((other, index) =>
      index === place ? [] : [{ id: other.id, features: features[index] as Matrix }],
    );
    const chosen = new Set(cut.chosen);
    run.tell({ type: 'progress', stage: 'select', fraction: (place + 1) / videos.length, item: video.name, frames: 0 });
    return {
      ...video,
      shots: shots.map((shot, index) => ({
        ...shot,
        rank: order.indexOf(index),
        score: ranking.scores[index] ?? 0,
        own: ranking.own[index] ?? 0,
        shared: ranking.shared[index] ?? 0,
        chosen: chosen.has(index),
        support: [],
      })),
      clips: clipsOf(cut.chosen.map((index) => shots[index]!)),
      solver: {
        iterations: ranking.certificate.iterations,
        converged: ranking.certificate.converged,
        residual: ranking.certificate.residual,
      },
    };
  });
  run.tell({ type: 'stage-done', stage: 'select' });
  return ranked;
}

function knobsOf({ options }: Run): Partial<CvsKnobs> {
  const { contextWeight, diversity, sparsity } = options;
  return { contextWeight, diversity, ...(sparsity === undefined ? {} : { sparsity }) };
}

function supportOf(
  shot: number,
  problem: Parameters<any>[0],
  ranking: Ranking,
  others: readonly { id: string; features: Matrix }[],
): Support[] {
  return (globalThis as any)
    .explain(problem, ranking, shot, others)
    .neighbors.map(({ share, shot: counterpart }, index) => ({
      video: others[index]?.id ?? '',
      share,
      shot: counterpart,
    }))
    .filter((support) => support.share > 0)
    .sort((a, b) => b.share - a.share)
    .slice(0, SUPPORTERS);
}

function toMatrix({ shotCount, dim, data }: FeatureMatrix): Matrix {
  return { rows: shotCount, cols: dim, data: Float64Array.from(data) };
}

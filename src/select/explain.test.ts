import { describe, expect, it } from 'vitest';
import { matrixOf, zeros } from '../base/index.js';
import { mergeMoments, momentOf, problemOf } from '../topic/index.js';
import { algorithm1, scenes } from './algorithm1.case.js';
import { cvs, explain } from './index.js';

const X = scenes(1, 14, 24);
const neighbors = [scenes(2, 9, 24), scenes(3, 12, 24), scenes(4, 5, 24)].map((features) => ({ features }));
const problem = problemOf(X, mergeMoments(neighbors.map(({ features }) => momentOf(features))), { neighbors });

describe('why a shot was chosen', () => {
  const knobs = { sparsity: 0.3, smoothing: 0.2, tolerance: 1e-12, maxIterations: 5000 };
  const ranking = cvs(knobs).select(problem);
  const why = explain(problem, ranking, knobs);

  it('is row i of Z̃ as the literal algorithm has it', () => {
    const { lambda, epsilon } = ranking.certificate;
    const others = matrixOf(neighbors.flatMap(({ features }) => rows(features)));
    const { Zt } = algorithm1(X, others, { alpha: 0.5, lambdaS: lambda, lambdaD: 0.01, beta: lambda, epsilon }, 800);
    for (const shot of ranking.order.slice(0, 3)) {
      const z = rows(Zt)[shot]!;
      const parts = [z.slice(0, 9), z.slice(9, 21), z.slice(21)];
      const total = z.reduce((sum, value) => sum + value * value, 0);
      why(shot, neighbors).forEach(({ neighbor, share, shot: best, weight }) => {
        const part = parts[neighbor]!;
        expect(share).toBeCloseTo(part.reduce((sum, value) => sum + value * value, 0) / total, 6);
        expect(weight).toBeCloseTo(part[best!]!, 6);
        expect(Math.abs(weight!)).toBeCloseTo(Math.max(...part.map(Math.abs)), 6);
      });
    }
  });

  it('has shares that sum to one, the same from features and from moments', () => {
    for (let shot = 0; shot < X.rows; shot++) {
      const byShot = why(shot, neighbors);
      const byMoment = why(
        shot,
        neighbors.map(({ features }) => momentOf(features)),
      );
      expect(byShot.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
      byShot.forEach(({ share }, v) => expect(byMoment[v]!.share).toBeCloseTo(share, 9));
      expect(byMoment.every(({ shot }) => shot === null)).toBe(true);
    }
  });

  it.each([[[]], [[3, 17]]])('is the same for a video of more shots than features, with %j pinned', (pinned) => {
    const long = scenes(5, 40, 12);
    const sources = [scenes(6, 9, 12), scenes(7, 12, 12)].map((features) => ({ features }));
    const answer = (widen: (features: typeof X) => typeof X) => {
      const videos = sources.map(({ features }) => ({ features: widen(features) }));
      const posed = problemOf(widen(long), mergeMoments(videos.map(({ features }) => momentOf(features))));
      const asked = { ...posed, pinned };
      const found = explain(asked, cvs(knobs).select(asked), knobs);
      return Array.from({ length: long.rows }, (_, shot) => found(shot, videos));
    };
    // Features that are zero for all change nothing but the way the answer is found.
    const padded = answer((features) => matrixOf(rows(features).map((row) => [...row, ...new Float64Array(60)])));
    const short = answer((features) => features);
    expect(short.flat().every(({ share }) => share > 0)).toBe(true);
    short.flat().forEach(({ share, weight, shot }, at) => {
      expect(share).toBeCloseTo(padded.flat()[at]!.share, 5);
      expect(weight).toBeCloseTo(padded.flat()[at]!.weight!, 5);
      expect(shot).toBe(padded.flat()[at]!.shot);
    });
  });

  it('names the neighbour that shows the same thing', () => {
    const video = matrixOf([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
    const sources = [
      {
        features: matrixOf([
          [0, 0, 1],
          [1, 0, 0],
        ]),
      },
      { features: matrixOf([[0, 1, 0]]) },
    ];
    const given = problemOf(video, mergeMoments(sources.map(({ features }) => momentOf(features))));
    const found = explain(given, cvs({ sparsity: 0.5 }).select(given), { sparsity: 0.5 });
    expect(found(0, sources)).toMatchObject([{ share: 1, shot: 1 }, { share: 0 }]);
    expect(found(1, sources)).toMatchObject([{ share: 0 }, { share: 1, shot: 0 }]);
  });

  it('is nothing for a shot that nobody shares', () => {
    const alone = problemOf(X, null);
    expect(explain(alone, cvs().select(alone))(0, neighbors).map(({ share }) => share)).toEqual([0, 0, 0]);
  });

  it('works with RBF, by shots only', () => {
    const rbf = { similarity: 'rbf' as const, diversity: 0.1 };
    const found = explain(problem, cvs(rbf).select(problem), rbf);
    expect(found(0, neighbors).reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(() => found(0, [momentOf(zeros(1, 24))])).toThrow(/features/);
  });
});

function rows(A: { rows: number; cols: number; data: Float64Array }): Float64Array[] {
  return Array.from({ length: A.rows }, (_, i) => A.data.slice(i * A.cols, (i + 1) * A.cols));
}

import { Matrix as DenseMatrix, SingularValueDecomposition } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, random, rowOf, takeRows, zeros } from '../../base/index.js';
import { type Neighbor, problemOf } from '../../topic/index.js';
import { dot, scenes } from '../algorithm1.case.js';
import { contentOrder, partition } from './clusters.js';
import { cocluster, type Ranking } from '../index.js';
import { checkSelector } from '../selector.case.js';

checkSelector(cocluster);
checkSelector(() => cocluster({ clusters: 3 }));

const ranked = (features: Matrix, neighbors: readonly Neighbor[], clusters?: number): Ranking =>
  cocluster(clusters === undefined ? {} : { clusters }).select(problemOf(features, null, { neighbors }));

const close = (found: Float64Array, expected: readonly number[]): void =>
  expected.forEach((value, i) => expect(found[i]).toBeCloseTo(value, 12));

/** Shots of the themes named, each near its theme's own direction. */
function themed(seed: number, themes: readonly number[]): Matrix {
  const { next } = random(seed);
  return matrixOf(themes.map((theme) => Array.from({ length: 12 }, (_, k) => (k === theme ? 1 : 0.1 * next()))));
}

const times = (count: number, theme: number): number[] => Array<number>(count).fill(theme);

/** Dhillon's algorithm with all of A in hand and a full singular value decomposition. Shots must come sorted by content. */
function literal(features: Matrix, neighbors: readonly Neighbor[], clusters: number): number[] {
  const columns = neighbors.flatMap(({ features: others, weight = 1 }) =>
    Array.from({ length: others.rows }, (_, j) => ({ shot: rowOf(others, j), weight, part: weight / others.rows })),
  );
  const total = neighbors.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const cosine = (x: Float64Array, y: Float64Array): number =>
    Math.max(0, dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y)));
  const all = Array.from({ length: features.rows }, (_, i) => rowOf(features, i));
  const A = all.map((x) => columns.map(({ shot, weight }) => weight * cosine(x, shot)));
  const rowSums = A.map((row) => row.reduce((sum, tie) => sum + tie, 0));
  const columnSums = columns.map((_, j) => A.reduce((sum, row) => sum + row[j]!, 0));
  const scaled = A.map((row, i) => row.map((tie, j) => tie / Math.sqrt(rowSums[i]! * columnSums[j]!)));
  const svd = new SingularValueDecomposition(new DenseMatrix(scaled), { autoTranspose: true });
  const kept = [...Array(Math.ceil(Math.log2(clusters))).keys()].map((k) => k + 1);
  const Z = matrixOf([
    ...rowSums.map((sum, i) => kept.map((k) => svd.leftSingularVectors.get(i, k) / Math.sqrt(sum))),
    ...columnSums.map((sum, j) => kept.map((k) => svd.rightSingularVectors.get(j, k) / Math.sqrt(sum))),
  ]);
  const weights = Float64Array.from([...all.map(() => 1), ...columns.map(({ weight }) => weight)]);
  const { clusterOf } = partition(Z, { clusters, seed: 1, weights });
  return all.map((x, i) =>
    columns.reduce((sum, { shot, part }, j) => {
      const together = clusterOf[all.length + j] === clusterOf[i];
      return together ? sum + (part * cosine(x, shot)) / total : sum;
    }, 0),
  );
}

describe('cocluster', () => {
  const pair = matrixOf([[1, 0], [0.6, 0.8]]); // prettier-ignore

  it('solves a case done by hand', () => {
    // A = [1 0.6; 0.6 1], singular values of A_n 1 and 1/4: each shot is with its double alone, or all are together.
    const apart = ranked(pair, [{ features: pair }], 2);
    close(apart.scores, [0.5, 0.5]);
    expect(apart.places).toEqual([0, 0]);
    expect(apart.support).toEqual([[{ neighbor: 0, share: 1, shot: 0, weight: 1 }], [{ neighbor: 0, share: 1, shot: 1, weight: 1 }]]); // prettier-ignore
    const together = ranked(pair, [{ features: pair }], 1);
    close(together.scores, [0.8, 0.8]);
    expect(together.support).toEqual(apart.support);
  });

  it('splits what is shared by the videos it is shared with, weights counted', () => {
    const axis = (...axes: number[]): Matrix => matrixOf(axes.map((on) => [0, 1, 2, 3].map((k) => (k === on ? 2 : 0))));
    const neighbors = [{ features: axis(0, 0, 1) }, { features: axis(1, 3), weight: 3 }];
    const { order, scores, own, shared, support } = ranked(axis(0, 1, 2), neighbors);
    // Shot 0: 1/4 · 2/3.  Shot 1: 1/4 · 1/3 + 3/4 · 1/2.  Shot 2 is like no other.
    close(scores, [1 / 6, 11 / 24, 0]);
    expect(order).toEqual([1, 0, 2]);
    expect(shared).toEqual(scores);
    expect([...own]).toEqual([0, 0, 0]);
    const nothing = { share: 0, shot: null, weight: null };
    expect(support![0]).toEqual([
      { neighbor: 0, share: 1, shot: 0, weight: 1 },
      { neighbor: 1, ...nothing },
    ]);
    expect(support![1]).toEqual([
      { neighbor: 0, share: expect.closeTo(2 / 11, 12), shot: 2, weight: 1 },
      { neighbor: 1, share: expect.closeTo(9 / 11, 12), shot: 0, weight: 1 },
    ]);
    expect(support![2]).toEqual([
      { neighbor: 0, ...nothing },
      { neighbor: 1, ...nothing },
    ]);
  });

  it('finds planted co-clusters, the most shared first, by either route to the singular vectors', () => {
    for (const scale of [1, 30]) {
      const themes = [2, 0, 1, 0, 1, 2, 0, 1].flatMap((theme) => times(scale, theme));
      const neighbors = [
        { features: themed(2, [...times(6, 0), ...times(2, 1)]) },
        { features: themed(3, [...times(6, 0), ...times(2, 2)]) },
        { features: themed(4, [...times(2, 1), ...times(6, 0)]) },
      ];
      const { order, support, certificate } = ranked(themed(1, themes), neighbors, 3);
      expect(order.map((shot) => themes[shot])).toEqual([...times(3 * scale, 0), ...times(3 * scale, 1), ...times(2 * scale, 2)]); // prettier-ignore
      expect(certificate.converged).toBe(true);
      const behind = (theme: number): number[] =>
        support![themes.indexOf(theme)]!.filter(({ share }) => share > 0).map(({ neighbor }) => neighbor);
      expect([0, 1, 2].map(behind)).toEqual([[0, 1, 2], [0, 2], [1]]);
      expect(support![themes.indexOf(1)]![0]!.shot).toBeGreaterThanOrEqual(6);
      expect(support![themes.indexOf(1)]![2]!.shot).toBeLessThan(2);
      support!.forEach((parts) => expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12));
    }
  });

  it('agrees with the literal algorithm, weights included', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const shots = scenes(seed, 14, 8);
      const features = takeRows(shots, contentOrder(shots));
      const neighbors = [
        { features: scenes(seed + 10, 11, 8) },
        { features: scenes(seed + 20, 9, 8, { unit: false }), weight: 3.5 },
      ];
      const expected = literal(features, neighbors, 4);
      expect(Math.max(...expected)).toBeGreaterThan(0);
      close(ranked(features, neighbors, 4).scores, expected);
    }
  });

  it('makes no more clusters than its singular vectors can tell apart', () => {
    // Shots in a plane: A has rank two, which leaves one vector besides the first, and so two clusters.
    const plane = (...degrees: number[]): Matrix =>
      matrixOf(degrees.map((angle) => [Math.sin((angle * Math.PI) / 180), Math.cos((angle * Math.PI) / 180)]));
    const [features, neighbors] = [plane(2, 11, 35, 50, 88), [{ features: plane(0, 20, 30, 55, 70, 90) }]];
    close(ranked(features, neighbors, 20).scores, literal(features, neighbors, 2));
  });

  it('leaves the other videos’ shots without content out of the graph', () => {
    const [features, others] = [scenes(1, 14, 8), scenes(2, 10, 8)];
    const padded = matrixOf(Array.from({ length: 70 }, (_, j) => (j < 10 ? rowOf(others, j) : new Float64Array(8))));
    const plain = ranked(features, [{ features: others }], 4);
    close(ranked(features, [{ features: padded }], 4).scores, [...plain.scores.map((score) => score / 7)]);
  });

  it('counts a weight as so many copies', () => {
    const features = themed(1, [0, 1, 2, 0, 1]);
    const [one, other] = [{ features: themed(2, [0, 0, 1]) }, { features: themed(3, [1, 2, 2]) }];
    const copies = ranked(features, [one, one, other], 3);
    close(ranked(features, [{ ...one, weight: 2 }, other], 3).scores, [...copies.scores]);
    expect(copies.scores).not.toEqual(ranked(features, [one, other], 3).scores);
  });

  it('without other videos finds nothing shared, and goes by likeness to the video itself', () => {
    const features = matrixOf([[1, 0], [0.6, 0.8], [0, 1]]); // prettier-ignore
    for (const neighbors of [[], [{ features: zeros(0, 2) }], [{ features: pair, weight: 0 }]]) {
      const { order, scores, support, certificate } = ranked(features, neighbors);
      expect([...scores]).toEqual([0, 0, 0]);
      expect(order).toEqual([1, 2, 0]);
      expect(support!.flat().every(({ share, shot }) => share === 0 && shot === null)).toBe(true);
      expect(certificate).toMatchObject({ converged: true });
    }
  });

  it('takes shots that are all the same, shots without content, and a single one', () => {
    const same = ranked(matrixOf(Array(4).fill([0.3, 0.1])), [{ features: matrixOf(Array(3).fill([0.3, 0.1])) }]);
    close(same.scores, [1, 1, 1, 1]);
    expect(same.places).toEqual([0, 0, 0, 0]);
    const blank = ranked(matrixOf([[0, 0], [1, 0], [0, 0]]), [{ features: matrixOf([[1, 0], [0, 0]]) }]); // prettier-ignore
    close(blank.scores, [0, 0.5, 0]);
    expect(blank.order).toEqual([1, 0, 2]);
    expect([...ranked(zeros(2, 2), [{ features: zeros(3, 2) }]).scores]).toEqual([0, 0]);
    close(ranked(matrixOf([[0, 2]]), [{ features: pair }]).scores, [0.4]);
  });

  it('takes opposite shots for unlike ones', () => {
    close(ranked(matrixOf([[1, 0], [-1, 0]]), [{ features: matrixOf([[1, 0]]) }]).scores, [1, 0]); // prettier-ignore
  });
});

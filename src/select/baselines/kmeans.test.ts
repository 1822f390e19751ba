import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, random, rowOf, zeros } from '../../base/index.js';
import { problemOf, withWishes } from '../../topic/index.js';
import { centroidsOf, gapsOf, partition } from './clusters.js';
import { clumps } from '../clumps.case.js';
import { createSelector, kmeans } from '../index.js';
import { checkSelector } from '../selector.case.js';

checkSelector(() => kmeans({ clusters: 2 }));
checkSelector(kmeans, {
  skip: [{ reason: 'with as many clusters as shots all tie, and ties keep the film’s order', tests: ['permutes'] }],
});

const column = (...values: number[]): Matrix => matrixOf(values.map((value) => [value]));
const ranked = (features: Matrix, clusters?: number, seed?: number) =>
  kmeans({ ...(clusters && { clusters }), ...(seed && { seed }) }).select(problemOf(features, null));

/** The lowest sum of squared distances over all ways to put the points into at most k clusters. */
function lowestSum(points: Matrix, k: number): number {
  let lowest = Infinity;
  const clusterOf = new Int32Array(points.rows);
  const place = (i: number, used: number): void => {
    if (i === points.rows) {
      lowest = Math.min(lowest, sumOf(points, clusterOf));
      return;
    }
    for (let cluster = 0; cluster < Math.min(k, used + 1); cluster++) {
      clusterOf[i] = cluster;
      place(i + 1, Math.max(used, cluster + 1));
    }
  };
  place(0, 0);
  return lowest;
}

function sumOf(points: Matrix, clusterOf: Int32Array, weights?: Float64Array): number {
  const gaps = gapsOf(points, clusterOf, centroidsOf(points, clusterOf, weights));
  return gaps.reduce((sum, gap, i) => sum + (weights?.[i] ?? 1) * gap, 0);
}

/** True when no point alone can go to another cluster and lower the sum: tried, not derived. */
function isSettled(points: Matrix, clusterOf: Int32Array, weights?: Float64Array): boolean {
  const sum = sumOf(points, clusterOf, weights);
  const clusters = new Set(clusterOf);
  return clusterOf.every((from, i) =>
    [...clusters].every((to) => {
      if (clusterOf.filter((cluster) => cluster === from).length === 1) return true;
      return sumOf(points, clusterOf.with(i, to), weights) > sum - 1e-9;
    }),
  );
}

function cloud(seed: number, rows: number, cols: number): Matrix {
  const { normal } = random(seed);
  return { rows, cols, data: Float64Array.from({ length: rows * cols }, normal) };
}

describe('kmeans', () => {
  it('takes the shot nearest each centroid, then the next of each, larger clusters first', () => {
    // Centroids 2, 102 and 300.
    const { order, scores, own, shared } = ranked(column(0, 1, 5, 2, 100, 101, 105, 300), 3);
    expect([...scores]).toEqual([0, 0, 0, 4 / 8, 0, 3 / 8, 0, 1 / 8]);
    expect(order).toEqual([3, 5, 7, 1, 4, 0, 6, 2]);
    expect(own).toEqual(scores);
    expect([...shared]).toEqual(Array(8).fill(0));
  });

  it('lets clusters of one size tie, round by round', () => {
    const { order, places } = ranked(column(0, 1, 100, 101, 300), 3);
    expect(order).toEqual([0, 2, 4, 1, 3]);
    expect(places).toEqual([0, 3, 0, 3, 2]);
  });

  it('takes the earlier of two shots that are a cluster, whatever the roundings', () => {
    for (let seed = 1; seed <= 20; seed++) expect([...ranked(cloud(seed, 2, 20), 1).scores]).toEqual([1, 0]);
  });

  it('finds planted clusters from every seed, largest first', () => {
    const sizes = [4, 12, 7, 9, 3];
    const { features, clumpOf } = clumps(1, sizes, 40);
    const first = ranked(features, 5);
    expect(first.order.slice(0, 5).map((shot) => clumpOf[shot])).toEqual([1, 3, 2, 0, 4]);
    expect(first.order.slice(0, 5).map((shot) => first.scores[shot]! * 35)).toEqual([12, 9, 7, 4, 3]);
    for (let seed = 2; seed < 12; seed++) expect(ranked(features, 5, seed).order).toEqual(first.order);
  });

  it('lets the seed choose only where the shots leave it open', () => {
    const open = cloud(3, 60, 6);
    expect(ranked(open, 12, 1).order).toEqual(ranked(open, 12, 1).order);
    const orders = [1, 2, 3, 4, 5].map((seed) => ranked(open, 12, seed).order.join());
    expect(new Set(orders).size).toBeGreaterThan(1);
    orders.forEach((order, k) => {
      const byName = createSelector({ method: 'kmeans', seed: k + 1 });
      expect(byName.select(problemOf(open, null)).order).toEqual(ranked(open, 20, k + 1).order);
      expect(order).toBe(ranked(open, 12, k + 1).order.join());
    });
  });

  it('does not care where the origin is', () => {
    const { features } = clumps(4, [5, 3, 8], 6);
    const moved = { ...features, data: features.data.map((value) => value + 1e10) };
    expect(ranked(moved, 3).order).toEqual(ranked(features, 3).order);
  });

  it('takes shots that are all the same for one cluster', () => {
    for (const features of [zeros(5, 3), matrixOf(Array(5).fill([0.1, 0.7, 0.3]))]) {
      const { order, scores, places } = ranked(features);
      expect([...scores]).toEqual([1, 0, 0, 0, 0]);
      expect(order).toEqual([0, 1, 2, 3, 4]);
      expect(places).toEqual([0, 1, 2, 3, 4]);
    }
  });

  it('makes no more clusters than there are different shots', () => {
    const { scores } = ranked(column(7, 1, 7, 7, 1, 4));
    expect([...scores]).toEqual([3 / 6, 2 / 6, 0, 0, 0, 1 / 6]);
    const alone = ranked(column(3));
    expect([...alone.scores]).toEqual([1]);
    expect(alone.order).toEqual([0]);
  });

  it('refuses a number of clusters that is none', () => {
    for (const clusters of [0, -1, 2.5, NaN]) {
      expect(() => kmeans({ clusters })).toThrow(expect.objectContaining({ code: 'bad-knob' }));
    }
  });
});

describe('partition', () => {
  it('reaches the lowest sum there is on sets small enough to try them all', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const points = cloud(seed, 9, 2);
      const { clusterOf, trace } = partition(points, { clusters: 3, seed });
      expect(sumOf(points, clusterOf)).toBeCloseTo(lowestSum(points, 3), 10);
      expect(trace.at(-1)!.objective).toBeCloseTo(sumOf(points, clusterOf), 10);
    }
  });

  it('ends where no point alone can lower the sum, and no cluster is empty', () => {
    const sets = fc.record({
      seed: fc.nat(1000),
      rows: fc.integer({ min: 1, max: 20 }),
      cols: fc.integer({ min: 1, max: 45 }),
      clusters: fc.integer({ min: 1, max: 12 }),
      copies: fc.integer({ min: 1, max: 3 }),
      grid: fc.boolean(),
    });
    fc.assert(
      fc.property(sets, ({ seed, rows, cols, clusters, copies, grid }) => {
        const some = cloud(seed, rows, cols);
        if (grid) some.data.forEach((value, at) => (some.data[at] = Math.round(value)));
        const points = matrixOf(Array.from({ length: rows * copies }, (_, i) => rowOf(some, i % rows)));
        const { clusterOf, trace, certificate } = partition(points, { clusters, seed });
        const different = new Set(Array.from({ length: rows }, (_, i) => rowOf(some, i).join())).size;
        expect(new Set(clusterOf).size).toBe(Math.min(clusters, different));
        expect(isSettled(points, clusterOf)).toBe(true);
        trace.slice(1).forEach((step, k) => expect(step.objective).toBeLessThanOrEqual(trace[k]!.objective));
        expect(certificate).toMatchObject({ iterations: 10, converged: true, residual: 0 });
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  it('goes on to the end from the best start only, which is enough', () => {
    const points = cloud(6, 400, 3);
    const { clusterOf, certificate } = partition(points, { clusters: 5, seed: 1 });
    expect(certificate.converged).toBe(true);
    expect(isSettled(points, clusterOf)).toBe(true);
  });

  it('gives the same clusters in few coordinates as in many', () => {
    const points = cloud(8, 30, 5);
    const padded = matrixOf(Array.from({ length: 30 }, (_, i) => [...rowOf(points, i), ...Array<number>(70).fill(0)]));
    expect(partition(padded, { clusters: 6, seed: 2 }).clusterOf).toEqual(
      partition(points, { clusters: 6, seed: 2 }).clusterOf,
    );
  });

  it('counts a weight as so many copies', () => {
    // {0, 6} costs 18; {6, 11} costs 12.5, and 22.5 where the last counts nine times.
    const points = column(0, 6, 11);
    const parts = (weights: number[]): number[] => {
      const { clusterOf } = partition(points, { clusters: 2, seed: 1, weights: Float64Array.from(weights) });
      return [...clusterOf].map((cluster) => clusterOf.indexOf(cluster));
    };
    expect(parts([1, 1, 1])).toEqual([0, 1, 1]);
    expect(parts([1, 1, 9])).toEqual([0, 0, 2]);
    for (let seed = 1; seed <= 20; seed++) {
      const some = cloud(seed, 20, 2);
      const weights = Float64Array.from({ length: 20 }, (_, i) => 0.5 + (i % 4));
      const { clusterOf, trace } = partition(some, { clusters: 4, seed, weights });
      expect(isSettled(some, clusterOf, weights)).toBe(true);
      expect(trace.at(-1)!.objective).toBeCloseTo(sumOf(some, clusterOf, weights), 10);
    }
  });
});

describe('clusters with wishes', () => {
  it('are stood for by a pinned shot, never by a vetoed one', () => {
    const shots = matrixOf([[0], [1], [2], [100], [101], [102], [103]]); // prettier-ignore
    const scores = (pinned: number[], vetoed: number[]): number[] =>
      [...kmeans({ clusters: 2 }).select(withWishes(problemOf(shots, null), pinned, vetoed)).scores].map((score) => Math.round(7 * score)); // prettier-ignore
    expect(scores([], [])).toEqual([0, 3, 0, 0, 4, 0, 0]);
    expect(scores([2], [])).toEqual([0, 0, 3, 0, 4, 0, 0]);
    expect(scores([], [1, 4])).toEqual([3, 0, 0, 0, 0, 4, 0]);
    expect(scores([], [0, 1, 2])).toEqual([0, 0, 0, 0, 4, 0, 0]);
  });
});

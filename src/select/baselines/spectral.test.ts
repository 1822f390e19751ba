import { EigenvalueDecomposition, Matrix as DenseMatrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, rowOf, takeRows, zeros } from '../../base/index.js';
import { problemOf } from '../../topic/index.js';
import { scenes } from '../algorithm1.case.js';
import { clumps } from '../clumps.case.js';
import { contentOrder, rankByRounds, partition } from './clusters.js';
import { kmeans, type Ranking, type Selector, spectral } from '../index.js';
import { checkSelector } from '../selector.case.js';

checkSelector(() => spectral({ clusters: 3 }));
checkSelector(spectral, {
  skip: [{ reason: 'with as many clusters as shots all tie, and ties keep the film’s order', tests: ['permutes'] }],
});

const column = (...values: number[]): Matrix => matrixOf(values.map((value) => [value]));
const ranked = (features: Matrix, selector: Selector): Ranking => selector.select(problemOf(features, null));

/** Points on circles about the origin, one circle after the other. */
function rings(...circles: { count: number; radius: number }[]): Matrix {
  return matrixOf(
    circles.flatMap(({ count, radius }) =>
      Array.from({ length: count }, (_, i) => {
        const angle = (2 * Math.PI * i) / count;
        return [radius * Math.cos(angle), radius * Math.sin(angle)];
      }),
    ),
  );
}

/** The algorithm of Ng, Jordan and Weiss from its definition, with a full decomposition. Shots must come sorted by content. */
function literal(features: Matrix, clusters: number): Ranking {
  const n = features.rows;
  const gap = (i: number, j: number): number => {
    const other = rowOf(features, j);
    return rowOf(features, i).reduce((sum, value, k) => sum + (value - other[k]!) ** 2, 0);
  };
  const all = [...Array(n).keys()];
  const scales = all.map((i) => Math.sqrt(all.map((j) => gap(i, j)).sort((a, b) => a - b)[7]!));
  const W = all.map((i) => all.map((j) => (i === j ? 0 : Math.exp(-gap(i, j) / (scales[i]! * scales[j]!)))));
  const sums = W.map((row) => row.reduce((sum, tie) => sum + tie, 0));
  const L = W.map((row, i) => row.map((tie, j) => tie / Math.sqrt(sums[i]! * sums[j]!)));
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(new DenseMatrix(L), {
    assumeSymmetric: true,
  });
  const leading = all.toSorted((i, j) => realEigenvalues[j]! - realEigenvalues[i]!).slice(0, clusters);
  const rows = all.map((i) => leading.map((column) => eigenvectorMatrix.get(i, column)));
  const points = matrixOf(rows.map((row) => row.map((entry) => entry / Math.hypot(...row))));
  return rankByRounds(problemOf(features, null), partition(points, { clusters, seed: 1 }));
}

describe('spectral', () => {
  it('takes the shot nearest each centroid, then the next of each, larger clusters first', () => {
    // Two clusters with centroids 0.5 and 101; of shots equally near, the earlier comes first.
    const { order, scores, own, shared } = ranked(column(0, 1, 100, 101, 102), spectral({ clusters: 2 }));
    expect([...scores]).toEqual([2 / 5, 0, 0, 3 / 5, 0]);
    expect(order).toEqual([3, 0, 2, 1, 4]);
    expect(own).toEqual(scores);
    expect([...shared]).toEqual(Array(5).fill(0));
  });

  it('agrees with the literal algorithm', () => {
    for (const [seed, shots] of [
      [1, 30],
      [2, 40],
      [3, 230],
    ] as const) {
      // prettier-ignore
      const mixed = scenes(seed, shots, 10, { sceneCount: 9, unit: seed !== 2 });
      const features = takeRows(mixed, contentOrder(mixed));
      const found = ranked(features, spectral({ clusters: 6 }));
      const expected = literal(features, 6);
      expect(found.order).toEqual(expected.order);
      expect(found.scores).toEqual(expected.scores);
    }
  });

  it('tells a ring from the ring inside it, as k-means cannot', () => {
    const features = rings({ count: 16, radius: 1 }, { count: 60, radius: 4 });
    const inner = (shots: readonly number[]): number => shots.filter((shot) => shot < 16).length;
    const found = ranked(features, spectral({ clusters: 2 }));
    expect(found.order.slice(0, 2).map((shot) => found.scores[shot])).toEqual([60 / 76, 16 / 76]);
    // Sixteen rounds of one shot from each ring, then what is left of the outer one.
    expect(found.order.slice(0, 32).filter((_, place) => place % 2 === 1).every((shot) => shot < 16)).toBe(true); // prettier-ignore
    expect(inner(found.order.slice(0, 32))).toBe(16);
    const byMeans = ranked(features, kmeans({ clusters: 2 }));
    expect(byMeans.scores.filter((score) => score > 0)).not.toContain(16 / 76);
  });

  it('finds planted clusters from every seed, largest first, by either route to the eigenvectors', () => {
    for (const scale of [1, 9]) {
      const sizes = [4, 12, 7, 9].map((size) => size * scale);
      const { features, clumpOf } = clumps(1, sizes, 40);
      for (const seed of [1, 2, 3]) {
        const { order, scores } = ranked(features, spectral({ clusters: 4, seed }));
        expect(order.slice(0, 4).map((shot) => clumpOf[shot])).toEqual([1, 3, 2, 0]);
        order.slice(0, 4).forEach((shot) => expect(scores[shot]).toBe(sizes[clumpOf[shot]!]! / (32 * scale)));
      }
    }
  });

  it('gives a shot like no other a cluster of its own', () => {
    const { order, scores } = ranked(column(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1e9), spectral({ clusters: 2 }));
    expect(scores[8]).toBe(1 / 9);
    expect(order[1]).toBe(8);
    const far = ranked(column(...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => i / 100), 100, 1e5), spectral({ clusters: 3 }));
    expect([...far.scores.subarray(9)]).toEqual([1 / 11, 1 / 11]);
  });

  it('is invariant to the origin and the unit', () => {
    const { features } = clumps(4, [5, 3, 8], 6);
    const moved = { ...features, data: features.data.map((value) => 1e8 + value / 50) };
    expect(ranked(moved, spectral({ clusters: 3 })).order).toEqual(ranked(features, spectral({ clusters: 3 })).order);
  });

  it('takes shots that are all the same for one cluster', () => {
    for (const features of [zeros(12, 3), matrixOf(Array(12).fill([0.1, 0.7, 0.3]))]) {
      const { order, scores } = ranked(features, spectral());
      expect([...scores]).toEqual([1, ...Array<number>(11).fill(0)]);
      expect(order).toEqual([...Array(12).keys()]);
    }
  });

  it('makes no more clusters than there are different shots, however often each comes', () => {
    const { scores } = ranked(column(...Array<number>(9).fill(7), 1, 1, 4), spectral());
    expect([...scores]).toEqual([9 / 12, ...Array<number>(8).fill(0), 2 / 12, 0, 1 / 12]);
    expect([...ranked(column(3), spectral()).scores]).toEqual([1]);
  });

  it('refuses a number of clusters that is none', () => {
    expect(() => spectral({ clusters: 0 })).toThrow(expect.objectContaining({ code: 'bad-knob' }));
  });
});

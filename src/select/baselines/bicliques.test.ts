import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, random, transpose, zeros } from '../../base/index.js';
import { answer, type Biclique, type BicliqueKnobs, objectiveOf, settle, takeBicliques } from './cosum.js';

/** Every row a start, every biclique taken. */
const ALL = { maxBicliques: Infinity, starts: Infinity };
const take = (C: Matrix, knobs: Partial<BicliqueKnobs>): Biclique[] => [
  ...takeBicliques({ ...C, data: C.data.slice() }, { sparsity: 0, ...ALL, ...knobs }),
];
const members = (bits: number, size: number): number[] => [...Array(size).keys()].filter((i) => (bits >> i) & 1);

/** Edges with the chance given, weights between 0.3 and 1. */
function graph(seed: number, rows: number, cols: number, density: number): Matrix {
  const { next } = random(seed);
  const C = zeros(rows, cols);
  C.data.forEach((_, at) => (C.data[at] = next() < density ? 0.3 + 0.7 * next() : 0));
  return C;
}

/** Random graphs of 3 to 7 shots a side, sparse to nearly complete, λ from zero to twice the weakest edge. */
const graphs = Array.from({ length: 120 }, (_, seed) => {
  const { below } = random(1000 + seed);
  const C = graph(seed, 3 + below(5), 3 + below(5), [0.3, 0.5, 0.7, 0.9][seed % 4]!);
  return { C, lambda: [0, 0.3, 0.6][seed % 3]! };
});

const isBiclique = (C: Matrix, rows: readonly number[], columns: readonly number[]): boolean =>
  rows.every((i) => columns.every((j) => C.data[i * C.cols + j]! > 0));

/** The largest f over all sets of rows and all sets of columns. */
function bruteForce(C: Matrix, lambda: number): number {
  let best = 0;
  const columnSets = Array.from({ length: 1 << C.cols }, (_, bits) => members(bits, C.cols));
  for (let bits = 1; bits < 1 << C.rows; bits++) {
    const rows = members(bits, C.rows);
    for (const columns of columnSets) {
      if (isBiclique(C, rows, columns)) best = Math.max(best, objectiveOf(C, rows, columns, lambda));
    }
  }
  return best;
}

describe('bicliques', () => {
  // Rows 0 and 1 match columns 0 and 1; row 2 leans on column 1 and has column 2 for itself.
  const C = matrixOf([
    [0.9, 0.8, 0],
    [0.7, 0.6, 0],
    [0, 0.5, 0.35],
  ]);

  it('are those found by hand', () => {
    // {0,1}×{0,1}: 3.0 − 4·0.3 = 1.8; {0,1,2}×{1}: 1.9 − 1.2 = 0.7; then {2}×{1,2}: 0.85 − 0.9 < 0, so it ends.
    const [first, ...others] = take(C, { sparsity: 0.3 });
    expect(first).toMatchObject({ rows: [0, 1], columns: [0, 1] });
    expect(first!.objective).toBeCloseTo(1.8, 12);
    expect(others).toEqual([]);
    // At λ = 0.2 the rest is worth 0.85 − 0.6 = 0.25.
    const [large, small] = take(C, { sparsity: 0.2 });
    expect(large!.objective).toBeCloseTo(2.2, 12);
    expect(small).toMatchObject({ rows: [2], columns: [1, 2] });
    expect(small!.objective).toBeCloseTo(0.25, 12);
  });

  it('answer by the closed form', () => {
    expect(answer(C, [1], 0)).toEqual([0, 1, 2]);
    expect(answer(C, [1], 0.55)).toEqual([0, 1]);
    expect(answer(C, [0, 1], 0)).toEqual([0, 1]);
    expect(answer(transpose(C), [2], 0.4)).toEqual([1]);
    expect(answer(C, [], 0)).toEqual([]);
  });

  it('never lose by an update, whatever stood there before, fractions included', () => {
    for (const [seed, { C, lambda }] of graphs.entries()) {
      const { next, below } = random(seed);
      const columns = members(1 + below((1 << C.cols) - 1), C.cols);
      const rows = answer(C, columns, lambda);
      expect(isBiclique(C, rows, columns)).toBe(true);
      const best = objectiveOf(C, rows, columns, lambda);
      for (let trial = 0; trial < 20; trial++) {
        // Any u with 0 ≤ u ≤ 1 that is zero where an edge to v is missing.
        let value = -lambda * columns.length;
        for (let i = 0; i < C.rows; i++) {
          const u = isBiclique(C, [i], columns) ? (trial % 2 ? next() : below(2)) : 0;
          for (const j of columns) value += u * C.data[i * C.cols + j]!;
          value -= lambda * u;
        }
        expect(best).toBeGreaterThanOrEqual(value - 1e-12);
      }
    }
  });

  it('climb from update to update until neither side can gain by any set of shots', () => {
    for (const [seed, { C, lambda }] of graphs.entries()) {
      const Ct = transpose(C);
      const start = members(1 + random(seed).below((1 << C.rows) - 1), C.rows);
      let last = -Infinity;
      for (let rows = start, k = 0; k < 10; k++) {
        const columns = answer(Ct, rows, lambda);
        const next = answer(C, columns, lambda);
        for (const value of [objectiveOf(C, rows, columns, lambda), objectiveOf(C, next, columns, lambda)]) {
          expect(value).toBeGreaterThanOrEqual(last - 1e-12);
          last = value;
        }
        rows = next;
      }
      const { rows, columns, objective } = settle(C, Ct, start, lambda);
      expect(objective).toBeCloseTo(last, 12);
      expect(isBiclique(C, rows, columns)).toBe(true);
      for (let set = 0; set < 1 << C.rows; set++) {
        const others = members(set, C.rows);
        if (!isBiclique(C, others, columns)) continue;
        expect(objectiveOf(C, others, columns, lambda)).toBeLessThanOrEqual(objective + 1e-12);
      }
      for (let set = 0; set < 1 << C.cols; set++) {
        const others = members(set, C.cols);
        if (!isBiclique(C, rows, others)) continue;
        expect(objectiveOf(C, rows, others, lambda)).toBeLessThanOrEqual(objective + 1e-12);
      }
    }
  });

  it('reach the maximum of small graphs from every row nearly always, from two rows mostly', () => {
    const maxima = graphs.map(({ C, lambda }) => bruteForce(C, lambda));
    const reachedFrom = (starts: number): number =>
      graphs.filter(({ C, lambda }, at) => {
        const found = take(C, { sparsity: lambda, starts, maxBicliques: 1 })[0]?.objective ?? 0;
        expect(found).toBeLessThanOrEqual(maxima[at]! + 1e-12);
        return found >= maxima[at]! - 1e-12;
      }).length;
    expect(reachedFrom(Infinity)).toBeGreaterThanOrEqual(0.98 * graphs.length);
    expect(reachedFrom(2)).toBeGreaterThanOrEqual(0.9 * graphs.length);
  });

  it('give up columns for rows where every row lacks another one', () => {
    // Complete but for a perfect matching: 3 × 3 of the 6 × 6 is the most, a row with its own edges only 1 × 5.
    const crown = zeros(6, 6);
    crown.data.forEach((_, at) => (crown.data[at] = at % 7 === 0 ? 0 : 1));
    expect(take(crown, {})[0]!.objective).toBe(9);
  });

  it('share no edge and, at λ = 0, leave none', () => {
    for (const { C } of graphs) {
      const left = C.data.slice();
      for (const { rows, columns } of take(C, {})) {
        for (const i of rows) {
          for (const j of columns) {
            expect(left[i * C.cols + j]).toBeGreaterThan(0);
            left[i * C.cols + j] = 0;
          }
        }
      }
      expect(left.every((weight) => weight === 0)).toBe(true);
    }
  });

  it('are few where that is asked for, and none in a graph without edges', () => {
    const dense = graph(7, 20, 20, 0.6);
    expect(take(dense, { maxBicliques: 3 })).toHaveLength(3);
    expect(take(zeros(4, 3), {})).toEqual([]);
    expect(take(zeros(0, 3), {})).toEqual([]);
    expect(take(zeros(3, 0), {})).toEqual([]);
  });

  it('are found by another row where the strongest lead to none', () => {
    // Row 0 has the most weight in edges that do not pay: 3·(0.35 − 0.3) − 0.3 < 0. Row 1 has one that does.
    const C = matrixOf([
      [0.35, 0.35, 0.35, 0],
      [0, 0, 0, 0.7],
    ]);
    expect(take(C, { sparsity: 0.3, starts: 1 })).toMatchObject([{ rows: [1], columns: [3] }]);
  });
});

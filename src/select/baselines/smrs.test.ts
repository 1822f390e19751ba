import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, random, rowOf, zeros } from '../../base/index.js';
import { problemOf } from '../../topic/index.js';
import { dot, scenes } from '../algorithm1.case.js';
import { type Ranking, smrs, type SmrsKnobs } from '../index.js';
import { checkSelector } from '../selector.case.js';

checkSelector(() => smrs());
checkSelector(() => smrs({ affine: false }));
checkSelector(() => smrs({ prune: false }));

/** The rows of Z themselves: every shot scored by its row norm. */
const select = (X: Matrix, knobs: Partial<SmrsKnobs> = {}): Ranking =>
  smrs({ prune: false, ...knobs }).select(problemOf(X, null));
const activeOf = (scores: Float64Array): number[] => [...scores.keys()].filter((i) => scores[i]! > 0);
const square = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, value) => sum + value * value, 0);

/** λ0 = max_i ‖x_iᵀX‖ from its definition; with the constraint x is measured from the mean. */
function lambdaZero(X: Matrix, affine: boolean): number {
  const rows = Array.from({ length: X.rows }, (_, i) => rowOf(X, i));
  const mean = Float64Array.from({ length: X.cols }, (_, k) =>
    affine ? rows.reduce((sum, row) => sum + row[k]!, 0) / X.rows : 0,
  );
  const moved = rows.map((row) => row.map((value, k) => value - mean[k]!));
  return Math.max(...moved.map((x) => Math.sqrt(square(moved.map((y) => dot(x, y))))));
}

/** Gauss-Jordan elimination with row exchange. */
function eliminate(A: number[][], B: number[][]): number[][] {
  const rows = A.map((row, i) => [...row, ...B[i]!]);
  rows.forEach((_, k) => {
    const best = rows.reduce((most, row, i) => (i >= k && Math.abs(row[k]!) > Math.abs(rows[most]![k]!) ? i : most), k);
    [rows[k], rows[best]] = [rows[best]!, rows[k]!];
    const pivot = rows[k]!;
    rows.forEach((row, i) => {
      const factor = i === k ? 0 : row[k]! / pivot[k]!;
      if (factor !== 0) for (let j = k; j < row.length; j++) row[j]! -= factor * pivot[j]!;
    });
  });
  return rows.map((row, k) => row.slice(A.length).map((value) => value / row[k]!));
}

/**
 * Proves that the scores are the row norms of an optimal Z. With the norms known, stationarity of the rows in use and
 * feasibility are one linear system in Z and μ; what is left of the conditions is then looked at in the features.
 */
function proveOptimal(X: Matrix, scores: Float64Array, lambda: number, affine: boolean): { objective: number } {
  const x = Array.from({ length: X.rows }, (_, i) => rowOf(X, i));
  const S = activeOf(scores);
  const bordered = affine ? 1 : 0;
  const A = S.map((i) => [
    ...S.map((j) => dot(x[i]!, x[j]!) + (i === j ? lambda / scores[i]! : 0)),
    ...Array<number>(bordered).fill(1),
  ]);
  const B = S.map((i) => x.map((y) => dot(x[i]!, y)));
  if (affine) {
    A.push([...S.map(() => 1), 0]);
    B.push(x.map(() => 1));
  }
  const solved = eliminate(A, B);
  const Z = solved.slice(0, S.length);
  const mu = affine ? solved[S.length]! : x.map(() => 0);

  // R = X − XZ, one row per shot.
  const R = x.map((y, j) => y.map((value, k) => value - S.reduce((sum, i, row) => sum + x[i]![k]! * Z[row]![j]!, 0)));
  let objective = R.reduce((sum, r) => sum + square(r) / 2, 0);
  x.forEach((y, i) => {
    const h = R.map((r, j) => dot(y, r) - mu[j]!);
    const row = S.indexOf(i);
    if (row < 0) return expect(Math.sqrt(square(h))).toBeLessThanOrEqual(lambda * (1 + 1e-9));
    const norm = Math.sqrt(square(Z[row]!));
    objective += lambda * norm;
    expect(Math.abs(norm - scores[i]!)).toBeLessThanOrEqual(1e-8 * norm);
    const apart = square(h.map((value, j) => value - (lambda * Z[row]![j]!) / norm));
    expect(Math.sqrt(apart)).toBeLessThanOrEqual(1e-8 * lambda);
  });
  if (affine) x.forEach((_, j) => expect(Z.reduce((sum, row) => sum + row[j]!, 0)).toBeCloseTo(1, 9));
  return { objective };
}

const videos = fc
  .record({
    seed: fc.nat(1000),
    shots: fc.integer({ min: 2, max: 40 }),
    dim: fc.integer({ min: 2, max: 30 }),
    unit: fc.boolean(),
  })
  .map(({ seed, shots, dim, unit }) => scenes(seed, shots, dim, { unit }));

describe('smrs', () => {
  it('agrees with three shots solved by hand', () => {
    // Shots at −1, 0, 1 and λ = √3.5: rows (3/4, 1/2, 1/4), 0 and (1/4, 1/2, 3/4) with μ = −(1, 1, 1).
    // There h_0 = 2·z_0 = λz_0/‖z_0‖ as ‖z_0‖² = 7/8, and ‖h_1‖ = ‖(1, 1, 1)‖ = √3 < λ. λ0 = ‖(1, 0, −1)‖ = √2.
    const X = matrixOf([[-1], [0], [1]]);
    const { scores, order, trace } = select(X, { sparsity: Math.sqrt(3.5 / 2), tolerance: 1e-11 });
    expect(scores[0]).toBeCloseTo(Math.sqrt(7 / 8), 9);
    expect(scores[1]).toBe(0);
    expect(scores[2]).toBeCloseTo(Math.sqrt(7 / 8), 9);
    expect(order).toEqual([0, 2, 1]);
    // Shots −1 and 1 are each rebuilt half a unit away from where they are.
    expect(trace.at(-1)!.objective).toBeCloseTo(0.25 + 2 * Math.sqrt(3.5 * (7 / 8)), 9);
  });

  it('meets the optimality conditions, looked at from scratch', () => {
    fc.assert(
      fc.property(videos, fc.constantFrom(0.01, 0.1, 0.2, 0.7, 2), fc.boolean(), (X, sparsity, affine) => {
        const { scores, certificate, trace } = select(X, { sparsity, affine, tolerance: 1e-10 });
        expect(certificate.converged).toBe(true);
        expect(certificate.residual).toBeLessThanOrEqual(1e-10);
        const { objective } = proveOptimal(X, scores, sparsity * lambdaZero(X, affine), affine);
        expect(trace.at(-1)!.objective).toBeCloseTo(objective, 8);
      }),
      { numRuns: 80 },
    );
  });

  it('never lets the objective rise from round to round', () => {
    fc.assert(
      fc.property(videos, fc.constantFrom(0.02, 0.2, 1), fc.boolean(), (X, sparsity, affine) => {
        const { trace } = select(X, { sparsity, affine });
        for (let k = 1; k < trace.length; k++) {
          expect(trace[k]!.objective).toBeLessThanOrEqual(trace[k - 1]!.objective * (1 + 1e-12));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('finds the corners of which all other shots are mixtures', () => {
    const corners = [7, 18, 22, 41, 55];
    for (const seed of [1, 2, 3]) {
      const { normal, next } = random(seed);
      const V = corners.map(() => Float64Array.from({ length: 12 }, normal));
      const X = matrixOf(
        Array.from({ length: 60 }, (_, i) => {
          const weights = V.map((_v, j) => (corners.includes(i) ? Number(corners[j] === i) : next()));
          const sum = weights.reduce((total, weight) => total + weight, 0);
          return V[0]!.map((_, k) => V.reduce((value, v, j) => value + (weights[j]! / sum) * v[k]!, 0));
        }),
      );
      for (const sparsity of [0.02, 0.2, 0.5]) expect(activeOf(select(X, { sparsity }).scores)).toEqual(corners);
    }
  });

  it('does not depend on where the features’ origin lies, unless told so', () => {
    const X = scenes(4, 30, 12);
    const moved = { ...X, data: X.data.map((value, at) => value + 3 * ((at % X.cols) - 4)) };
    const [here, there] = [select(X), select(moved)];
    here.scores.forEach((score, i) => expect(there.scores[i]).toBeCloseTo(score, 7));
    expect(there.order).toEqual(here.order);
    expect(select(moved, { affine: false }).order).not.toEqual(select(X, { affine: false }).order);
  });

  it('does not depend on the unit of the features', () => {
    const X = scenes(5, 20, 12);
    const scaled = select({ ...X, data: X.data.map((value) => value * 1e6) });
    select(X).scores.forEach((score, i) => expect(scaled.scores[i]).toBeCloseTo(score, 7));
  });

  it('chooses nothing from λ0 on without the constraint, and ranks by the λ at which shots would enter', () => {
    const X = scenes(6, 12, 9, { unit: false });
    expect(activeOf(select(X, { affine: false, sparsity: 0.999 }).scores).length).toBe(1);
    const none = select(X, { affine: false, sparsity: 1 });
    expect(activeOf(none.scores)).toEqual([]);
    const entering = Array.from({ length: 12 }, (_, i) =>
      square(Array.from({ length: 12 }, (_j, j) => dot(rowOf(X, i), rowOf(X, j)))),
    );
    expect(none.order).toEqual([...entering.keys()].sort((i, j) => entering[j]! - entering[i]!));
  });

  it('shares a row evenly among identical shots', () => {
    const X = scenes(7, 10, 8);
    const repeated = { ...X, rows: 30, data: Float64Array.from([...X.data, ...X.data, ...X.data]) };
    const [once, thrice] = [select(X), select(repeated)];
    // Three times the columns: rows are √3 longer and shared by three, λ0 grows by √3 as well.
    once.scores.forEach((score, i) => {
      for (const copy of [i, i + 10, i + 20]) expect(thrice.scores[copy]).toBeCloseTo(score / Math.sqrt(3), 7);
    });
  });

  it('lets mirrored shots tie', () => {
    const mirrored = matrixOf([[0, 0], [2, 1], [4, 0], [0, 4], [1, 2]]); // prettier-ignore
    for (const sparsity of [0.05, 0.2, 1]) {
      const { places, order } = select(mirrored, { sparsity });
      expect(order).toEqual([2, 3, 0, 1, 4]);
      expect(places).toEqual([2, 3, 0, 0, 3]);
    }
  });

  it('settles shots that are nearly the same', () => {
    const X = scenes(8, 24, 40);
    const { normal } = random(1);
    const near = { ...X, rows: 48, data: Float64Array.from([...X.data, ...X.data.map((v) => v + 1e-5 * normal())]) };
    for (const affine of [true, false]) {
      expect(select(near, { affine }).certificate).toMatchObject({ converged: true });
    }
  });

  it('gives equal parts to shots that do not differ', () => {
    const same = matrixOf(Array.from({ length: 4 }, () => [0.3, 0.1, 0.7]));
    expect([...select(same).scores]).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect([...select(zeros(4, 3), { affine: false }).scores]).toEqual([0, 0, 0, 0]);
  });

  it('says when it was not given the iterations it needs', () => {
    const { certificate } = select(scenes(3, 40, 30), { maxIterations: 2 });
    expect(certificate).toMatchObject({ iterations: 2, converged: false });
    expect(certificate.residual).toBeGreaterThan(1e-8);
  });

  it.each([{ sparsity: 0 }, { tolerance: NaN }, { maxIterations: Infinity }])('refuses %o', (knobs) => {
    expect(() => smrs(knobs)).toThrow(expect.objectContaining({ code: 'bad-knob' }));
  });
});

/**
 * `findRep` and `rmRep` of the authors' code (version 1.0), step by step: indices into the shots, best first. They end with
 * the representatives that are kept; `found` are those before the removal.
 */
function authorsChoice(X: Matrix, norms: Float64Array): { found: number[]; kept: number[] } {
  const order = [...norms.keys()].sort((i, j) => norms[j]! - norms[i]!);
  const all = norms.reduce((sum, norm) => sum + norm, 0);
  let [sum, j] = [0, 0];
  do sum += norms[order[j++]!]!;
  while (!(sum / all > 0.99));
  const found = order.slice(0, j);
  let kept = [...found.keys()];
  for (let i = 0; i < found.length; i++) {
    if (!kept.includes(i)) continue;
    const d = found.map((shot) => Math.sqrt(square(rowOf(X, shot).map((value, k) => value - rowOf(X, found[i]!)[k]!))));
    const sorted = [...d.keys()].sort((p, q) => d[q]! - d[p]!);
    const whole = d.reduce((total, distance) => total + distance, 0);
    let [cum, t] = [0, 0];
    while (cum <= 0.95 * whole) cum += d[sorted[t++]!]!;
    const out = sorted.slice(t - 1).filter((place) => place > i);
    kept = kept.filter((place) => !out.includes(place));
  }
  return { found, kept: kept.map((place) => found[place]!) };
}

describe('representatives', () => {
  const large = fc
    .record({ seed: fc.nat(1000), shots: fc.integer({ min: 3, max: 60 }), dim: fc.integer({ min: 3, max: 30 }) })
    .map(({ seed, shots, dim }) => scenes(seed, shots, dim, { unit: false }));

  it('are those of the authors’ code, then those it removes, then the rest', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(large, fc.constantFrom(0.02, 0.2, 0.5), (X, sparsity) => {
        const rows = select(X, { sparsity });
        const { found, kept } = authorsChoice(X, rows.scores);
        const { order, scores, own } = select(X, { sparsity, prune: true });
        const left = rows.order.filter((shot) => !found.includes(shot));
        expect(order).toEqual([...kept, ...found.filter((shot) => !kept.includes(shot)), ...left]);
        expect(activeOf(scores)).toEqual(kept.toSorted((i, j) => i - j));
        for (const shot of kept) expect(scores[shot]).toBe(rows.scores[shot]);
        expect(own).toEqual(scores);
      }),
      { numRuns: 100 },
    );
  });

  it('are removed by hand: the shot next to a better one goes behind all that are far', () => {
    // Two pairs of neighbours around a square, seen from the middle; the outer of each pair has the longer row.
    const X = matrixOf([[5, 5], [-5, 5], [-5, -5], [5, -5], [4.8, 5], [-5, -4.8]]); // prettier-ignore
    const rows = select(X, { sparsity: 0.02 });
    const { order, scores } = select(X, { sparsity: 0.02, prune: true });
    expect(activeOf(rows.scores).length).toBeGreaterThan(3);
    expect(scores[4]! + scores[5]!).toBe(0);
    expect(order.slice(0, 2)).toEqual(rows.order.slice(0, 2));
  });

  it('of identical shots are one; a vetoed shot represents nothing, a pinned one comes before all', () => {
    const X = scenes(9, 12, 8, { unit: false });
    const twice = { ...X, rows: 24, data: Float64Array.from([...X.data, ...X.data]) };
    const { scores } = smrs().select(problemOf(twice, null));
    for (let i = 0; i < 12; i++) expect(Math.min(scores[i]!, scores[i + 12]!)).toBe(0);
    const first = smrs().select(problemOf(twice, null)).order[0]!;
    // Without the first shot, its twin takes its place; with the twin pinned, the first shot is removed.
    const vetoed = smrs().select({ ...problemOf(twice, null), vetoed: [first] });
    expect([vetoed.order[0], vetoed.order.at(-1)]).toEqual([first + 12, first]);
    const pinned = smrs().select({ ...problemOf(twice, null), pinned: [first + 12] });
    expect([pinned.order[0], pinned.scores[first]]).toEqual([first + 12, 0]);
  });
});

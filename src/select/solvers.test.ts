import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, random, zeros } from '../base/index.js';
import { momentOf, problemOf, type Problem } from '../topic/index.js';
import { scenes } from './algorithm1.case.js';
import { halfQuadratic } from './half-quadratic.js';
import { cvs, cvsDefaults } from './index.js';
import { balanceOf, enteringScale, type Penalty } from './penalty.js';
import { reduce } from './reduce.js';
import { bestRow } from './descend.js';
import { checkSelector } from './selector.case.js';

checkSelector(() => cvs());
checkSelector(() => cvs({ form: 'features', smoothing: 0 }));
checkSelector(() => cvs({ smoothing: 0 }));
checkSelector(() => cvs({ smoothing: 0.1, sparsity: 0.2 }));

function noise(seed: number, rows: number, cols: number): Matrix {
  const { normal } = random(seed);
  return { rows, cols, data: Float64Array.from({ length: rows * cols }, normal) };
}

function contextEnergy({ context }: Problem): number {
  return context === null
    ? 0
    : context.matrix.data.reduce((sum, value, at) => sum + (at % (context.dim + 1) === 0 ? value : 0), 0);
}

const problems = fc
  .record({
    seed: fc.nat(1000),
    shots: fc.integer({ min: 1, max: 24 }),
    others: fc.integer({ min: 0, max: 30 }),
    dim: fc.integer({ min: 2, max: 20 }),
    unit: fc.boolean(),
  })
  .map(({ seed, shots, others, dim, unit }) => {
    const features = scenes(seed, shots, dim, { unit });
    return problemOf(features, others === 0 ? null : momentOf(scenes(seed + 1, others, dim, { unit })));
  });

const knobs = fc.record({
  contextWeight: fc.constantFrom(0.2, 0.5, 1),
  diversity: fc.constantFrom(0, 0.01, 0.1),
  sparsity: fc.constantFrom(0.05, 0.3, 0.8),
  consensus: fc.constantFrom(0, 1, 3),
  form: fc.constantFrom('shots' as const, 'features' as const),
});

describe('both solvers', () => {
  it.each([
    ['halfQuadratic', 0.01, 'halfQuadratic'],
    ['accelerated', 0.01, 'auto'],
    ['activeSet', 0, 'auto'],
  ] as const)('never let the objective rise: %s', (name, smoothing, solver) => {
    fc.assert(
      fc.property(problems, knobs, (problem, chosen) => {
        const { trace, certificate } = cvs({ ...chosen, smoothing, solver, maxIterations: 40 }).select(problem);
        expect(certificate.solver).toBe(name);
        for (let k = 1; k < trace.length; k++) {
          expect(trace[k]!.objective).toBeLessThanOrEqual(
            trace[k - 1]!.objective + 1e-12 * Math.abs(trace[0]!.objective),
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  it('prove the optimum: residual met, duality gap closed', () => {
    fc.assert(
      fc.property(problems, knobs, fc.constantFrom(0, 1), (problem, chosen, smoothing) => {
        // Where the shots are independent the optimum is unique, and far more than the default is asked for.
        const independent = problem.features.cols >= 2 * problem.features.rows;
        const tolerance = independent ? 1e-8 : 1e-4;
        const { certificate } = cvs({ ...chosen, smoothing, tolerance }).select(problem);
        expect(certificate.converged).toBe(true);
        expect(certificate.residual).toBeLessThanOrEqual(tolerance);
        expect(certificate.gap).toBeLessThanOrEqual(independent ? 1e-7 : 1e-3);
      }),
      { numRuns: 80 },
    );
  });

  it('meet at the same optimum as the smoothing goes', () => {
    const problem = problemOf(noise(1, 12, 24), momentOf(noise(2, 31, 24)));
    const exact = cvs({ sparsity: 0.5, smoothing: 0, tolerance: 1e-10 }).select(problem);
    const smooth = cvs({
      sparsity: 0.5,
      smoothing: 1e-14,
      solver: 'halfQuadratic',
      tolerance: 1e-8,
      maxIterations: 5000,
    }).select(problem);
    expect(smooth.certificate.converged && exact.certificate.converged).toBe(true);
    expect(exact.certificate.active).toBe(8);
    exact.scores.forEach((score, i) => expect(Math.abs(score - smooth.scores[i]!)).toBeLessThan(2e-6));
  });

  it('have a valid gap: no point tried lies lower than objective − gap', () => {
    fc.assert(
      fc.property(problems, knobs, fc.constantFrom(0.01, 1), (problem, chosen, smoothing) => {
        const early = cvs({ ...chosen, smoothing, maxIterations: 4 }).select(problem);
        const late = cvs({ ...chosen, smoothing, maxIterations: 400 }).select(problem);
        if (early.trace.length === 0) return;
        const atZero =
          problem.features.data.reduce((sum, x) => sum + (x * x) / 2, 0) +
          contextEnergy(problem) * (chosen.contextWeight / 2);
        const lower = early.trace.at(-1)!.objective - early.certificate.gap! * atZero;
        expect(late.trace.at(-1)!.objective).toBeGreaterThanOrEqual(lower - 1e-12 * atZero);
      }),
      { numRuns: 40 },
    );
  });

  it('agree between the forms to 1e-9 on what the optimum determines', () => {
    fc.assert(
      fc.property(problems, knobs, fc.constantFrom(0, 1), (problem, chosen, smoothing) => {
        // With fewer dimensions than shots, different weights can be equally good: only the objective is determined.
        const independent = problem.features.cols >= 2 * problem.features.rows;
        const [shots, features] = (['shots', 'features'] as const).map((form) =>
          cvs({ ...chosen, form, smoothing, tolerance: independent ? 1e-11 : 1e-6 }).select(problem),
        );
        const [left, right] = [shots!.trace.at(-1), features!.trace.at(-1)];
        expect(left === undefined).toBe(right === undefined);
        if (left && right)
          expect(Math.abs(left.objective - right.objective)).toBeLessThanOrEqual(1e-9 * left.objective);
        if (!independent) return;
        const largest = Math.max(...shots!.scores);
        shots!.scores.forEach((score, i) =>
          expect(Math.abs(score - features!.scores[i]!)).toBeLessThanOrEqual(1e-9 * largest),
        );
        expect(features!.order).toEqual(shots!.order);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the half-quadratic solver', () => {
  it('ends at the same point from any start', () => {
    const course = { epsilon: 1e-4, tolerance: 1e-11, maxIterations: 20_000 };
    const reduceAt = reduce(problemOf(scenes(1, 12, 24), momentOf(scenes(2, 31, 24))), cvsDefaults, true);
    const reduced = reduceAt(balanceOf(0.5));
    const penalty = { own: 0.3, shared: 0.3, joint: 0.3, prices: new Float64Array(12).fill(1) };
    const plain = halfQuadratic(reduced, penalty, course);
    for (const seed of [1, 2, 3]) {
      const { next } = random(seed);
      const scatter = (): Float64Array => Float64Array.from({ length: 12 }, () => 10 ** (6 * next() - 4));
      const other = halfQuadratic(reduced, penalty, course, undefined, { a: scatter(), b: scatter() });
      expect(other.converged).toBe(true);
      other.a.forEach((a, i) => expect(a).toBeCloseTo(plain.a[i]!, 8));
      other.b.forEach((b, i) => expect(b).toBeCloseTo(plain.b[i]!, 8));
    }
  });

  it('says so when it has not converged', () => {
    const { certificate } = cvs({ smoothing: 1e-3, solver: 'halfQuadratic', maxIterations: 3 }).select(
      problemOf(scenes(1, 18, 24), null),
    );
    expect(certificate).toMatchObject({ converged: false, iterations: 3 });
    expect(certificate.residual).toBeGreaterThan(1e-4);
  });
});

describe('λ_max', () => {
  it('by hand: one norm counts, both count, no consensus', () => {
    const unit = (joint: number): Penalty => ({ own: 1, shared: 1, joint, prices: Float64Array.of(1, 4) });
    expect(enteringScale(0, 3, 0, unit(1))).toBe(1.5);
    expect(enteringScale(0, 0, 4, unit(3))).toBe(1);
    // (2−λ)² + (2−λ)² = λ²  ⇒  λ = 2√2/(1+√2)
    expect(enteringScale(0, 2, 2, unit(1))).toBeCloseTo((2 * Math.SQRT2) / (1 + Math.SQRT2), 14);
    expect(enteringScale(0, 2, 5, unit(0))).toBe(5);
    // Row 1 pays four times as much.
    expect(enteringScale(1, 2, 5, unit(0))).toBe(5 / 4);
  });

  it('chooses nothing above, something just below', () => {
    fc.assert(
      fc.property(problems, knobs, (problem, chosen) => {
        const chosenAt = (sparsity: number): number =>
          cvs({ ...chosen, sparsity, smoothing: 0, tolerance: 1e-9 }).select(problem).certificate.active;
        expect(chosenAt(1 + 1e-7)).toBe(0);
        expect(chosenAt(1 - 1e-5)).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
  });

  it.each([0, 1])('and what is chosen do not depend on the scale of the features (smoothing %s)', (smoothing) => {
    const features = scenes(1, 15, 10);
    const large = { ...features, data: features.data.map((value) => 1024 * value) };
    const [small, big] = [features, large].map((given) =>
      cvs({ smoothing, tolerance: 1e-10 }).select(problemOf(given, null)),
    );
    small!.scores.forEach((score, i) => expect(score).toBeCloseTo(big!.scores[i]!, 12));
  });
});

describe('the best row', () => {
  it('meets its own optimality condition', () => {
    const size = fc.double({ min: 0, max: 5, noNaN: true });
    fc.assert(
      fc.property(
        size,
        size,
        fc.double({ min: 0.01, max: 4, noNaN: true }),
        fc.constantFrom(0.1, 0.5, 1),
        fc.constantFrom(0, 0.3, 1),
        (x, y, curvature, alpha, beta) => {
          const lambda = 0.7;
          const penalty = { own: lambda, shared: lambda, joint: beta, prices: Float64Array.of(1) };
          const [u, v] = bestRow(x, y, curvature, alpha * curvature, penalty)!;
          const [p, q] = [u * x, v * y];
          const joint = p + q > 0 ? beta / Math.hypot(p, q) : 0;
          if (p > 0) expect(curvature * p - x + lambda + joint * p).toBeCloseTo(0, 9);
          if (q > 0) expect(alpha * curvature * q - y + lambda + joint * q).toBeCloseTo(0, 9);
          if (p === 0 && q === 0) expect(enteringScale(0, x, y, penalty)).toBeLessThanOrEqual(1 + 1e-12);
          else if (p === 0) expect(x).toBeLessThanOrEqual(lambda);
          else if (q === 0) expect(y).toBeLessThanOrEqual(lambda);
        },
      ),
    );
  });

  it('is none where the objective falls without end', () => {
    expect(bestRow(3, 0, 0, 0, { own: 1, shared: 1, joint: 1 })).toBeNull();
  });
});

describe('identical shots', () => {
  const twice = (problem: Problem): Problem => {
    const { features } = problem;
    return {
      ...problem,
      features: {
        rows: 2 * features.rows,
        cols: features.cols,
        data: Float64Array.from([...features.data, ...features.data]),
      },
    };
  };

  it('share their weight evenly and tie', () => {
    const once = problemOf(scenes(1, 10, 24), momentOf(scenes(2, 31, 24)));
    const { scores, places, order } = cvs({ sparsity: 0.3, smoothing: 0 }).select(twice(once));
    for (let i = 0; i < 10; i++) {
      expect(scores[i]).toBe(scores[i + 10]);
      expect(places[i]).toBe(places[i + 10]);
      expect(order.indexOf(i)).toBeLessThan(order.indexOf(i + 10));
    }
  });
});

describe('shots without importance', () => {
  it('follow by how near they came to having some', () => {
    const features = matrixOf([
      [1, 0, 0],
      [0, 0.5, 0],
      [0, 0, 0.8],
    ]);
    const { order, scores } = cvs({ sparsity: 0.9, diversity: 0, smoothing: 0 }).select(problemOf(features, null));
    expect([...scores].map((score) => score > 0)).toEqual([true, false, false]);
    expect(order).toEqual([0, 2, 1]);
  });
});

describe('a basis cut short on purpose', () => {
  it('says how much it kept, and is exact when it keeps everything', () => {
    const problem = problemOf(scenes(1, 30, 12), momentOf(scenes(2, 31, 12)));
    const [whole, cut] = [12, 4].map((rank) => cvs({ rank }).select(problem).certificate.kept);
    expect(whole).toBeCloseTo(1, 12);
    expect(cut).toBeLessThan(0.999);
    expect(cut).toBeGreaterThan(0.5);
  });

  it('is refused in the n × n form, which has no basis to cut', () => {
    expect(() => cvs({ form: 'shots', rank: 3 })).toThrow(/n × n/);
  });

  it('is refused where the similarity is not an inner product', () => {
    const problem = problemOf(scenes(1, 5, 12), null, { neighbors: [{ features: zeros(0, 12) }] });
    expect(() => cvs({ similarity: 'rbf', rank: 3 }).select(problem)).toThrow(/n × n form/);
  });
});

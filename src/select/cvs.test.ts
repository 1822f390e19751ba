import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, zeros } from '../base/index.js';
import { mergeMoments, momentOf, problemOf, type Problem } from '../topic/index.js';
import { algorithm1, dot, scenes } from './algorithm1.case.js';
import { cvs, type CvsKnobs, type CvsRanking } from './index.js';

const stack = (...parts: Matrix[]): Matrix => ({
  rows: parts.reduce((sum, part) => sum + part.rows, 0),
  cols: parts[0]!.cols,
  data: Float64Array.from(parts.flatMap((part) => [...part.data])),
});

function problemFrom(X: Matrix, Xt: Matrix): Problem {
  return problemOf(X, Xt.rows === 0 ? null : momentOf(Xt), { neighbors: Xt.rows === 0 ? [] : [{ features: Xt }] });
}

/** Our result and the literal algorithm's after the same number of iterations, with λs as ours found it. */
function compare(
  X: Matrix,
  Xt: Matrix,
  knobs: Partial<CvsKnobs>,
  similarity = dot,
): { ours: CvsRanking; literal: ReturnType<typeof algorithm1> } {
  const all = { solver: 'halfQuadratic', maxIterations: 60, smoothing: 0.01, ...knobs } as const;
  const ours = cvs(all).select(problemFrom(X, Xt));
  const { lambda, epsilon, iterations } = ours.certificate;
  const literal = algorithm1(
    X,
    Xt,
    {
      alpha: knobs.contextWeight ?? 0.5,
      lambdaS: lambda,
      lambdaD: knobs.diversity ?? 0.01,
      beta: Xt.rows === 0 ? 0 : lambda * (knobs.consensus ?? 1),
      epsilon,
    },
    iterations,
    { similarity },
  );
  return { ours, literal };
}

function expectSame({ ours, literal }: ReturnType<typeof compare>): void {
  const largest = Math.max(...ours.scores);
  expect(ours.trace.length).toBeGreaterThan(0);
  for (let i = 0; i < ours.scores.length; i++) {
    expect(Math.abs(ours.own[i]! - literal.own[i]!)).toBeLessThanOrEqual(1e-9 * largest);
    expect(Math.abs(ours.shared[i]! - literal.shared[i]!)).toBeLessThanOrEqual(1e-9 * largest);
  }
  ours.trace.forEach((step, k) => {
    expect(Math.abs(step.objective - literal.objectives[k]!)).toBeLessThanOrEqual(1e-9 * literal.objectives[0]!);
  });
}

const X = scenes(1, 18, 24);
const Xt = scenes(2, 31, 24);

describe('cvs, half-quadratic, against the literal Algorithm 1', () => {
  const cases: [string, Matrix, Matrix, Partial<CvsKnobs>][] = [
    ['the paper’s defaults', X, Xt, {}],
    ['no context weight (α = 0)', X, Xt, { contextWeight: 0, diversity: 0 }],
    ['no context weight, diversity kept', X, Xt, { contextWeight: 0 }],
    ['no diversity (λd = 0)', X, Xt, { diversity: 0 }],
    ['no consensus (β = 0)', X, Xt, { consensus: 0 }],
    ['no other videos (ñ = 0)', X, zeros(0, 24), {}],
    ['one shot', scenes(3, 1, 24), Xt, {}],
    ['identical shots', stack(X, X), Xt, {}],
    ['zero vectors', stack(zeros(2, 24), X), stack(Xt, zeros(3, 24)), {}],
    ['n ≫ d', scenes(4, 40, 4), scenes(5, 30, 4), {}],
    ['d ≫ n', scenes(6, 7, 300), scenes(7, 9, 300), {}],
    ['features of any length', scenes(8, 20, 16, { unit: false }), scenes(9, 25, 16, { unit: false }), {}],
    ['an absolute ε', X, Xt, { smoothing: 1e-6, smoothingScale: 'absolute' }],
    ['weak sparsity', X, Xt, { sparsity: 0.005 }],
    ['the paper’s λ0', X, Xt, { sparsityScale: 'lambdaZero', sparsity: 0.05 }],
  ];
  it.each(cases)('agrees to 1e-9 in both forms: %s', (_name, X, Xt, knobs) => {
    const shots = compare(X, Xt, { ...knobs, form: 'shots' });
    const features = compare(X, Xt, { ...knobs, form: 'features' });
    expectSame(shots);
    expectSame(features);
    expect([shots.ours.certificate.form, features.ours.certificate.form]).toEqual(['shots', 'features']);
    expect(features.ours.order).toEqual(shots.ours.order);
    expect(features.ours.trace.length).toBe(shots.ours.trace.length);
  });

  it('agrees with cosine similarity, from the moment and from the neighbours', () => {
    const cosine = (x: Float64Array, y: Float64Array): number => dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
    const mixed = scenes(8, 20, 24, { unit: false });
    expectSame(compare(mixed, Xt, { similarity: 'cosine' }, cosine));
    expectSame(compare(mixed, scenes(9, 25, 24, { unit: false }), { similarity: 'cosine' }, cosine));
  });

  it('agrees with RBF similarity', () => {
    const rbf = (x: Float64Array, y: Float64Array): number =>
      Math.exp(-(dot(x, x) + dot(y, y) - 2 * dot(x, y)) / (2 * 0.7 ** 2));
    expectSame(compare(X, Xt, { similarity: 'rbf', bandwidth: 0.7 }, rbf));
  });
});

describe('cvs', () => {
  it('chooses by hand: two shots at right angles, no context', () => {
    // Z is diagonal; each row alone minimises ½s²(1−z)² + λd·s²·z + λs|z|, s² = 4 and 1.
    const ranking = cvs({
      diversity: 0.1,
      sparsity: 0.4,
      sparsityScale: 'absolute',
      smoothing: 0,
      tolerance: 1e-9,
    }).select(
      problemOf(
        matrixOf([
          [2, 0],
          [0, 1],
        ]),
        null,
      ),
    );
    expect(ranking.own[0]).toBeCloseTo((4 * 0.9 - 0.4) / 4, 6);
    expect(ranking.own[1]).toBeCloseTo(0.9 - 0.4, 6);
    expect(ranking.order).toEqual([0, 1]);
    expect(ranking.certificate.lambdaMax).toBeCloseTo(4 * 0.9, 12);
  });

  it.each(['lambdaMax', 'lambdaZero', 'absolute'] as const)(
    'has no joint term without other videos: consensus changes nothing (%s)',
    (sparsityScale) => {
      const at = (consensus: number): CvsRanking =>
        cvs({ consensus, sparsityScale, sparsity: 0.3, smoothing: 0.3 }).select(problemOf(X, null));
      expect(at(3)).toEqual(at(0));
    },
  );

  it('takes its own shots out of a whole topic’s moment', () => {
    const whole = momentOf(stack(X, Xt));
    const left = cvs().select(problemOf(X, whole, { ownWeight: 1 }));
    const right = cvs().select(problemOf(X, momentOf(Xt)));
    left.scores.forEach((score, i) => expect(score).toBeCloseTo(right.scores[i]!, 9));
    expect(left.order).toEqual(right.order);
  });

  it('weighs a neighbour as if it were there several times', () => {
    const [twice, once] = [scenes(5, 9, 24), scenes(6, 12, 24)];
    const weighted = cvs({ tolerance: 1e-10 }).select(problemOf(X, mergeMoments([momentOf(twice, 2), momentOf(once)])));
    const repeated = cvs({ tolerance: 1e-10 }).select(problemOf(X, momentOf(stack(twice, twice, once))));
    weighted.scores.forEach((score, i) => expect(score).toBeCloseTo(repeated.scores[i]!, 9));
  });

  it('finds the same cosine similarities from a moment and from weighted neighbours', () => {
    const neighbors = [{ features: scenes(5, 9, 24), weight: 3 }, { features: scenes(6, 12, 24) }];
    const context = mergeMoments(neighbors.map(({ features, weight }) => momentOf(features, weight)));
    const select = cvs({ similarity: 'cosine', diversity: 0.1, form: 'shots', tolerance: 1e-10 }).select;
    const fromMoment = select(problemOf(X, context));
    const byShot = select(problemOf(X, { ...context, unitRows: false }, { neighbors }));
    fromMoment.scores.forEach((score, i) => expect(score).toBeCloseTo(byShot.scores[i]!, 9));
  });

  it('says what it misses when RBF gets only a moment', () => {
    expect(() => cvs({ similarity: 'rbf' }).select(problemOf(X, momentOf(Xt)))).toThrow(/neighbours/);
  });
});

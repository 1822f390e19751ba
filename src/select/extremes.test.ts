import { describe, expect, it } from 'vitest';

import { type Matrix, matrixOf, random, ThroughlineError, zeros } from '../base/index.js';
import { momentOf, problemOf, type Problem } from '../topic/index.js';
import { algorithm1, scenes } from './algorithm1.case.js';
import { cvs, METHOD_NAMES, methods, type Ranking } from './index.js';

const DIM = 16;
const others = scenes(12, 25, DIM);

function posed(features: Matrix, around: Matrix): Problem {
  return problemOf(features, momentOf(around), { neighbors: [{ features: around }] });
}

const times = (features: Matrix, factor: number): Matrix => ({
  ...features,
  data: features.data.map((value) => value * factor),
});

const rows = (count: number, row: (i: number) => number[]): Matrix => matrixOf(Array.from({ length: count }, (_, i) => row(i)), DIM); // prettier-ignore
const dice = random(8);
const one = Array.from({ length: DIM }, () => dice.normal());

/** Features no honest network gives, but a broken file or another program may. */
const extremes: Record<string, () => Problem> = {
  'all zero': () => posed(zeros(12, DIM), zeros(9, DIM)),
  'zero against others': () => posed(zeros(12, DIM), others),
  'identical shots': () =>
    posed(
      rows(12, () => one),
      others,
    ),
  'identical shots, identical others': () =>
    posed(
      rows(12, () => one),
      rows(9, () => one),
    ),
  'opposite shots': () =>
    posed(
      rows(12, (i) => one.map((value) => (i % 2 === 0 ? value : -value))),
      others,
    ),
  'one shot': () =>
    posed(
      rows(1, () => one),
      others,
    ),
  'one dimension that counts': () =>
    posed(
      rows(12, (i) => one.map((_, k) => (k === 0 ? i + 1 : 0))),
      others,
    ),
  'a giant among dwarfs': () =>
    posed(
      rows(12, (i) => one.map((value) => value * (i === 5 ? 1e12 : 1e-12))),
      others,
    ),
  'sizes from 1e-300 to 1e-8': () =>
    posed(
      rows(12, (i) => one.map((value) => value * 10 ** (-300 + (292 / 11) * i))),
      others,
    ),
  'as small as numbers go': () =>
    posed(
      rows(12, (i) => one.map(() => 5e-324 * (i + 1))),
      others,
    ),
  'small, times 1e-150': () => posed(times(scenes(11, 20, DIM), 1e-150), times(others, 1e-150)),
  'small, times 1e-70': () => posed(times(scenes(11, 20, DIM), 1e-70), times(others, 1e-70)),
  'small, times 1e-29': () => posed(times(scenes(11, 20, DIM), 1e-29), times(others, 1e-29)),
  'large, times 1e29': () => posed(times(scenes(11, 20, DIM), 1e29), times(others, 1e29)),
  'large, times 1e70': () => posed(times(scenes(11, 20, DIM), 1e70), times(others, 1e70)),
  'large, times 1e150': () => posed(times(scenes(11, 20, DIM), 1e150), times(others, 1e150)),
  'small shots, large others': () => posed(times(scenes(11, 20, DIM), 1e-20), times(others, 1e20)),
  'large shots, small others': () => posed(times(scenes(11, 20, DIM), 1e20), times(others, 1e-20)),
  'as small, others as large, as may be': () => posed(times(scenes(11, 20, DIM), 1e-29), times(others, 1e29)),
};

/** What no method is asked about; all else every method ranks. */
const REFUSED = new Set(['as small as numbers go', 'small, times 1e-150', 'small, times 1e-70', 'large, times 1e70', 'large, times 1e150']); // prettier-ignore
const solved = Object.keys(extremes).filter((name) => !REFUSED.has(name));

describe.each(METHOD_NAMES)('%s', (method) => {
  it.each([...REFUSED])('is never asked about shots that are %s', (name) => {
    expect(extremes[name]).toThrow(expect.objectContaining({ code: 'bad-scale' }));
  });

  it.each(solved)('gives finite scores to shots that are %s', (name) => {
    const { order, scores, own, shared, certificate } = methods[method].make({ method, seed: 3 }).select(extremes[name]!());
    expect([...order].sort((a, b) => a - b)).toEqual([...scores.keys()]);
    for (const values of [scores, own, shared]) expect(values.every((value) => value >= 0 && value < Infinity)).toBe(true);
    expect(certificate.residual).toBeLessThan(Infinity);
  }); // prettier-ignore

  it.each([NaN, Infinity, -Infinity])('is never asked about %s', (value) => {
    const features = scenes(11, 20, DIM);
    features.data[37] = value;
    expect(() => posed(features, others)).toThrow(/row 2, column 5/);
    expect(() => posed(scenes(11, 20, DIM), features)).toThrow(/row 2, column 5/);
  });
});

describe('cvs on ten thousand shots', () => {
  it('is solved to its tolerance, and the same twice', () => {
    const many = scenes(21, 10_000, DIM);
    const first = cvs().select(posed(many, others));
    expect(first.certificate.converged).toBe(true);
    expect(first.scores.every(Number.isFinite)).toBe(true);
    expect(cvs().select(posed(many, others)).order.slice(0, 50)).toEqual(first.order.slice(0, 50));
  });
});

describe('the certificate of cvs', () => {
  /** The literal algorithm, run on and on, must find nothing lower than the certificate says there can be. */
  const isNeverFalse = (seed: number): void => {
    const dice = random(100 + seed);
    const [X, Xt] = [scenes(seed, 6 + dice.below(14), 12), scenes(50 + seed, 5 + dice.below(20), 12)];
    const knobs = { sparsity: 0.02 + 0.3 * dice.next(), diversity: 0.05 * dice.next() };
    const { certificate, trace } = cvs(knobs).select(problemOf(X, momentOf(Xt)));
    expect(certificate.gap).not.toBeNull();
    const { lambda, epsilon } = certificate;
    const literal = { alpha: 0.5, lambdaS: lambda, lambdaD: knobs.diversity, beta: lambda, epsilon: Math.max(epsilon, 1e-12) };
    const { objectives } = algorithm1(X, Xt, literal, 3000);
    const [atZero, found] = [objectiveAtZero(X, Xt, 0.5), trace.at(-1)!.objective];
    // Both are the same function, to what the smoothing of the literal one allows.
    expect(Math.abs(found - Math.min(...objectives))).toBeLessThan(1e-3 * atZero);
    expect(found).toBeLessThanOrEqual(Math.min(...objectives) + (certificate.gap! + 1e-6) * atZero);
  }; // prettier-ignore
  const NEVER_FALSE = 'is never false: nothing lies lower by more than the gap it states (problem %i)';
  it.each([3, 4, 5])(NEVER_FALSE, isNeverFalse);
  it.each([1, 2, 6])(NEVER_FALSE, { tags: 'slow' }, isNeverFalse);

  /** The same function, minimised far further: its value there, and by its own gap how far that can be from the lowest. */
  it.each(solved.flatMap((name) => [2, 0].map((smoothing) => [name, smoothing] as const)))(
    'is never false on shots that are %s, smoothed by %s',
    (name, smoothing) => {
      const problem = extremes[name]!();
      const { certificate, trace } = cvs({ smoothing }).select(problem);
      const truth = cvs({ smoothing, tolerance: 1e-10, maxIterations: 20_000 }).select(problem);
      expect([certificate.converged, truth.certificate.converged]).toEqual([true, true]);
      expect(truth.certificate.gap).toBeLessThan(1e-9);
      if (certificate.solver === 'none') return expect(problem.features.data.some(Boolean)).toBe(false);
      const [found, lowest] = [trace.at(-1)!.objective, truth.trace.at(-1)!.objective];
      // The gap is relative to the objective where nothing is chosen; what is added to it is rounding.
      const scale = objectiveAtZero(problem.features, problem.neighbors![0]!.features, 0.5);
      expect(certificate.gap).toBeLessThan(1e-3);
      expect(found - lowest).toBeLessThanOrEqual(certificate.gap! * scale + 1e-14 * lowest);
      expect(lowest - found).toBeLessThanOrEqual(truth.certificate.gap! * scale + 1e-14 * lowest);
    },
  );
});

/** ½‖X‖² + ½α‖X̃‖²: nothing chosen, nothing rebuilt. */
function objectiveAtZero(X: Matrix, Xt: Matrix, alpha: number): number {
  const squares = ({ data }: Matrix): number => data.reduce((sum, value) => sum + value * value, 0);
  return 0.5 * squares(X) + 0.5 * alpha * squares(Xt);
}

describe('a context that no shots could give', () => {
  const honest = momentOf(others);
  const features = scenes(3, 12, DIM);
  it.each([NaN, Infinity, -Infinity, 1e300, -1e30])('with %s in it is refused, and never certified', (value) => {
    for (const at of [0, 1, DIM + 1]) {
      const data = honest.matrix.data.slice();
      data[at] = value;
      data[(at % DIM) * DIM + Math.floor(at / DIM)] = value;
      const context = { ...honest, matrix: { ...honest.matrix, data } };
      if (value !== -1e30 || at !== 1) expect(() => problemOf(features, context)).toThrow(ThroughlineError);
      // Whoever makes the problem by hand gets numbers and no claim, or a sentence.
      const byHand = (): Ranking => cvs().select({ features, context, ownWeight: 0 });
      if (!Number.isFinite(value)) expect(byHand).toThrow(ThroughlineError);
      else if (value < 0 && at !== 1) expect(byHand().certificate).toMatchObject({ converged: false });
    }
  });

  it('with counts that are none is refused', () => {
    for (const count of [NaN, -1, 0.5, Infinity]) {
      expect(() => problemOf(features, { ...honest, shotCount: count })).toThrow('counts that are none');
    }
  });
});

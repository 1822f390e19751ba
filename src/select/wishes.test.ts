import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, takeRows, zeros } from '../base/index.js';
import { mergeMoments, momentOf, problemOf, type Problem, withWishes } from '../topic/index.js';
import { algorithm1, dot, scenes } from './algorithm1.case.js';
import { cvs, type CvsKnobs, type CvsRanking, explain } from './index.js';

type Wishes = { readonly pinned?: number[]; readonly vetoed?: number[] };

const problemWith = (X: Matrix, Xt: Matrix, { pinned = [], vetoed = [] }: Wishes): Problem =>
  withWishes(problemOf(X, Xt.rows === 0 ? null : momentOf(Xt), { neighbors: [{ features: Xt }] }), pinned, vetoed);

/** Ours, and the literal algorithm with rows that carry no penalty and rows held at zero, both run to the end. */
function compare(
  X: Matrix,
  Xt: Matrix,
  wishes: Wishes,
  knobs: Partial<CvsKnobs> = {},
  { similarity = dot, forms = ['shots', 'features'] as CvsKnobs['form'][] } = {},
): { ours: CvsRanking[]; literal: ReturnType<typeof algorithm1> } {
  const settled = { solver: 'halfQuadratic', smoothing: 0.5, tolerance: 1e-13, maxIterations: 200, ...knobs } as const;
  const ours = forms.map((form) => cvs({ ...settled, form }).select(problemWith(X, Xt, wishes)));
  const { lambda, epsilon } = ours[0]!.certificate;
  const alpha = knobs.contextWeight ?? 0.5;
  const lambdaD = knobs.diversity ?? 0.01;
  const literal = algorithm1(
    X,
    Xt,
    { alpha, lambdaS: lambda, lambdaD, beta: Xt.rows === 0 ? 0 : lambda * (knobs.consensus ?? 1), epsilon },
    200,
    { similarity, ...wishes },
  );
  return { ours, literal };
}

function expectSame({ ours, literal }: ReturnType<typeof compare>): void {
  for (const { scores, own, shared, trace, order } of ours) {
    const largest = Math.max(...scores);
    own.forEach((norm, i) => expect(Math.abs(norm - literal.own[i]!)).toBeLessThanOrEqual(1e-8 * largest));
    shared.forEach((norm, i) => expect(Math.abs(norm - literal.shared[i]!)).toBeLessThanOrEqual(1e-8 * largest));
    const [left, right] = [trace.at(-1)!.objective, literal.objectives.at(-1)!];
    expect(Math.abs(left - right)).toBeLessThanOrEqual(1e-9 * right);
    expect(order).toEqual(ours[0]!.order);
  }
}

const X = scenes(1, 18, 24);
const Xt = scenes(2, 31, 24);
const both = { pinned: [3, 11], vetoed: [0, 5, 9] };

describe('wishes in cvs, against the literal Algorithm 1', () => {
  const cases: [string, Matrix, Matrix, Wishes, Partial<CvsKnobs>][] = [
    ['pinned shots', X, Xt, { pinned: [3, 11] }, {}],
    ['vetoed shots', X, Xt, { vetoed: [0, 5, 9] }, {}],
    ['both', X, Xt, both, {}],
    ['no diversity', X, Xt, both, { diversity: 0 }],
    ['much diversity', X, Xt, both, { diversity: 0.2 }],
    ['no consensus', X, Xt, both, { consensus: 0 }],
    ['no other videos', X, zeros(0, 24), both, {}],
    ['more shots than dimensions', scenes(4, 40, 6), scenes(5, 30, 6), both, {}],
    ['features of any length', scenes(8, 20, 30, { unit: false }), scenes(9, 25, 30, { unit: false }), both, {}],
    ['zero vectors', matrixOf([...rows(X), zeros(1, 24).data, zeros(1, 24).data]), Xt, { pinned: [2] }, {}],
    ['twins of pinned shots', matrixOf([...rows(X), ...rows(takeRows(X, [3, 11, 4]))]), Xt, both, {}],
    ['twins of vetoed shots', matrixOf([...rows(X), ...rows(takeRows(X, [0, 5]))]), Xt, both, {}],
  ]; // prettier-ignore
  it.each(cases)('agree in both forms: %s', (_name, X, Xt, wishes, knobs) => {
    const found = compare(X, Xt, wishes, knobs);
    expectSame(found);
    expect(found.ours.map(({ certificate }) => certificate.form)).toEqual(['shots', 'features']);
  });

  it('agree where similarity is no inner product: RBF, cosine', () => {
    const rbf = (x: Float64Array, y: Float64Array): number =>
      Math.exp(-(dot(x, x) + dot(y, y) - 2 * dot(x, y)) / (2 * 0.7 ** 2));
    expectSame(
      compare(
        X,
        Xt,
        both,
        { similarity: 'rbf', bandwidth: 0.7, diversity: 0.05 },
        { similarity: rbf, forms: ['shots'] },
      ),
    );
    const cosine = (x: Float64Array, y: Float64Array): number => dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
    const mixed = scenes(8, 20, 30, { unit: false });
    expectSame(
      compare(
        mixed,
        scenes(9, 25, 30),
        both,
        { similarity: 'cosine', diversity: 0.05 },
        { similarity: cosine, forms: ['shots'] },
      ),
    );
  });

  it('agree with the exact solver as the smoothing goes', () => {
    const problem = problemWith(X, Xt, both);
    const exact = cvs({ smoothing: 0, sparsity: 0.4, tolerance: 1e-10 }).select(problem);
    const smooth = cvs({ smoothing: 1e-12, sparsity: 0.4, tolerance: 1e-9, maxIterations: 5000 }).select(problem);
    expect(exact.certificate.converged && smooth.certificate.converged).toBe(true);
    exact.scores.forEach((score, i) => expect(Math.abs(score - smooth.scores[i]!)).toBeLessThan(1e-5));
  });
});

describe('wishes in cvs, always', () => {
  const cases = fc
    .record({
      seed: fc.nat(1000),
      shots: fc.integer({ min: 2, max: 20 }),
      others: fc.integer({ min: 0, max: 25 }),
      wishes: fc.array(fc.constantFrom('pinned', 'vetoed', null), { minLength: 20, maxLength: 20 }),
      form: fc.constantFrom('shots' as const, 'features' as const),
      smoothing: fc.constantFrom(0, 1),
    })
    .map(({ seed, shots, others, wishes, form, smoothing }) => {
      const those = (kind: string): number[] => [...Array(shots).keys()].filter((i) => wishes[i] === kind);
      const given = { pinned: those('pinned'), vetoed: those('vetoed') };
      return { problem: problemWith(scenes(seed, shots, 40), scenes(seed + 1, others, 40), given), form, smoothing, ...given };
    }); // prettier-ignore

  it('prove the optimum of the problem with wishes, and keep vetoed rows at zero', () => {
    fc.assert(
      fc.property(cases, ({ problem, form, smoothing, pinned, vetoed }) => {
        const { certificate, scores, order } = cvs({ form, smoothing, tolerance: 1e-7 }).select(problem);
        expect(certificate).toMatchObject({ converged: true });
        expect(certificate.gap).toBeLessThanOrEqual(1e-6);
        expect(vetoed.filter((shot) => scores[shot] !== 0)).toEqual([]);
        expect([...order].slice(0, pinned.length).sort((a, b) => a - b)).toEqual(pinned);
        expect([...order].slice(order.length - vetoed.length)).toEqual(vetoed);
      }),
      { numRuns: 80 },
    );
  });

  it('choose nothing beside the pinned shots above λ_max, something just below', () => {
    fc.assert(
      fc.property(cases, ({ problem, form }) => {
        const at = (sparsity: number) => cvs({ form, sparsity, smoothing: 0, tolerance: 1e-9 }).select(problem).certificate;
        if (at(1).lambdaMax === 0) return;
        expect(at(1 + 1e-7).active).toBe(0);
        expect(at(1 - 1e-5).active).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    ); // prettier-ignore
  });
});

describe('wishes in cvs, by hand', () => {
  // Three directions; shot 3 is shot 0 again, shot 2 half of shot 1.
  const video = matrixOf([[2, 0, 0], [0, 2, 0], [0, 1, 1], [2, 0, 0]]); // prettier-ignore
  const select = (wishes: Wishes, knobs: Partial<CvsKnobs> = {}) =>
    cvs({ diversity: 0, smoothing: 0, sparsityScale: 'absolute', sparsity: 0.2, consensus: 0, tolerance: 1e-10, ...knobs }) // prettier-ignore
      .select(problemWith(video, zeros(0, 3), wishes));

  it('what a pinned shot shows is not chosen again: its twin scores zero, a look-alike by the rest of it', () => {
    const { own, order } = select({ pinned: [0, 1] });
    expect(own[3]).toBe(0);
    // Beside shot 1, shot 2 is (0, 0, 1): it minimises ½(1−z)² + 0.2|z| alone, so z = 0.8.
    expect(own[2]).toBeCloseTo(0.8, 8);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('a pinned shot carries no penalty: alone it rebuilds what lies along it, in full', () => {
    // Z_P = (x·x)⁻¹ x·X = (1, 0, 0, 1).
    expect(select({ pinned: [0], vetoed: [1, 2, 3] }).own[0]).toBeCloseTo(Math.SQRT2, 12);
  });

  it('pinned twins share their row', () => {
    const { own } = select({ pinned: [0, 3], vetoed: [1, 2] });
    expect([own[0], own[3]].map((norm) => norm!.toFixed(10))).toEqual(Array(2).fill((Math.SQRT2 / 2).toFixed(10)));
  });

  it('what a vetoed shot shows is left to the others', () => {
    const without = select({}).own;
    const vetoed = select({ vetoed: [1] }).own;
    // Shot 2 has to stand for shot 1 too: it alone rebuilds (0, 2, 0) and (0, 1, 1), c = (2, 2), ‖z‖ = (‖c‖ − 0.2)/2.
    expect(vetoed[2]).toBeCloseTo((Math.hypot(2, 2) - 0.2) / 2, 8);
    expect(vetoed[2]).toBeGreaterThan(without[2]!);
    expect(select({ vetoed: [0] }).own[3]).toBeCloseTo((Math.hypot(4, 4) - 0.2) / 4, 8);
  });

  it('of λd, what lies outside the pinned shots is left', () => {
    // Beside shot 1, shot 2 minimises ½(1−z)² + λd·z + 0.2|z|.
    expect(select({ pinned: [1], vetoed: [0, 3] }, { diversity: 0.1 }).own[2]).toBeCloseTo(0.7, 8);
  });

  it('a pinned shot without content rebuilds nothing', () => {
    const dark = matrixOf([[0, 0, 0], [0, 1, 0]]); // prettier-ignore
    const { own, order } = cvs({ smoothing: 0 }).select(problemWith(dark, zeros(0, 3), { pinned: [0] }));
    expect([own[0], order]).toEqual([0, [0, 1]]);
    expect(own[1]).toBeGreaterThan(0);
  });

  it('nothing left to choose from is said plainly', () => {
    const { certificate, own } = select({ pinned: [0, 1], vetoed: [2, 3] });
    expect(certificate).toMatchObject({ solver: 'none', converged: true, lambdaMax: 0, active: 0 });
    expect(own[0]).toBeCloseTo(Math.SQRT2, 12);
  });

  it('wishes that cannot be are refused', () => {
    const plain = problemWith(video, zeros(0, 3), {});
    expect(() => withWishes(plain, [4], [])).toThrow('shots 0 to 3, found 4');
    expect(() => withWishes(plain, [1], [2, 1])).toThrow('found shot 1 to be both');
  });
});

describe('why a pinned shot', () => {
  it('is row i of Z̃ as the literal algorithm has it', () => {
    const neighbors = [scenes(2, 9, 24), scenes(3, 12, 24)].map((features) => ({ features }));
    const problem = withWishes(
      problemOf(X, mergeMoments(neighbors.map(({ features }) => momentOf(features))), { neighbors }),
      both.pinned,
      both.vetoed,
    );
    const knobs = { sparsity: 0.3, smoothing: 0.2, tolerance: 1e-12, maxIterations: 5000 };
    const ranking = cvs(knobs).select(problem);
    const { lambda, epsilon } = ranking.certificate;
    const others = matrixOf(neighbors.flatMap(({ features }) => rows(features)));
    const literal = { alpha: 0.5, lambdaS: lambda, lambdaD: 0.01, beta: lambda, epsilon };
    const { Zt } = algorithm1(X, others, literal, 800, both);
    for (const shot of [...both.pinned, 7]) {
      const z = rows(Zt)[shot]!;
      const parts = [z.slice(0, 9), z.slice(9)];
      explain(
        problem,
        ranking,
        knobs,
      )(shot, neighbors).forEach(({ neighbor, share, shot: best, weight }) => {
        expect(share).toBeCloseTo(dot(parts[neighbor]!, parts[neighbor]!) / dot(z, z), 6);
        expect(weight).toBeCloseTo(parts[neighbor]![best!]!, 6);
      });
    }
    expect(explain(problem, ranking, knobs)(0, neighbors).map(({ share }) => share)).toEqual([0, 0]);
  });
});

function rows(A: Matrix): Float64Array[] {
  return Array.from({ length: A.rows }, (_, i) => A.data.slice(i * A.cols, (i + 1) * A.cols));
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, random, rowOf, takeRows, zeros } from '../base/index.js';
import { momentOf, problemOf, type Problem, withWishes } from '../topic/index.js';
import { algorithm1, dot, scenes } from './algorithm1.case.js';
import { balanceOf } from './penalty.js';
import { cvs, cvsAcross, cvsAlone, type CvsKnobs, type CvsRanking, explain, openSolvers, solveAll } from './index.js';

const X = scenes(1, 18, 24);
const Xt = scenes(2, 31, 24);
const KAPPA = 0.7;

/** Standardised numbers, as evidence is. */
function evidenceOf(seed: number, shots: number): Float64Array {
  const { normal } = random(seed);
  return Float64Array.from({ length: shots }, () => Math.max(-2.5, Math.min(2.5, normal())));
}

const pricesOf = (evidence: Float64Array, kappa = KAPPA): Float64Array => evidence.map((e) => Math.exp(-kappa * e));

function posed(X: Matrix, Xt: Matrix, evidence = evidenceOf(7, X.rows)): Problem {
  return { ...problemOf(X, Xt.rows === 0 ? null : momentOf(Xt), { neighbors: [{ features: Xt }] }), evidence };
}

type Case = { shots?: Matrix; others?: Matrix; knobs?: Partial<CvsKnobs>; pinned?: number[]; vetoed?: number[] };

describe('prices in cvs, held against the literal Algorithm 1 with prices', () => {
  const twins = matrixOf([...rowsOf(X), ...rowsOf(takeRows(X, [2, 9]))]);
  const wishes = { pinned: [3, 11], vetoed: [0, 5, 9] };
  const cases: Record<string, Case> = {
    'the defaults': {},
    'no diversity': { knobs: { diversity: 0 } },
    'no consensus': { knobs: { consensus: 0 } },
    'much consensus': { knobs: { consensus: 3 } },
    'steep prices': { knobs: { evidence: 2 } },
    'no other videos': { others: zeros(0, 24) },
    'one shot': { shots: scenes(3, 1, 24) },
    'identical shots': { shots: twins },
    'n ≫ d': { shots: scenes(4, 40, 4), others: scenes(5, 30, 4) },
    'd ≫ n': { shots: scenes(6, 7, 300), others: scenes(7, 9, 300) },
    'an absolute ε': { knobs: { smoothing: 1e-6, smoothingScale: 'absolute' } },
    'the paper’s λ0': { knobs: { sparsityScale: 'lambdaZero', sparsity: 0.05 } },
    'what the topic shares': { knobs: { shared: 0.8 } },
    'pinned and vetoed shots': { ...wishes, knobs: { smoothing: 0.5 } },
    'wishes and a balance': { ...wishes, knobs: { smoothing: 0.5, shared: 0.7 } },
  };
  it.each(Object.entries(cases))('agrees to 1e-9 in both forms: %s', (_, given) => {
    const { shots = X, others = Xt, knobs = {}, pinned = [], vetoed = [] } = given;
    const evidence = evidenceOf(7, shots.rows);
    const problem = withWishes(posed(shots, others, evidence), pinned, vetoed);
    for (const form of ['shots', 'features'] as const) {
      const all = { solver: 'halfQuadratic', smoothing: 0.01, maxIterations: 60, evidence: KAPPA, ...knobs } as const;
      const ours = cvs({ ...all, form }).select(problem);
      const { lambda, epsilon, iterations } = ours.certificate;
      const balance = balanceOf(knobs.shared ?? 0.5);
      const beta = others.rows === 0 ? 0 : lambda * (knobs.consensus ?? 1);
      // Pinned rows belong to the step after the last, whose weights come from the norms the last one found.
      const literal = algorithm1(
        shots,
        others,
        { alpha: 0.5, lambdaS: lambda, lambdaD: knobs.diversity ?? 0.01, beta, epsilon },
        iterations,
        { pinned, vetoed, prices: pricesOf(evidence, all.evidence), weights: [balance.own, balance.shared] },
      );
      const largest = Math.max(...ours.scores);
      ours.scores.forEach((_score, i) => {
        if (pinned.includes(i)) return;
        expect(Math.abs(ours.own[i]! - literal.own[i]!)).toBeLessThanOrEqual(1e-9 * largest);
        expect(Math.abs(ours.shared[i]! - literal.shared[i]!)).toBeLessThanOrEqual(1e-9 * largest);
      });
      ours.trace.forEach(({ objective }, k) =>
        expect(Math.abs(objective - literal.objectives[k]!)).toBeLessThanOrEqual(1e-9 * literal.objectives[0]!),
      );
    }
  });

  it('agrees at the optimum, pinned rows too', () => {
    const evidence = evidenceOf(8, X.rows);
    const problem = withWishes(posed(X, Xt, evidence), wishes.pinned, wishes.vetoed);
    const ours = cvs({ smoothing: 0.5, tolerance: 1e-13, maxIterations: 400, evidence: KAPPA }).select(problem);
    const { lambda, epsilon } = ours.certificate;
    const knobs = { alpha: 0.5, lambdaS: lambda, lambdaD: 0.01, beta: lambda, epsilon };
    const literal = algorithm1(X, Xt, knobs, 400, { ...wishes, prices: pricesOf(evidence) });
    const largest = Math.max(...ours.scores);
    ours.own.forEach((norm, i) => {
      expect(Math.abs(norm - literal.own[i]!)).toBeLessThanOrEqual(1e-9 * largest);
      expect(Math.abs(ours.shared[i]! - literal.shared[i]!)).toBeLessThanOrEqual(1e-9 * largest);
    });
  });

  it('explains a shot by its row of Z̃ there', () => {
    const evidence = evidenceOf(8, X.rows);
    const problem = withWishes(posed(X, Xt, evidence), wishes.pinned, wishes.vetoed);
    const knobs = { sparsity: 0.3, smoothing: 0.2, tolerance: 1e-12, maxIterations: 5000, evidence: KAPPA };
    const ranking = cvs(knobs).select(problem);
    const { lambda, epsilon } = ranking.certificate;
    const literal = { alpha: 0.5, lambdaS: lambda, lambdaD: 0.01, beta: lambda, epsilon };
    const { Zt } = algorithm1(X, Xt, literal, 800, { ...wishes, prices: pricesOf(evidence) });
    const neighbors = [takeRows(Xt, range(0, 11)), takeRows(Xt, range(11, 31))].map((features) => ({ features }));
    for (const shot of [3, 7, 12]) {
      const z = rowOf(Zt, shot);
      explain(
        problem,
        ranking,
        knobs,
      )(shot, neighbors).forEach(({ share, shot: best, weight }, v) => {
        const part = v === 0 ? z.slice(0, 11) : z.slice(11);
        expect(share).toBeCloseTo(dot(part, part) / dot(z, z), 6);
        expect(weight).toBeCloseTo(part[best!]!, 6);
      });
    }
  });
});

const problems = fc
  .record({
    seed: fc.nat(1000),
    shots: fc.integer({ min: 1, max: 20 }),
    others: fc.integer({ min: 0, max: 25 }),
    dim: fc.integer({ min: 2, max: 44 }),
  })
  .map(({ seed, shots, others, dim }) =>
    posed(scenes(seed, shots, dim), scenes(seed + 1, others, dim), evidenceOf(seed + 2, shots)),
  );

const knobs = fc.record({
  contextWeight: fc.constantFrom(0.2, 1),
  diversity: fc.constantFrom(0, 0.1),
  sparsity: fc.constantFrom(0.05, 0.3, 0.8),
  consensus: fc.constantFrom(0, 1, 3),
  shared: fc.constantFrom(0.3, 0.5, 0.8),
  evidence: fc.constantFrom(0.3, 1, 2),
  form: fc.constantFrom('shots' as const, 'features' as const),
});

/** Shots that do not depend on each other: only then the optimum determines every row. */
const isUnique = ({ features }: Problem): boolean => features.cols >= 2 * features.rows;

describe('cvs with prices', () => {
  it.each([
    ['halfQuadratic', 0.01, 'halfQuadratic'],
    ['accelerated', 0.01, 'auto'],
    ['activeSet', 0, 'auto'],
  ] as const)('never lets the objective rise: %s', (name, smoothing, solver) => {
    fc.assert(
      fc.property(problems, knobs, (problem, chosen) => {
        const { trace, certificate } = cvs({ ...chosen, smoothing, solver, maxIterations: 40 }).select(problem);
        expect(certificate.solver).toBe(name);
        trace.slice(1).forEach(({ objective }, k) => {
          expect(objective).toBeLessThanOrEqual(trace[k]!.objective + 1e-12 * Math.abs(trace[0]!.objective));
        });
      }),
      { numRuns: 50 },
    );
  });

  it('proves the optimum: residual met, duality gap closed', () => {
    fc.assert(
      fc.property(problems, knobs, fc.constantFrom(0, 1), (problem, chosen, smoothing) => {
        const tolerance = isUnique(problem) ? 1e-8 : 1e-4;
        const { certificate } = cvs({ ...chosen, smoothing, tolerance }).select(problem);
        expect(certificate).toMatchObject({ converged: true });
        expect(certificate.gap).toBeLessThanOrEqual(isUnique(problem) ? 1e-7 : 1e-3);
      }),
      { numRuns: 80 },
    );
  });

  it('states a gap that no lower point breaks', () => {
    fc.assert(
      fc.property(problems, knobs, fc.constantFrom(0, 0.01, 1), (problem, chosen, smoothing) => {
        const at = (maxIterations: number): CvsRanking =>
          cvs({ ...chosen, shared: 0.5, smoothing, maxIterations, tolerance: 1e-9 }).select(problem);
        const [early, late] = [at(2), at(400)];
        const squares = ({ data }: Matrix): number => data.reduce((sum, value) => sum + value * value, 0);
        const others = problem.neighbors![0]!.features;
        const atZero = (squares(problem.features) + chosen.contextWeight * squares(others)) / 2;
        const lower = early.trace.at(-1)!.objective - early.certificate.gap! * atZero;
        expect(late.trace.at(-1)!.objective).toBeGreaterThanOrEqual(lower - 1e-12 * atZero);
      }),
      { numRuns: 60 },
    );
  });

  it('chooses nothing above λ_max, something just below, with wishes too', () => {
    const wish = fc.constantFrom('pinned', 'vetoed', null, null);
    fc.assert(
      fc.property(problems, knobs, fc.array(wish, { minLength: 20, maxLength: 20 }), (problem, chosen, wishes) => {
        const those = (kind: string): number[] => range(0, problem.features.rows).filter((i) => wishes[i] === kind);
        const wished = withWishes(problem, those('pinned'), those('vetoed'));
        const at = (sparsity: number) => cvs({ ...chosen, sparsity, smoothing: 0, tolerance: 1e-9 }).select(wished).certificate; // prettier-ignore
        // Where the pinned shots span everything, what is left beside them is rounding.
        if (at(1).lambdaMax < 1e-9) return;
        expect(at(1 + 1e-7).active).toBe(0);
        expect(at(1 - 1e-5).active).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });

  it('finds the same optimum in both forms and by both smoothed solvers', () => {
    fc.assert(
      fc.property(problems.filter(isUnique), knobs, (problem, chosen) => {
        const [first, ...rest] = (['shots', 'features'] as const).flatMap((form) =>
          (['auto', 'halfQuadratic'] as const).map((solver) =>
            cvs({ ...chosen, form, solver, smoothing: 1, tolerance: 1e-11, maxIterations: 5000 }).select(problem),
          ),
        );
        for (const other of rest) expectClose(other.scores, first!.scores, 1e-9);
      }),
      { numRuns: 40 },
    );
  });

  it('meets the smoothed optimum as the smoothing goes', () => {
    for (const seed of [1, 2, 3]) {
      const { normal } = random(seed);
      const noise = (rows: number): Matrix => ({
        rows,
        cols: 24,
        data: Float64Array.from({ length: rows * 24 }, normal),
      });
      const problem = posed(noise(12), noise(31));
      const exact = cvs({ sparsity: 0.4, smoothing: 0, tolerance: 1e-10, evidence: 0.4 }).select(problem);
      const smooth = cvs({ sparsity: 0.4, smoothing: 1e-14, tolerance: 1e-8, maxIterations: 5000, evidence: 0.4 }).select(problem); // prettier-ignore
      expect([exact.certificate.converged, smooth.certificate.converged]).toEqual([true, true]);
      expect(exact.certificate.active).toBeGreaterThan(1);
      expect(exact.certificate.active).toBeLessThan(12);
      exact.scores.forEach((score, i) => expect(Math.abs(score - smooth.scores[i]!)).toBeLessThan(5e-6));
    }
  });

  it.each([0, 1])('gives permuted shots permuted scores (smoothing %s)', (smoothing) => {
    fc.assert(
      fc.property(problems.filter(isUnique), knobs, fc.nat(), (problem, chosen, seed) => {
        const order = range(0, problem.features.rows);
        const { below } = random(seed);
        for (let i = order.length - 1; i > 0; i--) {
          const other = below(i + 1);
          [order[i], order[other]] = [order[other]!, order[i]!];
        }
        const permuted = {
          ...problem,
          features: takeRows(problem.features, order),
          evidence: Float64Array.from(order, (shot) => problem.evidence![shot]!),
        };
        const select = cvs({ ...chosen, smoothing, tolerance: 1e-10 }).select;
        const [plain, moved] = [select(problem).scores, select(permuted).scores];
        expectClose(moved, Float64Array.from(order, (shot) => plain[shot]!), 1e-8); // prettier-ignore
      }),
      { numRuns: 30 },
    );
  });

  it.each([0, 1])('takes a constant added to all evidence as another λ, and no other change (smoothing %s)', (smoothing) => {
    fc.assert(
      fc.property(problems.filter(isUnique), knobs, fc.constantFrom(-1, 0.5, 2), (problem, chosen, shift) => {
        const raised = { ...problem, evidence: problem.evidence!.map((e) => e + shift) };
        const at = (sparsity: number, given: Problem) =>
          cvs({ ...chosen, smoothing, sparsityScale: 'absolute', sparsity, tolerance: 1e-10 }).select(given).scores;
        expectClose(at(0.2, raised), at(0.2 * Math.exp(-chosen.evidence * shift), problem), 1e-8);
        // As a share of λ_max it is no change at all.
        const share = (given: Problem) => cvs({ ...chosen, smoothing, tolerance: 1e-10 }).select(given).scores;
        expectClose(share(raised), share(problem), 1e-8);
      }),
      { numRuns: 30 },
    );
  }); // prettier-ignore

  it('is without evidence, or with κ = 0, the same to the byte', () => {
    const { evidence: _, ...plain } = posed(X, Xt);
    for (const smoothing of [0, 2]) {
      expect(cvs({ smoothing, evidence: 0 }).select(posed(X, Xt))).toEqual(cvs({ smoothing }).select(plain));
      expect(cvs({ smoothing, evidence: 3 }).select(plain)).toEqual(cvs({ smoothing }).select(plain));
    }
  });

  it('chooses by hand: two shots at right angles, the shorter one cheaper', () => {
    // Each row alone minimises ½s²(1−z)² + wλs|z|: z = 1 − wλs/s², with s² = 4 and 1, w = 2 and ½.
    const shots = matrixOf([[2, 0], [0, 1]]); // prettier-ignore
    const problem = { ...problemOf(shots, null), evidence: Float64Array.of(-Math.log(2), Math.log(2)) };
    const knobs = { diversity: 0, sparsity: 1.2, sparsityScale: 'absolute', smoothing: 0, tolerance: 1e-10, evidence: 1 } as const; // prettier-ignore
    const { own, order, certificate } = cvs({ ...knobs, consensus: 0 }).select(problem);
    expect([...own]).toEqual([expect.closeTo(1 - 2.4 / 4, 8), expect.closeTo(1 - 0.6, 8)]);
    // ‖B_i‖/w_i = 4/2 and 1/½.
    expect(certificate.lambdaMax).toBeCloseTo(2, 12);
    expect(order).toEqual([0, 1]);
  });

  it('ranks shots without importance by the λ at which they would enter at their price', () => {
    const shots = matrixOf([[1, 0, 0], [0, 0.5, 0], [0, 0, 0.8]]); // prettier-ignore
    const order = (evidence: number[]) =>
      cvs({ sparsity: 0.9, diversity: 0, smoothing: 0, evidence: 1 }).select({
        ...problemOf(shots, null),
        evidence: Float64Array.from(evidence),
      }).order;
    // ‖B_i‖ = 1, 0.25 and 0.64.
    expect(order([0, 0, 0])).toEqual([0, 2, 1]);
    expect(order([0, 1, 0])).toEqual([0, 1, 2]);
  });
});

describe('identical shots', () => {
  const twice = matrixOf([...rowsOf(X), ...rowsOf(X)]);
  const select = (evidence: Float64Array, smoothing: number) =>
    cvs({ sparsity: 0.3, smoothing, evidence: 1, tolerance: 1e-9 }).select(posed(twice, Xt, evidence));

  it('of one price share their row; of two prices the cheaper carries it, wherever it comes', () => {
    const base = evidenceOf(3, 18);
    // Shots 0 to 5 are cheaper the first time, 6 to 11 the second time; the others cost the same.
    const evidence = Float64Array.from({ length: 36 }, (_, i) => {
      const [shot, isSecond] = [i % 18, i >= 18];
      return base[shot]! - (shot < 6 && isSecond ? 0.1 : 0) - (shot >= 6 && shot < 12 && !isSecond ? 0.1 : 0);
    });
    const { scores, certificate } = select(evidence, 0);
    expect(certificate.converged).toBe(true);
    expect(certificate.active).toBeGreaterThan(2);
    for (let i = 0; i < 6; i++) expect(scores[i + 18]).toBe(0);
    for (let i = 6; i < 12; i++) expect(scores[i]).toBe(0);
    for (let i = 12; i < 18; i++) expect(scores[i]).toBe(scores[i + 18]);
    // The dearer ones might as well not be there: the objective is that of a problem in which they are vetoed.
    const dearer = [...range(6, 12), ...range(18, 24)];
    const without = cvs({ sparsity: 0.3, smoothing: 0, evidence: 1, tolerance: 1e-9 }).select(
      withWishes(posed(twice, Xt, evidence), [], dearer),
    );
    expect(without.certificate.lambdaMax).toBe(certificate.lambdaMax);
    expectClose(scores, without.scores, 1e-6);
  });

  it('share by price where rows are smoothed: the cheaper has more', () => {
    const evidence = Float64Array.from({ length: 36 }, (_, i) => (i < 18 ? 0.2 : -0.2));
    const { scores } = select(evidence, 1);
    for (let i = 0; i < 18; i++) expect(scores[i]).toBeGreaterThan(scores[i + 18]!);
  });
});

describe('evidence is passed on', () => {
  const videos = [30, 7, 19].map((shots, seed) => posed(scenes(seed, shots, 16), scenes(9, 20, 16)));
  const choice = { method: 'cvs', knobs: { evidence: 1 } } as const;
  const expected = videos.map((problem) => cvs({ evidence: 1 }).select(problem));

  it('to threads, once and again, and when it alone changes', async () => {
    for (const workers of [0, 2]) expect(await solveAll(videos, choice, { workers })).toEqual(expected);
    const other = videos.map((problem) => ({ ...problem, evidence: problem.evidence!.map((e) => -e) }));
    const solvers = openSolvers(1);
    try {
      for (const given of [videos, videos, other, other, videos])
        expect(await solvers.solve(given, choice)).toEqual(
          given.map((problem) => cvs({ evidence: 1 }).select(problem)),
        );
    } finally {
      await solvers.close();
    }
  });

  it('along the whole range of shared, and to a video alone', () => {
    const at = cvsAcross(videos[0]!, { evidence: 1 });
    for (const shared of [0.1, 0.5, 0.9]) expect(at(shared)).toEqual(cvs({ evidence: 1, shared }).select(videos[0]!));
    const alone = cvsAlone({ evidence: 1 }).select(videos[0]!);
    expect(alone.order).not.toEqual(cvsAlone({ evidence: 0 }).select(videos[0]!).order);
    expect(alone.certificate.converged).toBe(true);
  });

  it('only if there is a number for each shot, and none is out of all proportion', () => {
    const wrong = (evidence: number[]) => () =>
      cvs({ evidence: 2 }).select({ ...problemOf(X, null), evidence: Float64Array.from(evidence) });
    expect(wrong([1, 2])).toThrow('Expected evidence for each of 18 shots, found 2 numbers.');
    expect(wrong([...new Float64Array(17), 11])).toThrow('found 22 for shot 17');
    expect(wrong([NaN, ...new Float64Array(17)])).toThrow('found NaN for shot 0');
    expect(() => cvs({ evidence: -1 })).toThrow(/zero or more/);
  });
});

function expectClose(found: Float64Array, wanted: Float64Array, relative: number): void {
  const largest = Math.max(...wanted);
  found.forEach((value, i) => expect(Math.abs(value - wanted[i]!)).toBeLessThanOrEqual(relative * largest));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, k) => from + k);
}

function rowsOf(A: Matrix): Float64Array[] {
  return Array.from({ length: A.rows }, (_, i) => rowOf(A, i));
}

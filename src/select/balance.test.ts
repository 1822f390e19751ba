import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Matrix, random, transpose, zeros } from '../base/index.js';
import { momentOf, problemOf, problemsOfTopic, withWishes } from '../topic/index.js';
import { algorithm1, dot, eliminate, type LiteralWishes, scenes, table } from './algorithm1.case.js';
import { balanceOf } from './penalty.js';
import { cvs, cvsAcross, type CvsKnobs, explain } from './index.js';

const X = scenes(1, 14, 24);
const Xt = scenes(2, 31, 24);

/**
 * The features as the own half sees them, from the definition: what is left of each shot when the others, seen in the span
 * of the shots, help to rebuild it at the price ρ. Gram matrix G − C(CᵀG⁻¹C + ρI)⁻¹Cᵀ, C = XᵀX̃, then a plain Cholesky.
 */
function leftBy(X: Matrix, Xt: Matrix, discount: number): Matrix {
  const [G, C] = [table(X, X, dot), table(X, Xt, dot)];
  const inner = product(transpose(C), eliminate(G, C));
  const energy = Xt.data.reduce((sum, value) => sum + value * value, 0);
  for (let j = 0; j < inner.rows; j++) inner.data[j * inner.cols + j]! += energy / discount;
  const taken = product(C, eliminate(inner, transpose(C)));
  const gram = { ...G, data: G.data.map((value, at) => value - taken.data[at]!) };
  const R = zeros(X.rows, X.rows);
  for (let i = 0; i < X.rows; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = gram.data[i * X.rows + j]!;
      for (let k = 0; k < j; k++) sum -= R.data[i * X.rows + k]! * R.data[j * X.rows + k]!;
      R.data[i * X.rows + j] = i === j ? Math.sqrt(sum) : sum / R.data[j * X.rows + j]!;
    }
  }
  return R;
}

function product(A: Matrix, B: Matrix): Matrix {
  return table(A, transpose(B), dot);
}

const settled = { solver: 'halfQuadratic', smoothing: 0.5, tolerance: 1e-13, maxIterations: 200 } as const;

describe('own against shared, held against the literal Algorithm 1 with weights', () => {
  const wished: LiteralWishes = { pinned: [2, 9], vetoed: [0, 7] };
  const cases = [0, 0.1, 0.3, 0.5, 0.7, 1].flatMap((shared) => [{}, wished].map((wishes) => ({ shared, wishes })));
  it.each(cases)('agrees in both forms: shared $shared, wishes $wishes', ({ shared, wishes }) => {
    const problem = withWishes(problemOf(X, momentOf(Xt)), wishes.pinned ?? [], wishes.vetoed ?? []);
    const [shots, features] = (['shots', 'features'] as const).map((form) =>
      cvs({ ...settled, form, shared }).select(problem),
    );
    const { lambda, epsilon } = shots!.certificate;
    const { own, shared: others, discount } = balanceOf(shared);
    const literal = algorithm1(X, Xt, { alpha: 0.5, lambdaS: lambda, lambdaD: 0.01, beta: lambda, epsilon }, 200, {
      ...wishes,
      // A half without weight and without penalty has no pinned rows to speak of: any row is as good as none.
      weights: [own || 1e-9, others || 1e-9],
      ...(discount > 0 ? { ownFeatures: leftBy(X, Xt, discount) } : {}),
    });
    for (const ours of [shots!, features!]) {
      const largest = Math.max(...ours.scores);
      ours.own.forEach((norm, i) => {
        if (own > 0) expect(Math.abs(norm - literal.own[i]!)).toBeLessThanOrEqual(1e-7 * largest);
        if (others > 0) expect(Math.abs(ours.shared[i]! - literal.shared[i]!)).toBeLessThanOrEqual(1e-7 * largest);
      });
      const [left, right] = [ours.trace.at(-1)!.objective, literal.objectives.at(-1)!];
      expect(Math.abs(left - right)).toBeLessThanOrEqual(1e-7 * right);
    }
  });
});

describe('own against shared', () => {
  const problem = problemOf(X, momentOf(Xt));

  it('is the paper at one half, to the bit', () => {
    expect(balanceOf(0.5)).toEqual({ own: 1, shared: 1, discount: 0 });
    const { shared: _, ...knobs } = { ...settled, shared: 0 };
    expect(cvs({ ...knobs, shared: 0.5 }).select(problem)).toEqual(cvs(knobs).select(problem));
  });

  it('is at 0 the video alone, seen as what the others leave of it, and at 1 the others alone', () => {
    const only = cvs({ ...settled, shared: 0 }).select(problem);
    const alone = cvs(settled).select(problemOf(leftBy(X, Xt, balanceOf(0).discount), null));
    only.own.forEach((norm, i) => expect(norm).toBeCloseTo(alone.own[i]!, 8));
    expect([...only.shared].every((norm) => norm === 0)).toBe(true);
    // The others are there, so the whole penalty is λs + β = 2λs; of a video alone it is λs.
    expect(2 * only.certificate.lambdaMax).toBeCloseTo(alone.certificate.lambdaMax, 10);
    const common = cvs({ ...settled, shared: 1 }).select(problem);
    expect([...common.own].every((norm) => norm === 0)).toBe(true);
    expect([...common.shared].some((norm) => norm > 0)).toBe(true);
  });

  it.each([0, 1])('comes to its end without a jump: %s', (end) => {
    const near = cvs({ ...settled, shared: Math.abs(end - 1e-4) }).select(problem);
    const there = cvs({ ...settled, shared: end }).select(problem);
    const largest = Math.max(...there.scores);
    there.scores.forEach((score, i) => expect(Math.abs(score - near.scores[i]!)).toBeLessThan(1e-3 * largest));
  });

  it('means nothing for a video without others', () => {
    const alone = problemOf(X, null);
    expect(cvs({ shared: 0 }).select(alone)).toEqual(cvs({ shared: 1 }).select(alone));
  });

  it('is refused outside 0 to 1', () => {
    expect(() => cvs({ shared: 1.1 })).toThrow('"shared" to be from 0 to 1');
  });

  it('can be tried value by value, with the same bits as one by one', () => {
    for (const similarity of ['inner', 'cosine'] as const) {
      const knobs = { sparsity: 0.4, similarity };
      const at = cvsAcross(problem, knobs);
      for (const shared of [0, 0.35, 0.5, 1]) expect(at(shared)).toEqual(cvs({ ...knobs, shared }).select(problem));
    }
  });

  it('keeps its proofs at every value: gap closed, λ_max the edge, forms agreed', { tags: 'slow' }, () => {
    const knobs = fc.record({
      shared: fc.constantFrom(0, 0.05, 0.2, 0.4, 0.6, 0.9, 1),
      consensus: fc.constantFrom(0, 1, 3),
      diversity: fc.constantFrom(0, 0.05),
      contextWeight: fc.constantFrom(0.3, 1, 4),
    });
    fc.assert(
      fc.property(fc.nat(500), knobs, (seed, chosen) => {
        const given = problemOf(scenes(seed, 12, 30), momentOf(scenes(seed + 1, 20, 30)));
        const at = (more: Partial<CvsKnobs>) => cvs({ ...chosen, tolerance: 1e-8, ...more }).select(given);
        for (const smoothing of [0, 1]) {
          const [shots, features] = (['shots', 'features'] as const).map((form) => at({ form, smoothing }));
          for (const { certificate } of [shots!, features!]) {
            expect(certificate.converged).toBe(true);
            expect(certificate.gap).toBeLessThanOrEqual(1e-7);
          }
          const largest = Math.max(...shots!.scores);
          shots!.scores.forEach((score, i) =>
            expect(Math.abs(score - features!.scores[i]!)).toBeLessThanOrEqual(1e-6 * largest),
          );
        }
        expect(at({ smoothing: 0, sparsity: 1 + 1e-7 }).certificate.active).toBe(0);
        expect(at({ smoothing: 0, sparsity: 1 - 1e-5 }).certificate.active).toBeGreaterThan(0);
      }),
      { numRuns: 25 },
    );
  });

  it('explains a shot by the same row as the literal algorithm', () => {
    const knobs = { ...settled, shared: 0.3 };
    const ranking = cvs(knobs).select(problem);
    const { lambda, epsilon } = ranking.certificate;
    const { own, shared, discount } = balanceOf(0.3);
    const literal = { alpha: 0.5, lambdaS: lambda, lambdaD: 0.01, beta: lambda, epsilon };
    const { Zt } = algorithm1(X, Xt, literal, 200, { weights: [own, shared], ownFeatures: leftBy(X, Xt, discount) });
    const shot = ranking.order[0]!;
    const row = Zt.data.slice(shot * Zt.cols, (shot + 1) * Zt.cols);
    const [reason] = explain(problem, ranking, knobs)(shot, [{ features: Xt }]);
    expect(reason!.weight).toBeCloseTo(row[reason!.shot!]!, 8);
    expect(Math.abs(reason!.weight!)).toBeCloseTo(Math.max(...row.map(Math.abs)), 8);
  });
});

describe('own against shared on planted scenes', () => {
  // Capitals are scenes of every video, small letters of one alone; all have something in common, as real shots do.
  const plans = ['AAAABBBBCCCCpppp', 'AAABBBBBCCqqqqqq', 'AABBCCCCCCrrrr', 'AAAAABBBCssss', 'ABBBBCCCCtttttt'];
  const planted = (seed: number, dim: number): Matrix[] => {
    const { normal } = random(seed);
    const draw = (scale: number): Float64Array => Float64Array.from({ length: dim }, () => scale * Math.abs(normal()));
    const common = draw(0.7);
    const centres = new Map([...new Set(plans.join(''))].map((scene) => [scene, draw(1)]));
    return plans.map((plan) => {
      const video = zeros(plan.length, dim);
      [...plan].forEach((scene, i) => {
        const row = common.map((value, k) => Math.max(0, value + centres.get(scene)![k]! + 0.35 * normal()));
        video.data.set(row.map((value) => value / Math.hypot(...row)), i * dim);
      });
      return video;
    });
  }; // prettier-ignore
  const values = Array.from({ length: 21 }, (_, k) => k / 20);

  it.each([1, 2, 3, 4, 5, 6])('the part of shared scenes never falls as the knob rises, from none to all (%s)', (seed) => {
    for (const dim of [48, 256]) {
      const parts = values.map(() => 0);
      problemsOfTopic(planted(seed, dim), 'moment').forEach((problem, video) => {
        const at = cvsAcross(problem);
        const isPrivate = (shot: number): boolean => /[a-z]/.test(plans[video]![shot]!);
        const room = [...plans[video]!].filter((_, shot) => isPrivate(shot)).length;
        values.forEach((shared, k) => (parts[k]! += at(shared).order.slice(0, room).filter((shot) => !isPrivate(shot)).length));
      });
      expect(parts).toEqual(parts.toSorted((a, b) => a - b));
      expect([parts[0], parts.at(-1)]).toEqual([0, 24]);
    }
  }); // prettier-ignore

  it('without the discount the low end would not tell private scenes from shared ones', () => {
    const found = problemsOfTopic(planted(1, 48), 'none').map((problem, video) => {
      const room = plans[video]!.match(/[a-z]/g)!.length;
      return cvs().select(problem).order.slice(0, room).filter((shot) => /[A-Z]/.test(plans[video]![shot]!)).length;
    }); // prettier-ignore
    expect(found.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(8);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cholesky, innerProduct, rowSquares, solveCholesky, stackRows, zeros } from '../base/index.js';
import { momentOf, problemOf } from '../topic/index.js';
import { scenes } from './algorithm1.case.js';
import { balanceOf } from './penalty.js';
import { cvs, cvsDefaults } from './index.js';
import { reduce } from './reduce.js';

describe('one solve', () => {
  it('knows ⟨B,Z⟩ and its leverages in both forms, with pins and at any balance', () => {
    const cases = fc.record({
      seed: fc.nat(1000),
      shots: fc.integer({ min: 2, max: 14 }),
      dim: fc.integer({ min: 2, max: 10 }),
      form: fc.constantFrom('shots' as const, 'features' as const),
      contextWeight: fc.constantFrom(0, 0.5, 1),
      shared: fc.constantFrom(0, 0.3, 0.5, 1),
      pinned: fc.constantFrom([], [1]),
      weights: fc.array(fc.constantFrom(1e-4, 0.1, 1, 50), { minLength: 14, maxLength: 14 }),
    });
    fc.assert(
      fc.property(cases, ({ seed, shots, dim, form, contextWeight, shared, pinned, weights }) => {
        const context = momentOf(scenes(seed + 1, 9, dim));
        const problem = { ...problemOf(scenes(seed, shots, dim), context), pinned };
        const reduced = reduce(problem, { ...cvsDefaults, form, contextWeight }, shared >= 0.5)(balanceOf(shared));
        const rows = reduced.candidates.map((_, i) => i);
        const L = Float64Array.from(weights.slice(0, rows.length));
        for (const half of [reduced.own, reduced.shared]) {
          const { linear, rows: blocks, leverages } = half.solve(L);
          const [Z, B, G] = [stackRows([...blocks()]), half.targets(rows), half.gramAmong(rows)];
          expect(Math.abs(linear - innerProduct(B, Z))).toBeLessThanOrEqual(1e-11 * (1 + 2 * half.atZero));
          expect([...half.targetNorms]).toEqual([...rowSquares(B)].map((square) => expect.closeTo(Math.sqrt(square), 12)));
          if (B.cols === 0) continue;
          const A = zeros(rows.length, rows.length);
          for (const i of rows) for (const j of rows) A.data[i * A.cols + j] = G.data[i * A.cols + j]! + (i === j ? L[i]! : 0);
          const direct = solveCholesky(cholesky(A), G);
          leverages().forEach((leverage, i) => expect(leverage).toBeCloseTo(direct.data[i * A.cols + i]!, 9));
        }
      }),
      { numRuns: 200 },
    ); // prettier-ignore
  });
});

describe('a video alone, little smoothed, where plain steps converge slowly', () => {
  it.each(['shots', 'features'] as const)(
    'takes a few dozen stretched steps to the same optimum (%s)',
    { tags: 'slow' },
    (form) => {
      const problem = problemOf(scenes(1, 160, 60), null);
      const knobs = { form, smoothing: 0.3, sparsity: 0.3, maxIterations: 3000 };
      const [plain, stretched] = [cvs({ ...knobs, solver: 'halfQuadratic' }), cvs(knobs)].map((each) => each.select(problem)); // prettier-ignore
      expect([plain!.certificate.converged, stretched!.certificate.converged]).toEqual([true, true]);
      expect(stretched!.certificate.iterations).toBeLessThan(30);
      expect(plain!.certificate.iterations).toBeGreaterThan(4 * stretched!.certificate.iterations);
      const [low, lower] = [plain!.trace.at(-1)!.objective, stretched!.trace.at(-1)!.objective];
      expect(Math.abs(low - lower)).toBeLessThanOrEqual(2e-6 * low);
      stretched!.trace.forEach(({ objective }, k, trace) => {
        if (k > 0) expect(objective).toBeLessThanOrEqual(trace[k - 1]!.objective);
      });
    },
  );
});

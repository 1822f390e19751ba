import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixOf, rowOf, zeros } from '../base/index.js';
import { momentOf, problemOf, withWishes } from '../topic/index.js';
import { algorithm1, dot, scenes } from './algorithm1.case.js';
import { createSelector, cvs, METHOD_NAMES, methods, pooledChoice, random, uniform } from './index.js';
import { checkSelector } from './selector.case.js';

const AT_ONCE = { reason: 'it does not iterate', tests: ['stops' as const] };
const PLACES = { reason: 'it goes by places, not by content', tests: ['permutes' as const, 'no content' as const] };
checkSelector(() => createSelector({ method: 'cvs-neighborhood' }));
checkSelector(() => createSelector({ method: 'cvs-diversity' }));
checkSelector(() => createSelector({ method: 'cvs-paper' }));
checkSelector(random, { skip: [AT_ONCE, PLACES] });
checkSelector(uniform, { skip: [AT_ONCE, PLACES] });

describe('methods', () => {
  it('go by the name they are asked for', () => {
    for (const method of METHOD_NAMES) expect(createSelector({ method }).name).toBe(method);
    expect(Object.keys(methods)).toEqual([...METHOD_NAMES]);
  });

  it('leave out what their name leaves out', () => {
    const features = matrixOf([[1, 0.2], [0.9, 0.1], [0, 1]]); // prettier-ignore
    const others = matrixOf([[0, 1], [0.1, 1]]); // prettier-ignore
    const topic = problemOf(features, momentOf(others));
    const alone = createSelector({ method: 'cvs-neighborhood', knobs: { smoothing: 2, sparsity: 0.5 } });
    expect(alone.select(topic)).toEqual(cvs().select(problemOf(features, null)));
    const plain = createSelector({ method: 'cvs-diversity', knobs: { diversity: 0.2 } });
    expect(plain.select(topic).scores).toEqual(cvs({ diversity: 0 }).select(topic).scores);
    expect(plain.select(topic).scores).not.toEqual(cvs({ diversity: 0.2 }).select(topic).scores);
  });
});

describe('cvs-paper', () => {
  const [X, Xt] = [scenes(1, 18, 24), scenes(2, 31, 24)];
  const topic = { ...problemOf(X, momentOf(Xt)), evidence: Float64Array.from({ length: 18 }, (_, i) => i / 9 - 1) };

  it(
    'is eq. 5 as printed, solved by the literal Algorithm 1: λs = β = λ0/γ, a fixed ε, no prices',
    { tags: 'slow' },
    () => {
      const { own, shared, scores } = createSelector({
        method: 'cvs-paper',
        knobs: { tolerance: 1e-12, maxIterations: 3000 },
      }).select(topic);
      const rows = Array.from({ length: 18 }, (_, i) => rowOf(X, i));
      const lambdaZero = Math.max(...rows.map((x) => Math.hypot(...rows.map((y) => dot(x, y)))));
      const lambdaS = lambdaZero / 50;
      const knobs = { alpha: 0.5, lambdaS, lambdaD: 0.01, beta: lambdaS, epsilon: 1e-4 };
      const literal = algorithm1(X, Xt, knobs, 3000, { objective: false });
      const largest = Math.max(...scores);
      own.forEach((norm, i) => {
        expect(Math.abs(norm - literal.own[i]!)).toBeLessThan(1e-8 * largest);
        expect(Math.abs(shared[i]! - literal.shared[i]!)).toBeLessThan(1e-8 * largest);
      });
    },
  );

  it('keeps its settings in a pool, and takes others where they are given', () => {
    const alone = {
      sparsity: 1 / 50,
      sparsityScale: 'lambdaZero',
      smoothing: 1e-4,
      smoothingScale: 'absolute',
      evidence: 0,
    } as const;
    expect(createSelector(pooledChoice({ method: 'cvs-paper' })!).select(topic)).toEqual(
      cvs({ ...alone, contextWeight: 0 }).select({ ...topic, context: null }),
    );
    const given = createSelector({ method: 'cvs-paper', knobs: { sparsity: 0.1, evidence: 1 } });
    expect(given.select(topic)).toEqual(cvs({ ...alone, sparsity: 0.1, evidence: 1 }).select(topic));
  });
});

describe('methods that compare shot with shot', () => {
  it('refuse a moment alone instead of ranking as if there were no others', () => {
    const features = matrixOf([[1, 0], [0, 1]]); // prettier-ignore
    for (const method of METHOD_NAMES.filter((name) => methods[name].others === 'shots')) {
      const select = (): unknown => createSelector({ method }).select(problemOf(features, momentOf(features)));
      expect(select, method).toThrow('only the moment');
    }
  });
});

describe('uniform', () => {
  const orderOf = (shots: number): readonly number[] => uniform().select(problemOf(zeros(shots, 2), null)).order;

  it('halves the longest stretch, the earlier one first', () => {
    expect(orderOf(7)).toEqual([3, 1, 5, 0, 2, 4, 6]);
    expect(orderOf(4)).toEqual([1, 2, 0, 3]);
  });

  it('divides the film at pinned shots, and takes the shot nearest a vetoed middle', () => {
    const wished = (pinned: number[], vetoed: number[]): readonly number[] =>
      uniform().select(withWishes(problemOf(zeros(7, 2), null), pinned, vetoed)).order;
    // Shot 1 divides 0 and 2 to 6; the middle of the longer stretch is 4, then 2 to 3 and 5 to 6 wait.
    expect(wished([1], [])).toEqual([1, 4, 2, 5, 0, 3, 6]);
    expect(wished([], [3])).toEqual([2, 4, 0, 5, 1, 6, 3]);
  });

  it('never leaves a stretch twice as long as another', () => {
    const chosen = orderOf(100).slice(0, 31).toSorted((a, b) => a - b); // prettier-ignore
    const gaps = chosen.map((shot, i) => shot - (chosen[i - 1] ?? -1));
    expect(Math.max(...gaps) / Math.min(...gaps)).toBeLessThanOrEqual(2);
  });

  /** The definition, step by step: looks through all stretches, and all shots of the longest, for every shot it takes. */
  function byDefinition(shots: number, pinned: readonly number[], vetoed: readonly number[]): number[] {
    const order = pinned.toSorted((a, b) => a - b);
    const borders = [-1, ...order, shots];
    const waiting = borders.slice(1).map((end, k) => ({ start: borders[k]! + 1, end }));
    while (waiting.length > 0) {
      waiting.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
      const { start, end } = waiting.shift()!;
      const middle = Math.floor((start + end - 1) / 2);
      const free = Array.from({ length: end - start }, (_, k) => start + k).filter((shot) => !vetoed.includes(shot));
      const [taken] = free.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle) || a - b);
      if (taken === undefined) continue;
      order.push(taken);
      waiting.push({ start, end: taken }, { start: taken + 1, end });
    }
    return [...order, ...vetoed.toSorted((a, b) => a - b)];
  }

  it('ranks as its definition does, whatever the wishes', () => {
    const wishes = fc.array(fc.constantFrom('pinned', 'vetoed', 'none', 'none'), { maxLength: 60 });
    fc.assert(
      fc.property(wishes, (wished) => {
        const [pinned, vetoed] = ['pinned', 'vetoed'].map((kind) =>
          [...wished.keys()].filter((shot) => wished[shot] === kind),
        );
        const problem = withWishes(problemOf(zeros(wished.length, 2), null), pinned!, vetoed!);
        expect(uniform().select(problem).order).toEqual(byDefinition(wished.length, pinned!, vetoed!));
      }),
      { numRuns: 500 },
    );
  });

  it('ranks long films as its definition does', () => {
    for (const shots of [100, 255, 256, 257, 1000]) expect(orderOf(shots)).toEqual(byDefinition(shots, [], []));
  });
});

describe('random', () => {
  const draw = (seed: number): readonly number[] => random({ seed }).select(problemOf(zeros(6, 2), null)).order;

  it('puts every shot first about equally often', () => {
    const counts = new Float64Array(6);
    for (let seed = 0; seed < 6000; seed++) counts[draw(seed)[0]!]!++;
    // Five standard deviations of a fair draw.
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(6000 * (1 / 6) * (5 / 6)));
  });

  it('changes with the seed', () => expect(draw(1)).not.toEqual(draw(2)));
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, outerGram, random, rowOf, takeRows, zeros } from '../../base/index.js';
import { problemOf, withWishes } from '../../topic/index.js';
import { dot, scenes } from '../algorithm1.case.js';
import { newDictionary, lasso } from './livelight.js';
import { livelight, type LivelightKnobs, type Ranking } from '../index.js';
import { checkSelector } from '../selector.case.js';

const ORDER = {
  reason: 'what is new depends on what came before',
  tests: ['permutes' as const],
};
checkSelector(livelight, { skip: [ORDER] });
checkSelector(() => livelight({ atoms: 3 }), { skip: [ORDER] });

const select = (X: Matrix, knobs: Partial<LivelightKnobs> = {}): Ranking => livelight(knobs).select(problemOf(X, null));
const keptOf = ({ scores }: Ranking): number[] => [...scores.keys()].filter((i) => scores[i]! > 0);

describe('livelight', () => {
  it('agrees with four shots solved by hand', () => {
    const X = matrixOf([[1, 0], [3, 4], [2, 0], [4, 3]]); // prettier-ignore
    const ranking = select(X, { sparsity: 0.1 });
    // Shot 1 over (1, 0): a = 0.6 − 0.1. Shot 2 over both atoms: a = (0.9, 0), the second is met with 0.06 only.
    // Shot 3: (1, 0.6; 0.6, 1)·a = (0.7, 0.86) gives a = (0.2875, 0.6875), rebuilt as (0.7, 0.55).
    [1, 0.65, 0, 0].forEach((score, i) => expect(ranking.scores[i]).toBeCloseTo(score, 11));
    expect(ranking.order).toEqual([0, 1, 3, 2]);
    const costs = [0.5, 0.325 + 0.05, 0.005 + 0.09, 0.00625 + 0.0975];
    costs.forEach((_, shot) => {
      const mean = costs.slice(0, shot + 1).reduce((sum, cost) => sum + cost, 0) / (shot + 1);
      expect(ranking.trace[shot]!.objective).toBeCloseTo(mean, 11);
      expect(ranking.trace[shot]!.residual).toBe(1 - (shot + 1) / 4);
    });
    expect(ranking.certificate).toEqual({ iterations: 4, converged: true, residual: 0 });
  });

  it('learns with a full dictionary as solved by hand', () => {
    // One atom d leaves 1 + λ² − (d·x)² of x over. It begins as (1, 0) with A = 0.81, b = (0.9, 0). After shot 1 A = 1.06,
    // b = (0.9, 0) + 0.5·(0.6, 0.8), and b/A is brought back to length one: d = (1.2, 0.4)/√1.6, d·x = 1.04/√1.6.
    const { scores } = select(matrixOf([[1, 0], [3, 4], [3, 4]]), { sparsity: 0.1, atoms: 1 }); // prettier-ignore
    [1, 1.01 - 0.36, 1.01 - 1.04 ** 2 / 1.6].forEach((score, i) => expect(scores[i]).toBeCloseTo(score, 11));
  });

  /** One scene with small changes, and other scenes where asked for. */
  function film(shots: number, events: Readonly<Record<number, number>>): Matrix {
    const { normal } = random(7);
    const centres = Array.from({ length: 4 }, () => Float64Array.from({ length: 40 }, () => Math.abs(normal())));
    return matrixOf(
      Array.from({ length: shots }, (_, i) => centres[events[i] ?? 0]!.map((value) => value + 0.1 * normal())),
    );
  }

  it('keeps the first shot and what is new, when it comes', () => {
    expect(keptOf(select(film(300, { 60: 1, 150: 2, 299: 3 })))).toEqual([0, 60, 150, 299]);
  });

  it('scores a repeated shot as not new', () => {
    expect(keptOf(select(film(100, { 20: 1, 40: 2, 60: 1, 80: 2, 90: 3 })))).toEqual([0, 20, 40, 90]);
  });

  it('keeps everything at threshold 0 and only the first shot at 1', () => {
    const X = scenes(5, 30, 16);
    expect(keptOf(select(X, { threshold: 0 }))).toEqual([...Array(30).keys()]);
    expect(keptOf(select(X, { threshold: 1 }))).toEqual([0]);
    expect(keptOf(select(matrixOf([[1, 0], [1, 0], [1, 0]]), { threshold: 0 }))).toEqual([0, 1, 2]); // prettier-ignore
  });

  it('ranks what is not new by what was left over', () => {
    const X = scenes(6, 40, 16);
    const [high, highest] = [select(X, { threshold: 0.9 }), select(X, { threshold: 1 })];
    expect(keptOf(high)).toEqual([0]);
    expect(high.order).toEqual(highest.order);
    const left = [...Array(40).keys()].slice(1).map((i) => ({ i, cosine: cosine(rowOf(X, 0), rowOf(X, i)) }));
    expect(high.order).toEqual([0, ...left.sort((p, q) => p.cosine - q.cosine).map(({ i }) => i)]);
  });

  it('never looks ahead', () => {
    const X = scenes(8, 60, 20);
    const [whole, started] = [select(X, { atoms: 8 }), select(takeRows(X, [...Array(25).keys()]), { atoms: 8 })];
    expect(whole.scores.slice(0, 25)).toEqual(started.scores);
  });

  it('does not depend on the length of the feature vectors, and passes over those without one', () => {
    const X = scenes(9, 20, 12);
    const scaled = { ...X, data: X.data.map((value, at) => value * (1 + (Math.floor(at / 12) % 5))) };
    select(X).scores.forEach((score, i) => expect(select(scaled).scores[i]).toBeCloseTo(score, 11));
    const led = matrixOf([new Float64Array(12), ...Array.from({ length: 20 }, (_, i) => rowOf(X, i))]);
    expect([...select(led).scores]).toEqual([0, ...select(X).scores]);
  });

  it('puts shots it was not shown last, in the order of the film', () => {
    const X = scenes(5, 12, 16);
    const { order, scores, certificate, trace } = livelight({ threshold: 0.9 }).select(
      problemOf(X, null),
      ({ iteration }) => (iteration === 5 ? 'stop' : undefined),
    );
    expect(trace.length).toBe(5);
    expect(certificate).toEqual({ iterations: 5, converged: false, residual: 1 - 5 / 12 });
    expect(order.slice(5)).toEqual([5, 6, 7, 8, 9, 10, 11]);
    expect([...scores].slice(1)).toEqual(Array(11).fill(0));
  });

  it.each([{ threshold: -1 }, { threshold: NaN }, { atoms: 0 }, { atoms: 1.5 }, { sparsity: 0 }, { sparsity: 1 }])(
    'refuses %o',
    (knobs) => {
      expect(() => livelight(knobs)).toThrow(expect.objectContaining({ code: 'bad-knob' }));
    },
  );
});

describe('lasso', () => {
  it('shrinks each coefficient by λ where atoms are at right angles', () => {
    const { code, error } = lasso(matrixOf([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), Float64Array.of(0.8, -0.6, 0.05), 0.1); // prettier-ignore
    [0.7, -0.5, 0].forEach((weight, j) => expect(code[j]).toBeCloseTo(weight, 11));
    expect(error).toBeCloseTo(1 - (0.7 * 0.9 + 0.5 * 0.7), 11);
  });

  it('meets its optimality conditions, looked at in the features', () => {
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom(0.02, 0.15, 0.5),
        (seed, size, lambda) => {
          const X = scenes(seed, size + 1, 20);
          const D = takeRows(X, [...Array(size).keys()]);
          const x = rowOf(X, size);
          const c = Float64Array.from({ length: size }, (_, j) => dot(rowOf(D, j), x));
          const { code, error } = lasso(outerGram(D), c, lambda);
          const left = x.map((value, k) => value - code.reduce((sum, a, j) => sum + a * D.data[j * 20 + k]!, 0));
          expect(error).toBeCloseTo(dot(left, left), 12);
          code.forEach((a, j) => {
            const pull = dot(rowOf(D, j), left);
            if (a === 0) expect(Math.abs(pull)).toBeLessThanOrEqual(lambda + 1e-11);
            else expect(pull).toBeCloseTo(Math.sign(a) * lambda, 10);
          });
        },
      ),
    );
  });
});

describe('the dictionary', () => {
  it('fits what it learnt no worse after each shot, with atoms of length one at most', () => {
    const X = scenes(11, 80, 20);
    const dictionary = newDictionary(20, 5, 0.1);
    const learnt: { x: Float64Array; code: Float64Array }[] = [];
    const misfit = (): number =>
      learnt.reduce((sum, { x, code }) => {
        const { data } = dictionary.atoms();
        const left = x.map((value, k) => value - code.reduce((made, a, j) => made + a * data[j * 20 + k]!, 0));
        return sum + dot(left, left) / 2;
      }, 0);
    for (let i = 0; i < X.rows; i++) {
      const x = rowOf(X, i);
      const isFull = dictionary.atoms().rows === 5;
      const { code } = dictionary.codeOf(x);
      learnt.push({ x, code: isFull ? code : Float64Array.from({ length: i + 1 }, (_, j) => (j === i ? 0.9 : 0)) });
      const before = isFull ? misfit() : Infinity;
      dictionary.learn(x, code);
      expect(misfit()).toBeLessThan(before);
      const atoms = dictionary.atoms();
      for (let j = 0; j < atoms.rows; j++) expect(dot(rowOf(atoms, j), rowOf(atoms, j))).toBeLessThanOrEqual(1 + 1e-12);
    }
    expect(dictionary.atoms().rows).toBe(5);
  });

  it('has no atom before it has seen something', () => {
    const { code, error } = newDictionary(3, 4, 0.1).codeOf(Float64Array.of(0, 1, 0));
    expect([code.length, error]).toEqual([0, 1]);
    expect(select(zeros(0, 3)).certificate).toEqual({ iterations: 0, converged: true, residual: 0 });
  });
});

function cosine(x: Float64Array, y: Float64Array): number {
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

describe('livelight with wishes', () => {
  // The third shot repeats the first.
  const shots = matrixOf([[1, 0], [0, 1], [1, 0]]); // prettier-ignore
  const scores = (pinned: number[], vetoed: number[]): number[] =>
    [...livelight().select(withWishes(problemOf(shots, null), pinned, vetoed)).scores].map((score) =>
      Math.round(score),
    );

  it('knows pinned shots before the film begins', () => {
    expect(scores([], [])).toEqual([1, 1, 0]);
    expect(scores([2], [])).toEqual([0, 1, 1]);
  });

  it('does not learn a vetoed shot, so that another is novel in its place', () => {
    expect(scores([], [0])).toEqual([0, 1, 1]);
  });
});

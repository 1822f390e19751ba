import { describe, expect, it } from 'vitest';
import { matrixOf, random, takeRows, zeros } from '../base/index.js';
import { momentOf, problemOf, type Problem, withWishes } from '../topic/index.js';
import { scenes } from './algorithm1.case.js';
import type { Selector } from './types.js';

type Promise =
  'repeats' | 'permutes' | 'input untouched' | 'few shots' | 'no content' | 'stops' | 'whole ranking' | 'wishes';

/** What every selector promises. A selector that cannot keep one says why. */
export function checkSelector(
  make: () => Selector,
  { skip = [] as { reason: string; tests: Promise[] }[] } = {},
): void {
  const others = scenes(12, 25, 16);
  const problem = (shots: number, seed = 11): Problem =>
    problemOf(scenes(seed, shots, 16), momentOf(others), { neighbors: [{ features: others }] });
  const promise = (name: Promise, sentence: string, run: () => void): void => {
    const excuse = skip.find(({ tests }) => tests.includes(name));
    it.skipIf(excuse !== undefined)(excuse ? `${sentence} (not this one: ${excuse.reason})` : sentence, run);
  };

  describe(`the selector ${make().name}`, () => {
    promise('whole ranking', 'ranks every shot once, by falling importance', () => {
      const { order, places, scores, own, shared } = make().select(problem(20));
      expect([...order].sort((i, j) => i - j)).toEqual([...Array(20).keys()]);
      order.forEach((shot, at) => expect(places[shot]).toBeLessThanOrEqual(at));
      for (let at = 1; at < order.length; at++) {
        expect(scores[order[at - 1]!]).toBeGreaterThanOrEqual(scores[order[at]!]! - 1e-9 * scores[order[0]!]!);
      }
      scores.forEach((score, i) => expect(score).toBeCloseTo(Math.hypot(own[i]!, shared[i]!), 12));
    });

    promise('repeats', 'gives the same bits for the same problem', () => {
      expect(make().select(problem(20))).toEqual(make().select(problem(20)));
    });

    promise('permutes', 'follows a change of the shots’ order', () => {
      const straight = problem(20);
      const { next } = random(5);
      const shuffle = [...Array(20).keys()]
        .map((i) => ({ i, key: next() }))
        .sort((p, q) => p.key - q.key)
        .map(({ i }) => i);
      const turned = problemOf(takeRows(straight.features, shuffle), straight.context, {
        neighbors: straight.neighbors ?? [],
      });
      expect(
        make()
          .select(turned)
          .order.map((i) => shuffle[i]),
      ).toEqual(make().select(straight).order);
    });

    promise('input untouched', 'leaves the problem as it was', () => {
      const given = problem(20);
      const copy = structuredClone(given);
      make().select(given);
      expect(given).toEqual(copy);
    });

    promise('few shots', 'takes no shots, one shot, two', () => {
      for (const shots of [0, 1, 2]) {
        const { order, scores } = make().select(problem(shots));
        expect(order.length).toBe(shots);
        expect(scores.every(Number.isFinite)).toBe(true);
      }
      expect(make().select(problemOf(matrixOf([], 16), null)).order).toEqual([]);
    });

    promise('no content', 'keeps the film’s order for shots without content', () => {
      expect(make().select(problemOf(zeros(3, 16), null)).order).toEqual([0, 1, 2]);
    });

    promise('repeats', 'finds its way without other videos', () => {
      const { order, scores } = make().select(problemOf(scenes(11, 20, 16), null));
      expect(order.length).toBe(20);
      expect(scores.every((score) => score >= 0 && score < Infinity)).toBe(true);
    });

    promise('wishes', 'puts pinned shots first and vetoed ones last, the others by falling importance', () => {
      const given = withWishes(problem(20), [4, 13], [0, 7, 19]);
      const { order, scores } = make().select(given);
      expect(order.slice(0, 2).toSorted((i, j) => i - j)).toEqual([4, 13]);
      expect(order.slice(-3).toSorted((i, j) => i - j)).toEqual([0, 7, 19]);
      expect([...order].sort((i, j) => i - j)).toEqual([...Array(20).keys()]);
      for (let at = 3; at < 17; at++) {
        expect(scores[order[at - 1]!]).toBeGreaterThanOrEqual(scores[order[at]!]! - 1e-9 * scores[order[2]!]!);
      }
      expect(scores.every((score) => score >= 0 && score < Infinity)).toBe(true);
    });

    promise('wishes', 'takes wishes about every shot, and about shots without content', () => {
      const every = [...Array(6).keys()];
      const plain = problem(6);
      expect(
        make()
          .select(withWishes(plain, every, []))
          .order.toSorted((i, j) => i - j),
      ).toEqual(every);
      expect(
        make()
          .select(withWishes(plain, [], every))
          .order.toSorted((i, j) => i - j),
      ).toEqual(every);
      expect(make().select(withWishes(plain, [1], [0, 2, 3, 4, 5])).order[0]).toBe(1);
      const empty = withWishes(problemOf(zeros(3, 16), null), [2], [0]);
      expect(make().select(empty).order).toEqual([2, 1, 0]);
    });

    promise('stops', 'stops when told, and says that it did not finish', () => {
      const steps: number[] = [];
      const { certificate, order } = make().select(problem(20), (step) => {
        steps.push(step.iteration);
        return 'stop';
      });
      expect(steps).toEqual([1]);
      expect(certificate).toMatchObject({ iterations: 1, converged: false });
      expect(order.length).toBe(20);
    });
  });
}

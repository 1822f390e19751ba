import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { TimeRange } from '../base/index.js';
import { arrange, chooseForTopic, orderFilm, type PooledShot, type TopicRules } from './index.js';
import { commonLengths } from './budget.js';

const range = (start: number, end: number, den = 10, num = 1): TimeRange => ({ start, end, base: { num, den } });

/** Two videos of ten seconds. */
const footage = [range(0, 100), range(0, 1000, 100)];
const rules: TopicRules = {
  budget: { kind: 'seconds', seconds: 6 },
  footage,
  balance: true,
  perSource: null,
  isAlike: () => false,
};
/** Two seconds each, in two clocks: three of the first video, three of the second. */
const pool: PooledShot[] = [
  ...[0, 20, 40].map((start) => ({ source: 0, range: range(start, start + 20) })),
  ...[0, 200, 400].map((start) => ({ source: 1, range: range(start, start + 200, 100) })),
];
const choose = (ranking: number[], change: Partial<TopicRules> = {}) =>
  chooseForTopic(ranking, pool, { ...rules, ...change });

describe('lengths on several clocks', () => {
  it('are whole numbers of one unit', () => {
    // 1001/30000 s a tick, and 1/90000: the unit is 1/90000 s.
    const { lengths, perSecond } = commonLengths([
      range(5, 35, 30_000, 1001),
      range(0, 90_001, 90_000),
      range(0, 7, 3, 2),
    ]);
    expect([lengths, perSecond]).toEqual([[90_090n, 90_001n, 420_000n], 90_000n]);
  });
});

describe('shots for the film of a topic, by hand', () => {
  const ranking = [0, 1, 2, 3, 4, 5];

  it('are the best that fit, where sources need not be balanced', () => {
    expect(choose(ranking, { balance: false })).toEqual({ chosen: [0, 1, 2], overBudget: false });
  });

  it('come from the sources in turn, best first in every round', () => {
    expect(choose(ranking).chosen).toEqual([0, 3, 1]);
    expect(choose([4, 0, 1, 2, 3, 5]).chosen).toEqual([4, 0, 1]);
    // A source that has nothing more to give does not hold up the others.
    expect(choose([0, 1, 2, 3], { budget: { kind: 'seconds', seconds: 8 } }).chosen).toEqual([0, 3, 1, 2]);
  });

  it('show what many videos show first, each moment once before any is shown again', () => {
    // Shots 1 and 4 are one moment of both videos, 2 and 5 another; 0 and 3 are stronger, and alone.
    const moments = {
      standing: [2, 0.5, 0.4, 2.1, 0.6, 0.3],
      of: [null, 0, 1, null, 0, 1],
      bonus: [2, 2],
      ...{ continued: 0, turns: Infinity, worthy: 0, longestRun: 4 },
    };
    const long = { budget: { kind: 'seconds', seconds: 8 } as const, moments };
    // 4 tells the first moment, 2 the second; then the strongest of each source.
    expect(choose([4, 1, 2, 5, 3, 0], long).chosen).toEqual([4, 2, 3, 0]);
    // Without a bonus the strongest come first.
    expect(choose([3, 0, 4, 1, 2, 5], { ...long, moments: { ...moments, bonus: [0, 0] } }).chosen).toEqual([
      3, 0, 4, 1,
    ]);
    // What is below the average of its video waits, but for the best of each source.
    const weak = { ...moments, standing: [2, -0.5, -0.4, 2.1, 1.9, 0.3] };
    expect(choose([4, 2, 1, 5, 3, 0], { ...long, balance: false, moments: weak }).chosen).toEqual([4, 5, 3, 0]);
    // A higher limit lets more of them wait: the second shot of the first source, for the third of the other.
    const alone = { ...moments, bonus: [0, 0], standing: [2, 0.4, 0.3, 2.1, 1.9, 0.8] };
    const film = (worthy: number) => choose([3, 0, 4, 5, 1, 2], { ...long, moments: { ...alone, worthy } }).chosen;
    expect(film(0)).toEqual([3, 0, 4, 1]);
    expect(film(0.5)).toEqual([3, 0, 4, 5]);
  });

  it('are one of every source at least, the next best where the best repeats another', () => {
    // The best of the second source shows the same as that of the first; the others of it are of its worse half.
    const moments = { standing: [2, 1, 0.5, 1.5, -0.2, -1], of: [null, null, null, null, null, null], bonus: [] };
    const film = choose([0, 3, 1, 2, 4, 5], {
      ...{
        budget: { kind: 'shots', shots: 2 },
        moments: { ...moments, continued: 0, turns: 6, worthy: 0, longestRun: 4 },
      },
      isAlike: (a, b) => a + b === 3 && a !== 1 && b !== 1,
    });
    expect(film.chosen).toEqual([0, 4]);
  });

  it('take turns for so many of each, then the best comes next', () => {
    const moments = {
      standing: [2, 1.9, 1.8, 1, 0.9, 0.8],
      of: [null, null, null, null, null, null],
      bonus: [],
      ...{ continued: 0, worthy: 0, longestRun: 4 },
    };
    const film = (turns: number) => choose(ranking, { budget: { kind: 'shots', shots: 4 }, moments: { ...moments, turns } }).chosen; // prettier-ignore
    expect(film(Infinity)).toEqual([0, 3, 1, 4]);
    expect(film(1)).toEqual([0, 3, 1, 2]);
  });

  it('go on with a clip up to the longest run, four seconds here, which shows nothing twice, but after what is new', () => {
    // One view of one video, two seconds each: 0, 1 and 2 follow each other, 3 comes later.
    const pool = [0, 2, 4, 20].map((start) => ({
      source: 0,
      range: { start, end: start + 2, base: { num: 1, den: 1 } },
    }));
    const film = (seconds: number, standing: number[], continued: number, isAlike = () => false) =>
      chooseForTopic([0, 1, 2, 3], pool, {
        ...{ ...rules, budget: { kind: 'seconds', seconds }, isAlike, isSameView: () => true },
        moments: {
          standing,
          of: [null, null, null, null],
          bonus: [],
          continued,
          turns: Infinity,
          worthy: 0,
          longestRun: 4,
        },
      }).chosen;
    // A third would make the clip six seconds long, and the fourth shows the view again: both only as there is no more.
    expect(film(4, [2, 1, 1, 1], 0)).toEqual([0, 1]);
    expect(film(8, [2, 1, 1, 0.9], 0)).toEqual([0, 1, 2, 3]);
    expect(film(8, [2, 1, 1, 1], 0, () => true)).toEqual([0, 1]);
    const differ = (seconds: number, continued: number) =>
      chooseForTopic([0, 1, 2, 3], pool, {
        ...{ ...rules, budget: { kind: 'seconds', seconds }, isSameView: () => false },
        moments: {
          standing: [2, 1, 0.5, 0.9],
          of: [null, null, null, null],
          bonus: [],
          continued,
          turns: Infinity,
          worthy: 0,
          longestRun: 4,
        },
      }).chosen;
    expect(differ(4, 0)).toEqual([0, 1]);
    expect(differ(4, 0.2)).toEqual([0, 3]);
  });

  it('take turns only while they matter half as much as the best, but for the first of a source', () => {
    // By rank in turns: 0, 3, then 1 before 4. With 1 hardly worth anything: 4 and 5 before it.
    const long = { budget: { kind: 'seconds', seconds: 8 } as const };
    expect(choose([0, 1, 3, 4, 5], long).chosen).toEqual([0, 3, 1, 4]);
    expect(choose([0, 1, 3, 4, 5], { ...long, scores: [10, 4.9, 0, 7, 6, 5] }).chosen).toEqual([0, 3, 4, 5]);
    expect(choose([0, 1, 3, 4, 5], { ...long, scores: [10, 5, 0, 1, 1, 1] }).chosen).toEqual([0, 3, 1, 4]);
    // By rank alone nothing waits.
    expect(choose([0, 1, 3], { balance: false, scores: [10, 1, 0, 1, 0, 0] }).chosen).toEqual([0, 1, 3]);
  });

  it('begin with pinned ones, whatever their length and likeness', () => {
    expect(choose(ranking, { pinned: [5, 4], balance: false }).chosen).toEqual([5, 4, 0]);
    expect(choose(ranking, { pinned: [5, 4], isAlike: () => true }).chosen).toEqual([5, 4]);
    expect(choose(ranking, { pinned: [3, 4, 5], budget: { kind: 'seconds', seconds: 4 } })).toEqual({ chosen: [3, 4, 5], overBudget: true }); // prettier-ignore
    expect(choose(ranking, { pinned: [3, 4], budget: { kind: 'shots', shots: 1 } })).toEqual({ chosen: [3, 4], overBudget: true }); // prettier-ignore
    expect(choose(ranking, { pinned: [3, 4], budget: { kind: 'seconds', seconds: 4 } })).toEqual({ chosen: [3, 4], overBudget: false }); // prettier-ignore
  });

  it('are never two that are alike: the one taken first stays', () => {
    const isAlike = (a: number, b: number): boolean => Math.min(a, b) === 0 && Math.max(a, b) === 3;
    expect(choose(ranking, { isAlike }).chosen).toEqual([0, 4, 1]);
    expect(choose([3, 0, 1, 2, 4, 5], { isAlike, balance: false }).chosen).toEqual([3, 1, 2]);
  });

  it('show a view again only if the film would be too short without it', () => {
    // Shots 0 and 1 are one view of the first video, 3 and 4 one of the second.
    const views = ['a', 'a', 'b', 'c', 'c', 'd'];
    const isSameView = (a: number, b: number): boolean => views[a] === views[b];
    const seconds = (many: number, change: Partial<TopicRules> = {}) =>
      choose(ranking, { budget: { kind: 'seconds', seconds: many }, isSameView, ...change }).chosen;
    expect(seconds(8)).toEqual([0, 3, 2, 5]);
    expect(seconds(12)).toEqual([0, 3, 2, 5, 1, 4]);
    expect(seconds(12, { isAlike: (a, b) => views[a] === 'a' && views[b] === 'a' })).toEqual([0, 3, 2, 5, 4]);
    // Clips that can grow fill the film instead.
    const growing = pool.map((shot) => ({ ...shot, mostTicks: 1.5 * (shot.range.end - shot.range.start) }));
    const twelve = { ...rules, budget: { kind: 'seconds', seconds: 12 } as const, isSameView };
    expect(chooseForTopic(ranking, growing, twelve).chosen).toEqual([0, 3, 2, 5]);
    expect(chooseForTopic(ranking, growing, { ...twelve, budget: { kind: 'shots', shots: 5 } }).chosen).toEqual([0, 3, 2, 5, 1]); // prettier-ignore
  });

  it('fit if a readable part of each does, until the film is full', () => {
    const readable = pool.map((shot) => ({ ...shot, leastTicks: (shot.range.end - shot.range.start) / 2 }));
    const inSeconds = (seconds: number, change: Partial<TopicRules> = {}) =>
      chooseForTopic(ranking, readable, { ...rules, budget: { kind: 'seconds', seconds }, ...change }).chosen;
    // 5 s: two shots of 2 s leave room, three are as much as it needs.
    expect(inSeconds(5)).toEqual([0, 3, 1]);
    expect(inSeconds(6)).toEqual([0, 3, 1]);
    expect(inSeconds(1.9)).toEqual([0]);
    // Fades over half a second shorten the film, a title is a part of it.
    expect(inSeconds(6, { fade: 0.5 })).toEqual([0, 3, 1, 4]);
    expect(inSeconds(6, { title: 2.5 })).toEqual([0, 3]);
    expect(inSeconds(8, { perSource: 1 })).toEqual([0, 3]);
  });

  it('keep to the limit per source', () => {
    expect(choose(ranking, { balance: false, perSource: 4 }).chosen).toEqual([0, 1, 3]);
    expect(choose(ranking, { balance: false, perSource: 3.999 }).chosen).toEqual([0, 3]);
  });

  it('fit a share of all footage and a number of shots too', () => {
    expect(choose(ranking, { budget: { kind: 'share', share: 0.2 } }).chosen).toEqual([0, 3]);
    expect(choose(ranking, { budget: { kind: 'share', share: 0.19 } }).chosen).toEqual([0]);
    expect(choose(ranking, { budget: { kind: 'shots', shots: 5 } }).chosen).toEqual([0, 3, 1, 4, 2]);
  });

  it('are the best one whole if none fits, and none if the pool is empty', () => {
    expect(choose(ranking, { budget: { kind: 'seconds', seconds: 1.99 } })).toEqual({ chosen: [0], overBudget: true });
    expect(choose(ranking, { perSource: 1 })).toEqual({ chosen: [0], overBudget: true });
    expect(chooseForTopic([], [], rules)).toEqual({ chosen: [], overBudget: false });
  });
});

describe('shots for the film of a topic, always', () => {
  const cases = fc.record({
    shots: fc.array(fc.record({ source: fc.nat(3), length: fc.integer({ min: 1, max: 9 }), look: fc.nat(5) }), {
      minLength: 1,
      maxLength: 14,
    }),
    seconds: fc.integer({ min: 9, max: 60 }),
    perSource: fc.option(fc.integer({ min: 9, max: 30 })),
    balance: fc.boolean(),
  });

  it('keep within the length and the limit, are never alike, and cannot take one more', () => {
    fc.assert(
      fc.property(cases, ({ shots, seconds, perSource, balance }) => {
        const pooled = shots.map(({ source, length }) => ({
          source,
          range: range(0, length * (source + 1), source + 1),
        }));
        const isAlike = (a: number, b: number): boolean => shots[a]!.look === shots[b]!.look;
        const ranking = [...shots.keys()];
        const budget = { kind: 'seconds' as const, seconds };
        const { chosen, overBudget } = chooseForTopic(ranking, pooled, { budget, footage: [range(0, 1e4)], balance, perSource, isAlike }); // prettier-ignore
        const secondsOf = (places: readonly number[]): number => places.reduce((sum, at) => sum + shots[at]!.length, 0);
        const ofSource = (source: number): number => secondsOf(chosen.filter((at) => shots[at]!.source === source));
        expect(overBudget).toBe(false);
        expect(secondsOf(chosen)).toBeLessThanOrEqual(seconds);
        expect(new Set(chosen.map((at) => shots[at]!.look)).size).toBe(chosen.length);
        for (const at of ranking.filter((place) => !chosen.includes(place))) {
          const { source, length, look } = shots[at]!;
          const fits = secondsOf(chosen) + length <= seconds && ofSource(source) + length <= (perSource ?? Infinity);
          expect(fits && chosen.every((other) => shots[other]!.look !== look)).toBe(false);
        }
      }),
    );
  });
});

describe('the order of a film', () => {
  const whole = range(0, 100);
  const shot = (source: number, start: number, end: number, rank: number) => ({ source, range: range(start, end), whole, rank }); // prettier-ignore

  it('as filmed: what is early in its video is early in the film, and shots that touch stay together', () => {
    const shots = [shot(0, 80, 90, 0), shot(0, 10, 20, 1), shot(1, 40, 50, 2), shot(1, 30, 40, 3), shot(2, 0, 8, 4), shot(2, 37, 42, 5)]; // prettier-ignore
    // Middles: 0.85, 0.15, 0.40 for both of the second video, 0.04, 0.395.
    expect(orderFilm(shots, 'position')).toEqual([4, 1, 5, 3, 2, 0]);
    expect(orderFilm(shots, 'importance')).toEqual([0, 1, 2, 3, 4, 5]);
    expect(orderFilm(shots, 'source')).toEqual([1, 0, 3, 2, 4, 5]);
  });

  it('as filmed: a nearby run of another video comes first where a video would follow itself', () => {
    const places = (...list: [number, number][]) => orderFilm(list.map(([source, start], rank) => shot(source, start, start + 1, rank)), 'position'); // prettier-ignore
    expect(places([0, 10], [0, 20], [1, 30])).toEqual([0, 2, 1]);
    expect(places([0, 10], [0, 20], [0, 30], [1, 40])).toEqual([0, 1, 3, 2]);
    expect(places([0, 10], [0, 20], [0, 30], [0, 40], [1, 50])).toEqual([0, 1, 2, 4, 3]);
  });

  it('measures each video by itself, from its first frame on', () => {
    const late = { source: 1, range: range(5_000, 5_100), whole: range(5_000, 6_000), rank: 0 };
    expect(orderFilm([shot(0, 10, 20, 1), late], 'position')).toEqual([1, 0]);
  });

  it('by hand: listed places in the order of the list, the others after what they followed', () => {
    expect(arrange([0, 1, 2, 3, 4], [3, 1])).toEqual([0, 3, 4, 1, 2]);
    expect(arrange([4, 1, 5], [5, 4, 1])).toEqual([5, 4, 1]);
    // What is not in the film, or listed twice, changes nothing.
    expect(arrange([0, 1, 2], [9, 2, 0, 2, -1])).toEqual([2, 0, 1]);
    expect(arrange([2, 0, 1], [])).toEqual([2, 0, 1]);
    expect(arrange([], [1])).toEqual([]);
  });

  it('gives equal places to the better ranked', () => {
    expect(orderFilm([shot(0, 10, 20, 1), shot(1, 10, 20, 0)], 'position')).toEqual([1, 0]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Shot } from '../shots/index.js';
import {
  budgetTicks,
  clipsOf,
  cutToLength,
  mergeNotes,
  preferBetterPictures,
  rankShots,
  type Budget,
  type CutWishes,
} from './index.js';
import { coverBy } from './cut.js';

const base = { num: 1, den: 10 };

/** Shots one after the other, one tick a frame. */
function shotsOf(lengths: readonly number[], origin = 0): Shot[] {
  let frame = 0;
  return lengths.map((length, index) => {
    const startFrame = frame;
    frame += length;
    const range = { start: origin + startFrame, end: origin + frame, base };
    return { index, startFrame, endFrame: frame, range, take: 0, view: index };
  });
}

function wholeOf(shots: readonly Shot[]): Shot['range'] {
  return { start: shots[0]?.range.start ?? 0, end: shots.at(-1)?.range.end ?? 0, base };
}

describe('rankShots', () => {
  it('orders by score, ties to the shorter, then to the earlier; zeros as the selector says', () => {
    const shots = shotsOf([40, 33, 40, 33, 50, 60, 32]);
    const scores = [2, 1, 2, 1, 0, 0, 0];
    expect(rankShots({ scores, order: [0, 2, 1, 3, 6, 4, 5] }, shots)).toEqual([0, 2, 1, 3, 6, 4, 5]);
    expect(rankShots({ scores, order: [3, 1, 5, 2, 0, 4, 6] }, shots)).toEqual([0, 2, 1, 3, 5, 4, 6]);
    expect(rankShots({ scores: [1, 1, 1], order: [0, 1, 2] }, shotsOf([40, 35, 38]))).toEqual([1, 2, 0]);
  });

  it('compares lengths exactly across clocks', () => {
    const range = (end: number, den: number) => ({ range: { start: 0, end, base: { num: 1, den } } });
    // 1/3 s and 333334/1000000 s differ by less than a microsecond.
    const shots = [range(333_334, 1_000_000), range(1, 3), range(2, 6)];
    expect(rankShots({ scores: [1, 1, 1], order: [0, 1, 2] }, shots)).toEqual([1, 2, 0]);
  });

  it('puts flawed shots after good ones and before vetoed ones, unless they are pinned', () => {
    const wishes = { pinned: [4], vetoed: [0], flawed: [0, 1, 4] };
    const scores = [5, 4, 3, 2, 1];
    expect(rankShots({ scores, order: [0, 1, 2, 3, 4] }, shotsOf([32, 32, 32, 32, 32]), wishes)).toEqual([
      4, 2, 3, 1, 0,
    ]);
  });

  it('accepts typed arrays and leaves them alone', () => {
    const [scores, order] = [Float64Array.of(0, 3, 1), Int32Array.of(1, 2, 0)];
    expect(rankShots({ scores, order }, shotsOf([32, 32, 32]))).toEqual([1, 2, 0]);
    expect([...scores, ...order]).toEqual([0, 3, 1, 1, 2, 0]);
  });

  it.each([
    [
      [1, NaN],
      [0, 1],
    ],
    [
      [1, -1],
      [0, 1],
    ],
    [
      [1, Infinity],
      [0, 1],
    ],
    [[1], [0, 1]],
    [
      [1, 1],
      [0, 0],
    ],
    [
      [1, 1],
      [0, 2],
    ],
    [[1, 1], [0]],
  ])('refuses scores %j with order %j', (scores, order) => {
    expect(() => rankShots({ scores, order }, shotsOf([32, 32]))).toThrow(/Expected/);
  });
});

describe('coverBy, cutToLength, by hand', () => {
  const shots = shotsOf([40, 30, 50, 20, 60], 700);
  const ranking = [2, 0, 4, 3, 1];
  const cut = (budget: Budget) => cutToLength(ranking, shots, budget, wholeOf(shots));

  it('takes what still fits, past shots that do not, and plays in film order', () => {
    // 200 ticks: 50 % are 100. Shot 2 (50), shot 0 (90 in all), not 4, not 3 (110), not 1.
    expect(cut({ kind: 'share', share: 0.5 })).toEqual({ chosen: [0, 2], overBudget: false });
    // 110: shot 3 fits exactly after 4 did not.
    expect(cut({ kind: 'seconds', seconds: 11 })).toEqual({ chosen: [0, 2, 3], overBudget: false });
    // 45: shot 2 does not fit, shot 0 does.
    expect(cut({ kind: 'seconds', seconds: 4.5 })).toEqual({ chosen: [0], overBudget: false });
    expect(cut({ kind: 'share', share: 1 })).toEqual({ chosen: [0, 1, 2, 3, 4], overBudget: false });
    expect(cut({ kind: 'shots', shots: 3 })).toEqual({ chosen: [0, 2, 4], overBudget: false });
    expect(cut({ kind: 'shots', shots: 99 })).toEqual({ chosen: [0, 1, 2, 3, 4], overBudget: false });
  });

  it('takes the best shot whole rather than one that hardly matters', () => {
    const within = (scores: number[]) =>
      cutToLength(ranking, shots, { kind: 'seconds', seconds: 4.5 }, wholeOf(shots), scores);
    expect(within([4, 1, 9, 2, 3])).toEqual({ chosen: [2], overBudget: true });
    expect(within([5, 1, 9, 2, 4])).toEqual({ chosen: [0], overBudget: false });
    expect(within([0, 0, 0, 0, 0])).toEqual({ chosen: [0], overBudget: false });
  });

  it('takes the best shot whole when none fits, and says so', () => {
    expect(cut({ kind: 'seconds', seconds: 1.9 })).toEqual({ chosen: [2], overBudget: true });
    expect(cut({ kind: 'seconds', seconds: 2 })).toEqual({ chosen: [3], overBudget: false });
  });

  it('takes flawed shots only if pinned or if there are no others', () => {
    const whole: Budget = { kind: 'share', share: 1 };
    const within = (wishes: CutWishes) => cutToLength(ranking, shots, whole, wholeOf(shots), undefined, wishes).chosen;
    expect(within({ flawed: [2, 4] })).toEqual([0, 1, 3]);
    expect(within({ flawed: [2, 4], pinned: [4] })).toEqual([0, 1, 3, 4]);
    expect(within({ flawed: [0, 1, 2, 3, 4] })).toEqual([0, 1, 2, 3, 4]);
    expect(within({ flawed: [1, 2, 3, 4], vetoed: [0] })).toEqual([1, 2, 3, 4]);
    expect(within({ flawed: [0, 1, 2, 3, 4], pinned: [3] })).toEqual([3]);
  });

  it('has nothing to choose from no shots', () => {
    expect(cutToLength([], [], { kind: 'share', share: 0.5 }, { start: 0, end: 0, base })).toEqual({
      chosen: [],
      overBudget: false,
    });
  });

  it('refuses shots on another clock', () => {
    const total = { ...wholeOf(shots), base: { num: 1, den: 20 } };
    expect(() => cutToLength(ranking, shots, { kind: 'share', share: 0.5 }, total)).toThrow(/video's clock of 1\/20 s/);
  });
});

describe('cutToLength with wishes', () => {
  const shots = shotsOf([40, 30, 50, 20, 60], 700);
  const ranking = [2, 0, 4, 3, 1];
  const cut = (budget: Budget, wishes: CutWishes, scores?: number[]) =>
    cutToLength(ranking, shots, budget, wholeOf(shots), scores, wishes);

  it('takes pinned shots first; they use up the length', () => {
    // 100 ticks: shot 4 (60) is pinned, shot 0 (40) fits exactly, nothing else does.
    expect(cut({ kind: 'share', share: 0.5 }, { pinned: [4] })).toEqual({ chosen: [0, 4], overBudget: false });
    expect(cut({ kind: 'shots', shots: 2 }, { pinned: [1] })).toEqual({ chosen: [1, 2], overBudget: false });
  });

  it('takes all that is pinned even where it is too long, and says so', () => {
    expect(cut({ kind: 'seconds', seconds: 8 }, { pinned: [2, 4] })).toEqual({ chosen: [2, 4], overBudget: true });
    expect(cut({ kind: 'shots', shots: 1 }, { pinned: [2, 4] })).toEqual({ chosen: [2, 4], overBudget: true });
    expect(cut({ kind: 'seconds', seconds: 11 }, { pinned: [2, 4] })).toEqual({ chosen: [2, 4], overBudget: false });
  });

  it('a pinned shot is enough, however little it matters', () => {
    expect(cut({ kind: 'seconds', seconds: 3 }, { pinned: [3] }, [9, 8, 10, 0, 7])).toEqual({ chosen: [3], overBudget: false });
  }); // prettier-ignore

  it('never takes a vetoed shot, not even as the best one', () => {
    expect(cut({ kind: 'share', share: 1 }, { vetoed: [2, 3] }).chosen).toEqual([0, 1, 4]);
    expect(cut({ kind: 'seconds', seconds: 1 }, { vetoed: [2] })).toEqual({ chosen: [0], overBudget: true });
    expect(cut({ kind: 'shots', shots: 9 }, { vetoed: [0, 1, 2, 3, 4] })).toEqual({ chosen: [], overBudget: false });
  });

  it('asks whether a shot may join', () => {
    const mayJoin = (chosen: readonly number[], place: number): boolean => !chosen.includes(place + 1);
    expect(cut({ kind: 'share', share: 1 }, { mayJoin }).chosen).toEqual([0, 2, 4]);
  });

  it('uses the length that the film would have', () => {
    // Ten ticks a shot, five more for each after the first.
    const ticksOf = (chosen: readonly number[]): number => Math.max(0, 15 * chosen.length - 5);
    expect(cut({ kind: 'seconds', seconds: 4 }, { ticksOf }).chosen).toEqual([0, 2, 4]);
  });
});

describe('rankShots with wishes', () => {
  it('puts pinned shots first and vetoed ones last', () => {
    const wishes = { pinned: [3, 1], vetoed: [0] };
    expect(rankShots({ scores: [5, 1, 4, 2], order: [0, 2, 3, 1] }, shotsOf([32, 32, 32, 32]), wishes)).toEqual([3, 1, 2, 0]); // prettier-ignore
  });
});

it('rankShots takes wishes about thirty thousand shots', () => {
  const shots = shotsOf(Array<number>(60_000).fill(32));
  const order = [...shots.keys()];
  const vetoed = order.filter((place) => place % 2 === 0);
  const ranking = rankShots({ scores: order.map(() => 1), order }, shots, { vetoed });
  expect(ranking.slice(0, 2)).toEqual([1, 3]);
  expect(ranking.slice(-30_000)).toEqual(vetoed);
});

describe('cutToLength, always', () => {
  const cases = fc
    .array(fc.record({ length: fc.integer({ min: 1, max: 96 }), score: fc.integer({ min: 0, max: 3 }) }), {
      minLength: 1,
      maxLength: 12,
    })
    .map((list) => {
      const shots = shotsOf(list.map(({ length }) => length));
      const scores = list.map(({ score }) => score);
      return { shots, ranking: rankShots({ scores, order: shots.map((shot) => shot.index) }, shots) };
    });
  const timed = fc.oneof(
    fc.integer({ min: 1, max: 100 }).map((percent) => ({ kind: 'share' as const, share: percent / 100 })),
    fc.integer({ min: 1, max: 400 }).map((tenths) => ({ kind: 'seconds' as const, seconds: tenths / 10 })),
  );
  const ticksOf = (shots: readonly Shot[], chosen: readonly number[]): number =>
    chosen.reduce((sum, i) => sum + (shots[i]?.range.end as number) - (shots[i]?.range.start as number), 0);

  it('is the same whether lengths are added up or asked for again with every shot', () => {
    fc.assert(
      fc.property(cases, timed, fc.nat(11), ({ shots, ranking }, budget, at) => {
        const pinned = at < shots.length ? [at] : [];
        const cut = (wishes: CutWishes) => cutToLength(ranking, shots, budget, wholeOf(shots), undefined, wishes);
        expect(cut({ pinned, ticksOf: (chosen) => ticksOf(shots, chosen) })).toEqual(cut({ pinned }));
      }),
    );
  });

  it('is never empty, never over budget unless it says so, in film order, and cannot take one more', () => {
    fc.assert(
      fc.property(cases, timed, ({ shots, ranking }, budget) => {
        const allowed = budgetTicks(budget, wholeOf(shots));
        const { chosen, overBudget } = cutToLength(ranking, shots, budget, wholeOf(shots));
        expect(chosen.length).toBeGreaterThan(0);
        expect(chosen).toEqual([...new Set(chosen)].sort((a, b) => a - b));
        if (overBudget) {
          expect(chosen).toEqual([ranking[0]]);
          expect(Math.min(...ranking.map((i) => ticksOf(shots, [i])))).toBeGreaterThan(allowed);
          return;
        }
        expect(ticksOf(shots, chosen)).toBeLessThanOrEqual(allowed);
        const best = ranking[0] as number;
        if (ticksOf(shots, [best]) <= allowed) expect(chosen).toContain(best);
        for (const i of ranking.filter((place) => !chosen.includes(place))) {
          expect(ticksOf(shots, [...chosen, i])).toBeGreaterThan(allowed);
        }
      }),
    );
  });

  it('agrees with a longer budget down to the first shot that only fits the longer one', () => {
    fc.assert(
      fc.property(
        cases,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        ({ shots, ranking }, few, more) => {
          const at = (ticks: number) =>
            cutToLength(ranking, shots, { kind: 'seconds', seconds: ticks / 10 }, wholeOf(shots));
          const [short, long] = [at(few), at(few + more)];
          if (short.overBudget) return;
          const parting = ranking.find((i) => short.chosen.includes(i) !== long.chosen.includes(i));
          if (parting !== undefined) expect(long.chosen).toContain(parting);
        },
      ),
    );
  });

  it('grows one shot at a time when counted in shots', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 11 }), ({ shots, ranking }, count) => {
        const at = (n: number) => cutToLength(ranking, shots, { kind: 'shots', shots: n }, wholeOf(shots)).chosen;
        expect(at(count + 1)).toEqual(expect.arrayContaining([...at(count)]));
        expect(at(count)).toHaveLength(Math.min(count, shots.length));
      }),
    );
  });
});

describe('clipsOf', () => {
  it('joins shots that touch and keeps gaps', () => {
    const shots = shotsOf([40, 30, 50, 20, 60], 700);
    const chosen = [0, 1, 3].map((i) => shots[i] as Shot);
    expect(clipsOf(chosen)).toEqual([
      { startFrame: 0, endFrame: 70, range: { start: 700, end: 770, base } },
      { startFrame: 120, endFrame: 140, range: { start: 820, end: 840, base } },
    ]);
    expect(clipsOf([])).toEqual([]);
  });

  it('plays exactly the chosen frames, once each, whatever the order given', () => {
    const lists = fc.array(fc.boolean(), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(lists, fc.boolean(), (marks, backwards) => {
        const chosen = shotsOf(marks.map((_, i) => 30 + i)).filter((_, i) => marks[i]);
        const clips = clipsOf(backwards ? chosen.toReversed() : chosen);
        const frames = (list: readonly { startFrame: number; endFrame: number }[]): number[] =>
          list.flatMap(({ startFrame, endFrame }) =>
            Array.from({ length: endFrame - startFrame }, (_, i) => startFrame + i),
          );
        expect(frames(clips)).toEqual(frames(chosen));
        clips.slice(1).forEach((clip, i) => expect(clip.startFrame).toBeGreaterThan(clips[i]?.endFrame as number));
      }),
    );
  });
});

describe('cutToLength, with views and parts', () => {
  const shots = shotsOf(Array(12).fill(20));
  const total = wholeOf(shots);
  const byRank = [...shots.keys()];
  const cut = (seconds: number, wishes: CutWishes): readonly number[] =>
    cutToLength(byRank, shots, { kind: 'seconds', seconds }, total, undefined, wishes).chosen;

  it('shows no view twice while an unseen one fits', () => {
    const views = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3];
    expect(cut(8, { views })).toEqual([0, 6, 9, 11]);
    expect(cut(4, { views })).toEqual([0, 6]);
    // When every view was shown, the one shown least often comes first, and nothing is left out for ever.
    expect(cut(14, { views })).toEqual([0, 1, 6, 7, 9, 10, 11]);
    expect(cut(24, { views })).toHaveLength(12);
    expect(cut(24, { views: Array(12).fill(0) })).toHaveLength(12);
  });

  it('continues a clip before it repeats a view elsewhere', () => {
    const views = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const continues = (chosen: ReadonlySet<number>, place: number): boolean => place > 9 && chosen.size < 4;
    expect(cut(6, { views, continues })).toEqual([0, 1, 10]);
  });

  it('covers the video with the best shots that leave no gap, if they show something new', () => {
    const views = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0];
    const cover = (order: readonly number[], count: number, pinned: readonly number[] = [], of = views): number[] =>
      coverBy(order, pinned, shots, total, of, count);
    // Four clips speak for three shots before and after them: the best two, and two where they leave a gap.
    expect(cover(byRank, 4)).toEqual([0, 1, 5, 9]);
    expect(cut(8, { views, parts: 4 })).toEqual([0, 1, 5, 9]);
    // What was pinned covers, too, and is not listed.
    expect(cover(byRank, 4, [7])).toEqual([0, 1, 9]);
    // What follows was shown before.
    expect(cover(byRank, 4, [], [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3])).toEqual([0, 1, 2, 3]);
    expect(cover([], 4)).toEqual([]);
  });

  it('leaves no stretch of a long video without a clip near it', () => {
    const places = Array.from({ length: 400 }, (_, place) => (place * 263) % 400);
    const long = shotsOf(Array(400).fill(20));
    for (const count of [7, 20, 60]) {
      const chosen = coverBy(places, [], long, wholeOf(long), places, count).sort((a, b) => a - b);
      expect(chosen.length).toBeLessThanOrEqual(count);
      const gaps = chosen.slice(1).map((place, at) => place - chosen[at]!);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(800 / count);
      expect(chosen[0]).toBeLessThanOrEqual(400 / count);
      // Half of them and more are from the top of the ranking.
      expect(chosen.filter((place) => places.indexOf(place) < count).length).toBeGreaterThan(count / 4);
    }
  });

  it('takes shots that can be trimmed, until the film is full', () => {
    // Two seconds each, of which one must play: three fit into three seconds, but two are more than full.
    expect(cut(3, { leastOf: () => 10 })).toEqual([0, 1]);
    expect(cut(1, { leastOf: () => 10 })).toEqual([0]);
    // Clips that fade into each other over half a second leave room for one more.
    expect(cut(4, {})).toEqual([0, 1]);
    expect(cut(5, { overlap: 5 })).toEqual([0, 1, 2]);
  });
});

it('of shots of one view, prefers the better picture if it is nearly as important', () => {
  const [order, views, scores] = [
    [3, 0, 2, 1, 4],
    [0, 0, 1, 0, 1],
    [9, 5, 6, 10, 1],
  ];
  const quality = [0.9, 1, 0.2, 0.5, 0.9];
  const asked: number[] = [];
  const better = preferBetterPictures(order, views, scores, (shot) => (asked.push(shot), quality[shot]!));
  // Shot 0 is nearly as important as shot 3 and better; shots 1 and 4 are better still, but matter less.
  expect(better).toEqual([0, 3, 2, 1, 4]);
  expect(asked).toEqual([3, 0, 2]);
});

it('makes one line of three notes of one kind, and leaves two alone', () => {
  const note = (name: string, seconds: number): string => `The film of "${name}" is ${seconds} s long.`;
  expect(mergeNotes([note('b', 2), note('a', 1.5), 'Another.'])).toEqual(['Another.', note('a', 1.5), note('b', 2)]);
  const many = ['e', 'd', 'c', 'b', 'a'].map((name, at) => note(name, at));
  expect(mergeNotes([...many, 'Another.'])).toEqual([
    'Another.',
    'The film of "a" is 4 s long. The same for 4 more: "b", "c", "d", ….',
  ]);
  expect(mergeNotes([])).toEqual([]);
});

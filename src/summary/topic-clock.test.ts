import { describe, expect, it } from 'vitest';

import { chooseOrder, orderFilm, sameInstant, setClocks, type OrderedShot, type VideoClock } from './index.js';

const base = { num: 1, den: 10 };
const whole = { start: 0, end: 1000, base };
const shot = (source: number, start: number, end: number, more: Partial<OrderedShot> = {}): OrderedShot => ({
  ...{ source, range: { start, end, base }, whole, rank: 0 },
  ...more,
});
const heard = (group: number, offsetSeconds: number) => ({ group, offsetSeconds, confidence: 12 });
const dated = (startSeconds: number | null) => ({
  recorded: startSeconds === null ? null : { at: 'then', from: 'container' as const },
  startSeconds,
});

describe('the clock of a topic', () => {
  it('keeps recorded times where nothing is heard by two', () => {
    expect(setClocks([dated(5), dated(null)], [null, null]).map(({ startSeconds }) => startSeconds)).toEqual([5, null]);
  });

  it('is set by sound: distances as heard, at the median of what the cameras say', () => {
    // The second clock is 60 s fast, the third video has none, the fourth hears nothing of this.
    const clocks = setClocks(
      [dated(100), dated(165), dated(null), dated(110), dated(7)],
      [heard(0, 0), heard(0, 5), heard(0, 8), heard(0, 10), null],
    );
    expect(clocks.map(({ startSeconds }) => startSeconds)).toEqual([100, 105, 108, 110, 7]);
  });

  it('needs no recorded time if all videos hear the same; otherwise a group without times stays without', () => {
    const times = (...list: (ReturnType<typeof heard> | null)[]) =>
      setClocks(
        list.map(() => dated(null)),
        list,
      ).map(({ startSeconds }) => startSeconds);
    expect(times(heard(0, 0), heard(0, 4.5))).toEqual([0, 4.5]);
    expect(times(heard(0, 0), heard(0, 4.5), null)).toEqual([null, null, null]);
    expect(times(heard(0, 0), heard(0, 4.5), heard(1, 0), heard(1, 2))).toEqual([null, null, null, null]);
  });

  it('knows shots of two videos that show one instant', () => {
    const isSame = sameInstant(setClocks([dated(null), dated(null), dated(null)], [heard(0, 0), heard(0, 10), null]));
    // The second video begins 10 s, 100 ticks, after the first.
    expect(isSame(shot(0, 120, 150), shot(1, 40, 60))).toBe(true);
    expect(isSame(shot(0, 120, 150), shot(1, 51, 60))).toBe(false);
    expect(isSame(shot(0, 120, 150), shot(1, 49, 60))).toBe(false);
    expect(isSame(shot(0, 120, 150), shot(1, 48, 60))).toBe(true);
    expect(isSame(shot(0, 120, 150), shot(0, 120, 150))).toBe(false);
    expect(isSame(shot(0, 120, 150), shot(2, 120, 150))).toBe(false);
    // Ticks count from the first picture, whatever the clock of the file says.
    const late = { ...shot(1, 5040, 5060), whole: { start: 5000, end: 6000, base } };
    expect(isSame(shot(0, 120, 150), late)).toBe(true);
  });
});

describe('the rule of an order', () => {
  const clocks = (...starts: (number | null)[]): VideoClock[] =>
    setClocks(
      starts.map(dated),
      starts.map(() => null),
    );
  const ruleOf = (asked: Parameters<typeof chooseOrder>[0], shots: OrderedShot[], known: VideoClock[]) =>
    chooseOrder(asked, shots, known).rule;
  /** Four moments that three videos share; the others show them in the given order. */
  const moments = (orders: number[][]): OrderedShot[] =>
    [0, 1, 2, 3].map((k) => {
      const others = orders.map((order, v) => ({ source: v + 1, position: order.indexOf(k) / 4 }));
      return shot(0, 250 * k, 250 * k + 10, { others });
    });

  it('is time if nearly all videos have one', () => {
    const four = [0, 1, 2, 3].map((source) => shot(source, 0, 10));
    expect(ruleOf('auto', four, clocks(1, 2, 3, 4))).toBe('time');
    expect(ruleOf('auto', four, clocks(1, 2, 3, null))).toBe('time');
    expect(ruleOf('auto', four, clocks(1, 2, null, null))).toBe('position');
    expect(ruleOf('time', four, clocks(1, 2, null, null))).toBe('time');
    expect(chooseOrder('time', four, clocks(null, null, null, null)).reason).toBe(
      'By place in the own video: none of its videos has a time of recording.',
    );
    expect(chooseOrder('auto', four, clocks(1, 2, 3, null)).reason).toBe(
      'By time of recording: 3 of its 4 videos have a time that can be used (3 by creation time of the file). The others play along by their place in their own video.',
    );
  });

  it('is moments if the videos agree on their order more than by chance', () => {
    const none = clocks(null, null, null, null);
    const alike = moments([[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 3, 2]]); // prettier-ignore
    expect(ruleOf('auto', alike, none)).toBe('moments');
    const apart = moments([[3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 3, 1]]); // prettier-ignore
    expect(ruleOf('auto', apart, none)).toBe('position');
    expect(ruleOf('moments', apart, none)).toBe('moments');
    expect(ruleOf('moments', [shot(0, 0, 10), shot(1, 0, 10)], none)).toBe('position');
  });

  it('is what was asked for; film is position', () => {
    const two = [shot(0, 0, 10), shot(1, 0, 10)];
    for (const rule of ['position', 'source', 'importance'] as const) expect(ruleOf(rule, two, clocks(1, 2))).toBe(rule); // prettier-ignore
    expect(ruleOf('film', two, clocks(1, 2))).toBe('position');
  });

  it('is wide to close where neither time nor moments decide, if that was measured; position otherwise', () => {
    const none = clocks(null, null);
    const two = [shot(0, 0, 10, { closeness: 2.5 }), shot(1, 0, 10, { closeness: 1.5 })];
    expect(chooseOrder('auto', two, none)).toEqual({
      rule: 'wide',
      reason:
        'From wide to close views: none of its 2 videos has a time that can be used, and no two videos share two moments.',
    });
    expect(chooseOrder('wide', two, clocks(1, 2))).toEqual({ rule: 'wide', reason: 'From wide to close views, as asked for.' }); // prettier-ignore
    expect(ruleOf('auto', two, clocks(1, 2))).toBe('time');
    const unmeasured = [shot(0, 0, 10), shot(1, 0, 10, { closeness: null })];
    expect(ruleOf('auto', unmeasured, none)).toBe('position');
    expect(ruleOf('wide', unmeasured, none)).toBe('position');
  });

  it('by wide plays wide views first; shots that touch stay together, and unknown ones play in the middle', () => {
    const shots = [
      shot(0, 0, 10, { closeness: 3 }),
      shot(1, 0, 10, { closeness: 1 }),
      shot(1, 10, 20, { closeness: 2 }),
      shot(2, 0, 10, { closeness: null }),
      shot(3, 0, 10, { closeness: 1.2 }),
    ];
    // 1 and 2 touch: together 1.5. The mean of what is known is (3 + 1.5 + 1.2)/3 = 1.9.
    expect(orderFilm(shots, 'wide')).toEqual([4, 1, 2, 3, 0]);
  });

  it('by time plays by the clock, and videos without one along with the others', () => {
    const shots = [
      shot(0, 0, 10, { startSeconds: 50 }),
      shot(0, 10, 20, { startSeconds: 51 }),
      shot(1, 900, 910, { startSeconds: 10 }),
      shot(2, 480, 500),
      shot(1, 0, 10, { startSeconds: 90 }),
      shot(3, 0, 10, { startSeconds: 50.5 }),
    ];
    // 0 and 1 touch, so they stay together; 3 is 49 % along its video, that is at 49 s.
    expect(orderFilm(shots, 'time')).toEqual([2, 3, 0, 1, 5, 4]);
  });

  it('by moments follows most videos, where one of them has it the other way round', () => {
    const shots = moments([[1, 0, 2, 3], [1, 0, 2, 3], [1, 0, 3, 2]]); // prettier-ignore
    expect(orderFilm(shots, 'moments')).toEqual([1, 0, 2, 3]);
    // Without other videos the own place decides.
    expect(orderFilm([shot(0, 500, 510), shot(1, 10, 20), shot(2, 200, 210)], 'moments')).toEqual([1, 2, 0]);
  });
});

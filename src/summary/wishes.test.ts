import { describe, expect, it } from 'vitest';
import { shotsFromFrames, type FrameClock } from '../shots/index.js';
import { checkRanges, applySequence, applyWishes, parseWish, resolveWishes, type Wish } from './index.js';

describe('parseWish', () => {
  it('reads a stretch of time and a shot number', () => {
    expect(parseWish('a.mp4@0:03-0:06.5')).toMatchObject({
      kind: 'time',
      file: 'a.mp4',
      from: { digits: 3n, places: 0 },
      to: { digits: 65n, places: 1 },
    });
    expect(parseWish('day 1/a.mp4#12')).toMatchObject({ kind: 'shot', file: 'day 1/a.mp4', number: 12 });
    expect(parseWish('take#2@home.mp4@1-1:00:00')).toMatchObject({ kind: 'time', file: 'take#2@home.mp4' });
    expect(parseWish('take@1-2#3')).toMatchObject({ kind: 'shot', file: 'take@1-2', number: 3 });
  });

  it.each(['', 'a.mp4', 'a.mp4#', 'a.mp4#0', 'a.mp4#x', '#4', '@1-2', 'a.mp4@1', 'a.mp4@2-2', 'a.mp4@3-2', 'a.mp4@0:75-2:00', 'a.mp4@1.0-1.00'])(
    'refuses "%s"',
    (text) => expect(parseWish(text)).toBeNull(),
  ); // prettier-ignore
});

describe('placeWishes', () => {
  const videos = ['a.mp4', 'day/b.mp4', 'night/b.mp4'];
  const place = (pin: string[], veto: string[] = []) => resolveWishes({ pin, veto }, videos);

  it('finds the video by path, end of path, name, or name without ending', () => {
    expect(place(['a.mp4#1', 'a#2', 'night/b.mp4#1']).pin.map(({ video }) => video)).toEqual([
      'a.mp4',
      'a.mp4',
      'night/b.mp4',
    ]);
    expect(resolveWishes({}, videos)).toEqual({ pin: [], veto: [], sequence: [], topicSequence: [] });
  });

  it('refuses a name of no video, or of two', () => {
    expect(() => place(['c.mp4#1'])).toThrow(
      '--pin "c.mp4#1", found none of that name. The topic has a.mp4, day/b.mp4',
    );
    expect(() => place([], ['b.mp4@0-1'])).toThrow('found 2: day/b.mp4, night/b.mp4. Give its path');
  });

  it('refuses wishes that contradict each other as written', () => {
    expect(() => place(['a#2'], ['a.mp4#2'])).toThrow(
      'Expected wishes that do not contradict each other, found --pin "a#2" and --veto "a.mp4#2" for the same pictures. Remove one of them.',
    );
    expect(() => place(['a@0:01-0:02.5'], ['a.mp4@2.49-9'])).toThrow('for the same pictures');
    expect(place(['a@0:01-0:02.5'], ['a.mp4@2.50-9', 'a.mp4#1']).veto).toHaveLength(2);
  });
});

describe('checkRanges', () => {
  it('refuses a range far outside of what a header says, and trusts it no further', () => {
    const check = (pin: string, stated: number | null): void =>
      checkRanges(resolveWishes({ pin: [pin] }, ['a.mp4']), new Map([['a.mp4', stated]]));
    expect(() => check('a@0:08-0:12.2', 10)).toThrow('inside "a.mp4", which lasts 0:10.000, found "a@0:08-0:12.2"');
    expect(() => check('a@0:08-0:12', 10)).not.toThrow();
    expect(() => check('a@0:08-9:00', null)).not.toThrow();
    expect(() => check('a#9', 10)).not.toThrow();
  });
});

describe('applyWishes', () => {
  // Ten frames a second from tick 500; shots of 10, 20 and 30 frames.
  const frameTicks = Float64Array.from({ length: 60 }, (_, frame) => 500 + frame);
  const clock: FrameClock = { frameTicks, endTicks: 560, timeBase: { num: 1, den: 10 } };
  const { shots } = shotsFromFrames([[0, 10], [10, 30], [30, 60]].map(([startFrame, endFrame]) => ({ startFrame: startFrame!, endFrame: endFrame! })), clock); // prettier-ignore
  const lay = (pin: string[], veto: string[] = []) =>
    applyWishes(
      { pin: pin.map((text) => parseWish(text) as Wish), veto: veto.map((text) => parseWish(text) as Wish) },
      { name: 'a.mp4', shots },
      clock,
    );

  it('takes a shot whole, and a stretch to the frame', () => {
    expect(lay(['a#2'])).toEqual({ pinned: [1], vetoed: [], exact: [], partly: [], barred: [] });
    // 1.25 s is between frames 12 and 13; the range holds the frames that begin in it.
    expect(lay(['a@1.25-2.9'])).toEqual({
      pinned: [1],
      vetoed: [],
      exact: [{ startFrame: 13, endFrame: 29 }],
      partly: [1],
      barred: [],
    });
  });

  it('counts a shot as pinned or vetoed from half of it on, and the one with most of a pin always', () => {
    // 0.5 to 2.0 s: half of shot 1, half of shot 2.
    expect(lay(['a@0.5-2']).pinned).toEqual([0, 1]);
    // 0.6 to 1.9 s: less of both; shot 2 has most.
    expect(lay(['a@0.6-1.9']).pinned).toEqual([1]);
    expect(lay([], ['a@0.5-2'])).toMatchObject({ vetoed: [0, 1], barred: [{ startFrame: 5, endFrame: 20 }] });
    expect(lay([], ['a@0.6-1.9'])).toMatchObject({ vetoed: [], barred: [{ startFrame: 6, endFrame: 19 }] });
    // Twice the same quarter is a quarter.
    expect(lay([], ['a@1-1.5', 'a@1-1.5'])).toMatchObject({ vetoed: [] });
    expect(lay([], ['a@1-1.5', 'a@2-2.5'])).toMatchObject({ vetoed: [1] });
  });

  it('a shot of which some is pinned is not vetoed, whatever becomes of the rest', () => {
    expect(lay(['a@1-1.2'], ['a@1.2-3'])).toMatchObject({ pinned: [1], vetoed: [] });
  });

  it('a shot pinned by number and by time is pinned whole', () => {
    expect(lay(['a#2', 'a@1-1.5'])).toMatchObject({ pinned: [1], partly: [] });
  });

  it('an order made by hand is of shots; one named twice plays where it was named first', () => {
    const wishes = ['a#3', 'a#1', 'a#3'].map((text) => parseWish(text) as Wish);
    const order = (sequence: Wish[]) =>
      applySequence(
        { sequence, topic: new Map(sequence.map((wish, place) => [wish, 10 + place])) },
        { name: 'a', shots },
      );
    expect(order(wishes).sequence).toEqual([2, 0, 2]);
    expect([...order(wishes).topicPlaces].toSorted()).toEqual([[0, 11], [2, 10]]); // prettier-ignore
    expect(() => order([parseWish('a#4') as Wish])).toThrow('Expected a shot from 1 to 3 of "a" in "a#4", found 4.');
  });

  it('refuses, in a sentence each, what cannot be', () => {
    expect(() => lay(['a#4'])).toThrow('Expected a shot from 1 to 3 of "a.mp4" in "a#4", found 4.');
    expect(() => lay(['a@6-7'])).toThrow('Expected a range inside "a.mp4", which lasts 0:06.000, found "a@6-7".');
    expect(() => lay(['a@5-6.6'])).toThrow('inside "a.mp4"');
    // Sound outlasts pictures: half a second past the end is the end.
    expect(lay(['a@5-6.4']).exact).toEqual([{ startFrame: 50, endFrame: 60 }]);
    expect(() => lay(['a#2'], ['a@2.9-4'])).toThrow('for the same pictures');
    expect(() => lay([], ['a#1', 'a#2', 'a#3'])).toThrow('Expected a shot of "a.mp4" that is not vetoed, found none');
    expect(lay(['a#1'], ['a#2', 'a#3']).vetoed).toEqual([1, 2]);
  });
});

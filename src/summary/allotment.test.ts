import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allotLengths, type Contender } from './budget.js';

const share = (percent: number) => ({ kind: 'share' as const, share: percent / 100 });
const video = (seconds: number, isWished = false): Contender => ({ seconds, least: Math.min(2, seconds), isWished });
const inTurn = (videos: readonly Contender[]): number[] => [...videos.keys()];
const allot = (videos: Contender[], percent: number, order = inTurn(videos)) =>
  allotLengths(videos, order, share(percent), 0, 0).map(
    (given) => given && (given.kind === 'seconds' ? given.seconds : 'asked'),
  );

describe('the length of a topic', () => {
  it('is what was asked for of every video that has room for a clip', () => {
    expect(allot([video(15), video(60), video(10)], 20)).toEqual(['asked', 'asked', 'asked']);
  });

  it('gives one clip to a video whose share is nearly one', () => {
    // 15 % of 10 s is 1.5 s; of 9 s it is less, and 0.35 s are left for it.
    expect(allot([video(10), video(10), video(9)], 15)).toEqual([2, 2, null]);
    // What it has too much is missing for the others.
    expect(allot([video(10), video(8), video(8)], 15)).toEqual([2, null, null]);
  });

  it('is shared by videos that are too short for a clip each, strongest first', () => {
    // 48 clips of 3.5 s: 20 % are 33.6 s, room for 16 clips of 2 s.
    const videos = Array.from({ length: 48 }, () => video(3.5));
    const order = inTurn(videos).reverse();
    const given = allot(videos, 20, order);
    expect(given.filter((each) => each === 2)).toHaveLength(16);
    expect(given.slice(0, 32).every((each) => each === null)).toBe(true);
  });

  it('fills what is left with a clip of a shorter video', () => {
    // 2.04 s in all: after the first there is no room; with the order turned, the one of 1 s goes first and nothing else fits.
    const videos = [video(6), video(3.2), video(1)];
    expect(allot(videos, 20)).toEqual([2, null, null]);
    expect(allot(videos, 20, [2, 1, 0])).toEqual([null, null, 1]);
  });

  it('counts what films of the length asked for may be off', () => {
    // Two videos of 5 s have 1.5 s together; four films of 9 s may be off by half a second each.
    const videos = [...Array.from({ length: 4 }, () => video(60)), video(5), video(5)];
    expect(allot(videos, 15).slice(4)).toEqual([null, null]);
    const given = allotLengths(videos, inTurn(videos), share(15), 0.5, 0).slice(4);
    expect(given).toEqual([{ kind: 'seconds', seconds: 2 }, null]);
  });

  it('counts half of what a clip may be too long', () => {
    // 9 s: room for four clips of 2 s, but not for four that end at a pause.
    const videos = Array.from({ length: 9 }, () => video(5));
    const films = (tolerance: number) =>
      allotLengths(videos, inTurn(videos), share(20), tolerance).filter(Boolean).length;
    expect([films(0), films(0.5), films(0.52)]).toEqual([4, 4, 3]);
  });

  it('is a budget only where more than four videos are too short for their share', () => {
    const clips = (count: number) => allotLengths([video(60), ...Array<Contender>(count).fill(video(4.8))], inTurn(Array(count + 1).fill(video(1))), share(15)).slice(1); // prettier-ignore
    expect(clips(2)).toEqual(Array(2).fill({ kind: 'seconds', seconds: 2 }));
    expect(clips(4)).toEqual(Array(4).fill({ kind: 'seconds', seconds: 2 }));
    expect(clips(5).filter((given) => given === null)).toHaveLength(4);
  });

  it('leaves one film to a topic, and its film to every video with a wish', () => {
    expect(allot([video(5)], 15)).toEqual([2]);
    expect(allot([video(5), video(5)], 15, [1, 0])).toEqual([null, 2]);
    expect(allot([video(5), video(5, true)], 15)).toEqual([null, 'asked']);
  });

  it('is never more than asked for, but for clips that were nearly there and the only one', () => {
    const cases = fc.record({
      videos: fc.array(fc.integer({ min: 3, max: 400 }).map((tenths) => video(tenths / 10)), { minLength: 1, maxLength: 60 }), // prettier-ignore
      percent: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(cases, ({ videos, percent }) => {
        const given = allotLengths(videos, inTurn(videos), share(percent), 0, 0);
        const total = videos.reduce((sum, { seconds }) => sum + (seconds * percent) / 100, 0);
        const secondsOf = (at: number): number => {
          const each = given[at]!;
          return each === null ? 0 : each.kind === 'seconds' ? each.seconds : (videos[at]!.seconds * percent) / 100;
        };
        const films = given.flatMap((each, at) => (each === null ? [] : [at]));
        const used = films.reduce((sum, at) => sum + secondsOf(at), 0);
        const isSure = (at: number): boolean => (videos[at]!.seconds * percent) / 100 >= 0.75 * videos[at]!.least;
        if (films.length > 1 && !films.every(isSure)) expect(used).toBeLessThanOrEqual(total + 1e-5);
        expect(films.length).toBeGreaterThan(0);
        // Nothing that was left out would still fit.
        for (const [at, each] of given.entries())
          if (each === null) expect(used + videos[at]!.least).toBeGreaterThan(total);
      }),
    );
  });
});

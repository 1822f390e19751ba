import { describe, expect, it } from 'vitest';

import { keepEqual } from './keep-equal.js';

describe('parts that stay equal', () => {
  const read = () => ({
    film: null as { seconds: number } | null,
    videos: [
      { id: 'a', shots: [{ score: 1 }, { score: 0.5 }] },
      { id: 'b', shots: [{ score: 0.2 }] },
    ],
  });

  it('are the objects of before, and only what changed is new', () => {
    const [before, next] = [read(), read()];
    next.videos[0]!.shots[1]!.score = 0.7;
    const kept = keepEqual(before, next);
    expect(kept).toEqual({ ...read(), videos: [{ id: 'a', shots: [{ score: 1 }, { score: 0.7 }] }, before.videos[1]] });
    expect(kept.videos[1]).toBe(before.videos[1]);
    expect(kept.videos[0]!.shots[0]).toBe(before.videos[0]!.shots[0]);
    expect(kept.videos[0]).not.toBe(before.videos[0]);
    expect(kept).not.toBe(before);
  });

  it('are all of it if nothing changed', () => {
    const before = read();
    expect(keepEqual(before, read())).toBe(before);
  });

  it('are not taken for more or fewer, for nothing, or for a list', () => {
    const before = read();
    const [more, fewer] = [{ ...read(), title: 'x' }, { videos: read().videos }];
    expect(keepEqual(before, more)).toBe(more);
    expect(keepEqual(before, fewer)).toBe(fewer);
    expect(keepEqual(before, { ...read(), film: { seconds: 3 } }).film).toEqual({ seconds: 3 });
    expect(keepEqual([1], { 0: 1 } as unknown)).toEqual({ 0: 1 });
    expect(keepEqual({ a: undefined }, { b: undefined } as object)).toEqual({ b: undefined });
    expect(keepEqual(null, before)).toBe(before);
    expect(keepEqual(before, null)).toBe(null);
  });
});

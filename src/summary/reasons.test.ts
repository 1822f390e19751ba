import { describe, expect, it } from 'vitest';

import { reasonAgainst, reasonFor, shortReason, type Shown } from './index.js';

const names = { method: 'cvs', nameOf: (id: string) => `${id}.mp4` };
const flat = { total: 0.2, likeness: 0.1, distinct: 0.3, strength: 0 };
const by = (...videos: string[]) => videos.map((video, at) => ({ video, shot: at, similarity: 9 - at }));
const why = (shown: Shown, evidence = flat) => reasonFor({ evidence, shown }, names);

describe('why a shot is in a film', () => {
  it.each([
    [{ others: 7, own: 0, by: by('a', 'b', 'c', 'd', 'e') }, 'Five of the seven other videos show this: the closest are a.mp4 and b.mp4.'],
    [{ others: 4, own: 2, by: by('b', 'c') }, 'Two of the four other videos show this: b.mp4 and c.mp4.'],
    [{ others: 4, own: 2, by: by('b') }, 'One of the four other videos shows this: b.mp4.'],
    [{ others: 3, own: 0, by: by('a', 'b', 'c') }, 'All three other videos show this: the closest are a.mp4 and b.mp4.'],
    [{ others: 2, own: 0, by: by('a', 'b') }, 'Both other videos show this.'],
    [{ others: 1, own: 0, by: by('a') }, 'The other video shows this.'],
    [{ others: 14, own: 0, by: by(...'abcdefghijklm') }, '13 of the 14 other videos show this: the closest are a.mp4 and b.mp4.'],
    [{ others: 4, own: 0, by: [] }, 'Nothing else in the topic looks like this.'],
    [{ others: 4, own: 1, by: [] }, 'No other video shows this.'],
    [{ others: 4, own: 0, by: [], kin: by('c') }, 'No other video shows just this; one other video shows something like it: c.mp4.'],
    [{ others: 4, own: 0, by: [], kin: by('c', 'a') }, 'No other video shows just this; two other videos show something like it: the closest is c.mp4.'],
    [{ others: 4, own: 0, by: by('b'), kin: by('c', 'a') }, 'One of the four other videos shows this: b.mp4.'],
  ])('says who else shows it: %j', (shown, sentence) => {
    expect(why(shown)).toBe(sentence);
  }); // prettier-ignore

  it('names the strongest term from one deviation up, and no other', () => {
    const none = { others: 0, own: 0, by: [] };
    expect(why(none, { ...flat, strength: 1 })).toBe('There is more to see than in most of its video.');
    expect(why(none, { ...flat, strength: 1, distinct: 1.2 })).toContain('stands out more than most');
    expect(why(none, { ...flat, likeness: 2.5, distinct: 1.2 })).toContain('more like the other videos');
    expect(why(none, { ...flat, strength: 0.99 })).toBe('The evidence for it is above the average of its video.');
  });

  it('does not contradict itself where no other video shows a shot that is like the topic', () => {
    const alone = { others: 4, own: 1, by: [] };
    expect(why(alone, { ...flat, likeness: 2 })).toBe('No other video shows this. Still, it is more like the other videos of the topic than most of its own video.'); // prettier-ignore
  });

  it('says that it goes on from the shot before instead of who shows it', () => {
    const shown = { others: 2, own: 0, by: by('a', 'b') };
    expect(reasonFor({ evidence: { ...flat, strength: 1 }, shown, continues: true }, names)).toBe('It goes on from the shot before. There is more to see than in most of its video.'); // prettier-ignore
  });

  it('says that it is the strongest of its video where that is so and no term stands out', () => {
    const alone = { others: 4, own: 1, by: [] };
    const strongest = (change: object) => reasonFor({ evidence: { ...flat, ...change }, shown: alone, isStrongest: true }, names); // prettier-ignore
    expect(strongest({})).toBe('No other video shows this. It is the strongest shot of its video.');
    expect(strongest({ strength: 1.5 })).toBe('No other video shows this. There is more to see than in most of its video.'); // prettier-ignore
    expect(why(alone)).toBe('No other video shows this.');
  });

  it('says what is known where there is nothing else', () => {
    expect(reasonFor({ evidence: flat, pinned: true }, names)).toBe('Asked for by a wish.');
    expect(reasonFor({ evidence: null }, { ...names, method: 'smrs' })).toBe('Chosen by the method smrs.');
    expect(reasonFor({ evidence: { total: -1 } }, names)).toContain('a summary is never empty');
  });
});

it('says the same in a few words where they fit', () => {
  expect(shortReason({ shown: { others: 7, own: 0, by: by('a', 'b', 'c', 'd', 'e') } })).toBe('in 5 of 7 other videos');
  expect(shortReason({ shown: { others: 1, own: 0, by: by('a') } })).toBe('in the other video');
  expect(shortReason({ shown: { others: 7, own: 2, by: [] } })).toBe('');
  expect(shortReason({ shown: undefined })).toBe('');
  expect(shortReason({ pinned: true, shown: { others: 7, own: 0, by: by('a') } })).toBe('asked for');
});

describe('why a shot was left out', () => {
  const shot = (index: number, chosen: boolean, total: number) => ({
    ...{ index, chosen, startFrame: index * 50, endFrame: index * 50 + 50, take: 0, view: index, rank: 0, score: 0 },
    range: { start: index * 12, end: index * 12 + 12, base: { num: 1, den: 1 } },
    ...{ own: 0, shared: 0, support: [], evidence: { ...flat, total } },
  });
  const video = { id: 'v', shots: [shot(0, true, 1), shot(1, false, 0), shot(2, false, 2)] };
  const against = (index: number, change: object = {}) =>
    reasonAgainst({ ...video.shots[index]!, ...change }, video, names);

  it('a flaw, a twin, both', () => {
    expect(against(1, { flaws: [{ kind: 'black' }] })).toBe('Left out: black.');
    expect(against(1, { twin: { video: 'v', shot: 0 } })).toBe('Left out: the same view, 12 s later.');
    expect(against(1, { twin: { video: 'v', shot: 2 }, flaws: [{ kind: 'shaken' }] })).toBe('Left out: the same view, shaken, 12 s earlier.'); // prettier-ignore
    expect(against(1, { twin: { video: 'w', shot: 2 } })).toBe('Left out: the same view, in w.mp4.');
    expect(against(1, { vetoed: true, flaws: [{ kind: 'black' }] })).toBe('Left out: vetoed.');
  });

  it('the weaker evidence, in words that hold', () => {
    expect(against(1, { evidence: { ...flat, strength: -1.2 } })).toBe(
      'Left out: less to see than in most of its video.',
    );
    expect(against(1, { evidence: { ...flat, strength: -1.2, likeness: -2 } })).toContain('less like the other videos');
    expect(against(1)).toBe('Left out: there is more evidence for every shot that was chosen.');
    expect(against(2)).toBe('Left out: the length is used up by shots that together show more of the video.');
    expect(against(2, { evidence: null })).toBe('Left out by the method cvs.');
  });

  it('a video that has no film', () => {
    const without = { ...video, shots: video.shots.map((each) => ({ ...each, chosen: false })) };
    expect(reasonAgainst(without.shots[0]!, without, names)).toBe(
      'Left out: its video is too short for a film of its own.',
    );
  });
});

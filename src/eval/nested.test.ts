import { describe, expect, it } from 'vitest';
import type { Contender, Judgement } from './index.js';
import { judged, labelled } from './labelled.case.js';
import { candidateKey, type CandidateLists, chooseNested, nestedResults, scoreboard } from './scoreboard.js';

// Three topics of one video of ten shots. Two people agree, so one person is as good as can be.
const marks = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
const people: Judgement[] = [judged('one', marks), judged('two', marks)];
const videos = ['x', 'y', 'z'].map((topic) => labelled(`${topic}1`, topic, people, 10));
const good = [...marks.keys()];
const bad = good.toReversed();

/** A candidate that is right on some topics, and the reverse of right on the others. */
const rankings = (right: string): Map<string, Contender> =>
  new Map(videos.map(({ id, topic }) => [id, { order: right.includes(topic) ? good : bad }]));
const choice = { method: 'cvs' } as const;

function choose(right: Readonly<Record<string, string>>) {
  const lists: CandidateLists = { nested: Object.keys(right).map((name) => ({ name, choice })) };
  const ranked = Object.fromEntries(
    lists['nested']!.map((candidate) => [candidateKey('nested', candidate), rankings(right[candidate.name]!)]),
  );
  const board = scoreboard(videos, ranked, { draws: 200, resamples: 1, subject: '' });
  const record = chooseNested(lists, board);
  return { record, results: nestedResults(record.rows[0]!, videos, ranked) };
}

describe('nested choice', () => {
  it('takes for each topic what is best on the others, whatever it is worth on the topic itself', () => {
    const { record, results } = choose({ first: 'xy', second: 'yz', third: 'x' });
    expect(record.rows[0]!.chosen.map(({ topic, candidate }) => `${topic} ${candidate}`)).toEqual([
      'x second', // y and z
      'y first', // first is right on x alone of x and z, as second on z: the earlier of equals
      'z first', // x and y
    ]);
    // On x `second` is wrong, on y `first` is right, on z it is wrong.
    expect([...results.values()].map(({ order }) => order[0])).toEqual([9, 0, 9]);
  });

  it('scores choices on a scale from chance to one person: right on all topics is 1, the reverse about −1', () => {
    const { candidates } = choose({ right: 'xyz', wrong: '' }).record.rows[0]!;
    for (const value of candidates[0]!.onOthers) expect(value).toBeCloseTo(1, 10);
    for (const value of candidates[1]!.onOthers) expect(Math.abs(value + 1)).toBeLessThan(0.3);
    expect(candidates[0]!.perTopic.spearman).toEqual([1, 1, 1]);
  });

  it('refuses a single topic: there are no others', () => {
    const board = scoreboard(videos.slice(0, 1), {}, { draws: 1, resamples: 1 });
    expect(() => chooseNested({ nested: [] }, board)).toThrow('at least two topics to choose on the others, found x.');
  });
});

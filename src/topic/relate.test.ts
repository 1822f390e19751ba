import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf } from '../base/index.js';
import { mergeMoments, momentOf, problemsOfTopic, relateVideos, type Standing, weightsFor } from './index.js';
import { copied, filmed, plantedTopic, subjects } from './planted.case.js';

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed + 1);
const SIZES = [5, 8, 14];

const strayPlaces = (videos: readonly Matrix[]): number[] =>
  relateVideos(videos).standings.flatMap((standing, place) => (standing?.isStray ? [place] : []));

/** A video of other subjects, several of them. */
const stranger = (seed: number): Matrix => filmed(subjects(seed + 500), [0, 1, 2, 3, 4, 5, 0, 2], seed + 900);

describe('a stray', () => {
  it.each(SIZES)('is found among %i videos, and nobody else blamed', (size) => {
    for (const seed of SEEDS) {
      const topic = plantedTopic(seed, size);
      expect(strayPlaces(topic), `seed ${seed}, none planted`).toEqual([]);
      expect(strayPlaces([...topic, stranger(seed)]), `seed ${seed}`).toEqual([size]);
    }
  });

  it('is found beside another one, which would widen what seems typical', () => {
    for (const seed of SEEDS)
      expect(strayPlaces([stranger(seed), ...plantedTopic(seed, 8), stranger(seed + 40)])).toEqual([0, 9]);
  });

  it('does not vouch for itself by being there twice', () => {
    for (const seed of SEEDS) {
      const one = stranger(seed);
      expect(strayPlaces([...plantedTopic(seed, 8), one, copied(one, seed)]), `seed ${seed}`).toEqual([8, 9]);
    }
  });

  it('is a matter of several views: what one fixed camera shows is one witness', () => {
    for (const seed of SEEDS) {
      const topic = plantedTopic(seed, 6);
      const strange = subjects(seed + 500);
      const look = (shown: number[]): Standing =>
        relateVideos([...topic, filmed(strange, shown, seed, 0.01)]).standings.at(-1)!;
      const [many, one] = [look([0, 1, 2, 3, 4, 5]), look([3, 3, 3, 3, 3, 3])];
      expect(one.views).toBeLessThan(1.2);
      expect(many.views).toBeGreaterThan(3);
      const off = ({ typical, likeness }: Standing): number => typical - likeness;
      expect(one.unlikeness / off(one), `seed ${seed}`).toBeLessThan(0.7 * (many.unlikeness / off(many)));
    }
  });

  it.each([1, 2, 3, 4, 5])('cannot be told among %i videos', (size) => {
    const videos = [...plantedTopic(1, size - 1), stranger(1)];
    expect(relateVideos(videos).standings).toEqual(videos.map(() => null));
    expect(relateVideos(videos).votes).toEqual({ common: videos.map(() => 1) });
  });

  it('is nobody where every video shows something else', () => {
    for (const seed of SEEDS) {
      const videos = Array.from({ length: 6 }, (_, v) => stranger(seed * 20 + v));
      expect(strayPlaces(videos), `seed ${seed}`).toEqual([]);
    }
  });

  it('has numbers that can be followed by hand', () => {
    // Six videos of one shot each: five point the same way, one across, at a correlation of 0.6. The 9s are all pictures'.
    const [same, across] = [matrixOf([[10, 8, 9, 9]]), matrixOf([[9.6, 8.4, 9.8, 8.2]])];
    const { standings, votes } = relateVideos([same, same, same, same, same, across]);
    const odd = standings[5]!;
    expect(odd.likeness).toBeCloseTo(0.6, 12);
    expect(odd.typical).toBeCloseTo(1, 12);
    expect(odd.views).toBeCloseTo(1, 12);
    // s = 0.2·0.05·√(1 + 12/5); off by 0.4.
    expect(odd.unlikeness).toBeCloseTo(0.4 / (3.7 * 0.01 * Math.sqrt(3.4)), 9);
    expect(odd.isStray).toBe(true);
    expect(votes.common).toEqual([1, 1, 1, 1, 1, 0.25]);
  });
});

describe('doubles', () => {
  const pairs = (videos: readonly Matrix[]): number[][] =>
    relateVideos(videos).doubles.map(({ first, second }) => [first, second]);

  it('are found as copies, trimmed or not, and nothing else is', () => {
    for (const seed of SEEDS) {
      const topic = plantedTopic(seed, 6);
      expect(pairs(topic), `seed ${seed}`).toEqual([]);
      expect(pairs([...topic, copied(topic[2]!, seed)]), `seed ${seed}`).toEqual([[2, 6]]);
      expect(pairs([copied(topic[3]!, seed, { first: 1, last: 1 }), ...topic]), `seed ${seed}`).toEqual([[0, 4]]);
    }
  });

  it('are found among videos of very many shots, of which some are looked for', () => {
    const walk = Array.from({ length: 2400 }, (_, shot) => Math.floor(shot / 400));
    const [long, other] = [filmed(subjects(4), walk, 1), filmed(subjects(4), walk.toReversed(), 2)];
    expect(pairs([long, other, copied(long, 3, { first: 150, last: 70 })])).toEqual([[0, 2]]);
  });

  it('are not two recordings of one place: what is shown is the same, the order is not', () => {
    const place = subjects(4);
    const hour = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3];
    const [noon, one] = [filmed(place, hour, 1, 0.03), filmed(place, hour.toReversed(), 2, 0.03)];
    expect(pairs([noon, one])).toEqual([]);
    expect(pairs([noon, copied(noon, 3)])).toEqual([[0, 1]]);
  });

  it('are not told by fewer than four shots', () => {
    const short = filmed(subjects(1), [0, 1, 2], 1);
    expect(pairs([short, copied(short, 2)])).toEqual([]);
  });

  it('count once together, and not for each other', () => {
    const topic = plantedTopic(7, 5);
    const { groups, votes } = relateVideos([...topic, copied(topic[0]!, 1), copied(topic[0]!, 2)]);
    expect(groups).toEqual([[0, 5, 6]]);
    expect(votes.common).toEqual([1 / 3, 1, 1, 1, 1, 1 / 3, 1 / 3]);
    expect(weightsFor(5, votes)).toEqual([0, 1, 1, 1, 1, 0, 0]);
    expect(weightsFor(1, votes)).toEqual([1 / 3, 0, 1, 1, 1, 1 / 3, 1 / 3]);
  });

  it('that are all there is count for each other', () => {
    const [one] = plantedTopic(3, 1);
    const { votes } = relateVideos([one!, copied(one!, 1)]);
    expect(weightsFor(0, votes)).toEqual([0, 0.5]);
  });
});

describe('neighbours by similarity', () => {
  it('count more the nearer they are, and all together as before', () => {
    const topic = plantedTopic(2, 5);
    const near = copied(topic[0]!, 1, { noise: 0.06, first: 3 });
    const { votes } = relateVideos([...topic, near, stranger(2)], 'similar');
    const weights = weightsFor(0, votes);
    expect(weights[5]).toBeGreaterThan(Math.max(...weights.slice(1, 5)));
    expect(weights[6]).toBeLessThan(Math.min(...weights.slice(1, 5)));
    const equal = weightsFor(0, { common: votes.common });
    const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
    expect(sum(weights)).toBeCloseTo(sum(equal), 12);
  });
});

describe('the votes', () => {
  const videos = plantedTopic(5, 4, 5);
  const contextOf = (problem: ReturnType<typeof problemsOfTopic>[0], own: Matrix): Float64Array => {
    const taken = momentOf(own, problem.ownWeight).matrix.data;
    return problem.context!.matrix.data.map((value, at) => value - taken[at]!);
  };

  it('weigh the moments that a video is solved against, by whichever way is shorter', () => {
    const common = [0.5, 1, 0.25, 1];
    const special = [null, [0, 1, 0, 1], [2, 0.5, 1, 0], null];
    const votes = { common, special };
    problemsOfTopic(videos, 'moment', votes).forEach((problem, v) => {
      const weights = weightsFor(v, votes);
      const expected = mergeMoments(videos.map((video, w) => momentOf(video, weights[w]))).matrix.data;
      contextOf(problem, videos[v]!).forEach((value, at) => expect(value).toBeCloseTo(expected[at]!, 12));
    });
  });

  it('weigh the neighbours of methods that compare shots; who does not count is not there', () => {
    const [problem] = problemsOfTopic(videos, 'shots', { common: [1, 0.25, 0, 1] });
    expect(problem!.neighbors).toEqual([
      { features: videos[1], weight: 0.25 },
      { features: videos[3], weight: 1 },
    ]);
  });

  it('leave a video alone whose others do not count', () => {
    const [problem] = problemsOfTopic(videos, 'moment', {
      common: [1, 1, 1, 1],
      special: [[0, 0, 0, 0], null, null, null],
    });
    expect(problem!.context).toBeNull();
  });
});

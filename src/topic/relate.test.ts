import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, meanOfRows, stackRows, takeRows } from '../base/index.js';
import {
  compareVideos,
  type LikenessTable,
  mergeMoments,
  type Metric,
  momentOf,
  problemsOfTopic,
  relateVideos,
  weightsFor,
} from './index.js';
import { copied, filmed, plantedTopic, subjects } from './planted.case.js';

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed + 1);
const SIZES = [5, 8, 14];

/** A video of other subjects, several of them. */
const stranger = (seed: number, dim?: number): Matrix =>
  filmed(subjects(seed + 500, 6, dim), [0, 1, 2, 3, 4, 5, 0, 2], seed + 900);

/** As many numbers as vectors of pictures have, so that what is drawn apart is nearly at right angles. */
const LONG = 512;
const longTopic = (seed: number, size: number): Matrix[] => plantedTopic(seed, size, 8, LONG);
const longStranger = (seed: number): Matrix => stranger(seed, LONG);

/** What drawn pictures have in common; they vary alike in all directions. */
const metric: Metric = {
  mean: meanOfRows(matrixOf(Array.from({ length: 40 }, (_, seed) => meanOfRows(subjects(seed + 3000, 6, LONG))))),
  whitenRows: (V) => V,
};

async function tableOf(videos: readonly Matrix[], against: Metric | null = metric): Promise<LikenessTable | null> {
  const table = await compareVideos(videos.length, async (video) => videos[video]!, against);
  return table && { ...table, namesStrays: against !== null };
}

const strayPlaces = async (videos: readonly Matrix[]): Promise<number[]> =>
  relateVideos(videos, await tableOf(videos)).belongings.flatMap((belonging, at) => (belonging?.isStray ? [at] : []));

describe('a stray', () => {
  it.each(SIZES)('is found among %i videos, and no other video is', async (size) => {
    for (const seed of SEEDS) {
      const topic = longTopic(seed, size);
      expect(await strayPlaces(topic), `seed ${seed}, none planted`).toEqual([]);
      expect(await strayPlaces([...topic, longStranger(seed)]), `seed ${seed}`).toEqual([size]);
    }
  });

  it('is found beside another one, which would widen what seems typical', async () => {
    for (const seed of SEEDS)
      expect(await strayPlaces([longStranger(seed), ...longTopic(seed, 8), longStranger(seed + 40)])).toEqual([0, 9]);
  });

  it('does not vouch for itself by being there twice', async () => {
    for (const seed of SEEDS) {
      const one = longStranger(seed);
      expect(await strayPlaces([...longTopic(seed, 8), one, copied(one, seed)]), `seed ${seed}`).toEqual([8, 9]);
    }
  });

  it('is not a video of which half shows something else, nor one of a fixed camera', async () => {
    for (const seed of SEEDS) {
      const topic = longTopic(seed, 6);
      const half = stackRows([takeRows(topic[0]!, [0, 1, 2, 3]), takeRows(longStranger(seed), [0, 1, 2, 3])]);
      expect(await strayPlaces([...topic.slice(1), half]), `seed ${seed}`).toEqual([]);
      const fixed = filmed(subjects(seed + 500, 6, LONG), [3, 3, 3, 3, 3, 3], seed, 0.01);
      expect(await strayPlaces([...topic, fixed]), `seed ${seed}`).toEqual([]);
    }
  });

  it('is not named in topics of two or three, nor without a background', async () => {
    const videos = [...longTopic(1, 5), longStranger(1)];
    expect((await tableOf(videos.slice(4)))!).toBeNull();
    expect(relateVideos(videos.slice(4), null).belongings).toEqual([null, null]);
    expect(await strayPlaces(videos.slice(3))).toEqual([]);
    const { belongings, votes } = relateVideos(videos, await tableOf(videos, null));
    expect(belongings.map((belonging) => belonging!.isStray)).toEqual(videos.map(() => false));
    expect(votes).toEqual({ common: videos.map(() => 1) });
  });

  it('is nobody where every video shows something else', async () => {
    for (const seed of SEEDS) {
      const videos = Array.from({ length: 6 }, (_, v) => longStranger(seed * 20 + v));
      expect(await strayPlaces(videos), `seed ${seed}`).toEqual([]);
    }
  });
});

describe('belonging', () => {
  it('by hand: three videos at right angles to the mean, and the nearer half of a fourth', async () => {
    // μ = 0 and C + λI = diag(1, 4)⁻¹: whitened, (3, 2) is (3, 8), its length √(9 + 16) = 5.
    const drawn: Metric = {
      mean: new Float64Array(2),
      whitenRows: ({ data, ...V }) => ({ ...V, data: data.map((value, at) => value * (at % 2 === 0 ? 1 : 4)) }),
    };
    const [right, mixed] = [matrixOf([[1, 0]]), matrixOf([[3, 2], [-1, 0]])]; // prettier-ignore
    const { rows } = (await tableOf([right, right, mixed], drawn))!;
    // The mean of the third is (1, 1): ⟨(1, 0), (1, 1)⟩ = 1 and its length is √5. Of its own shots, cos = 3/5 and −1.
    [[1, 1, 1 / Math.sqrt(5)], [1, 1, 1 / Math.sqrt(5)], [0.6, 0.6, (3 + 8) / (5 * Math.sqrt(5))]].forEach((row, v) =>
      row.forEach((value, w) => expect(rows[v]![w]).toBeCloseTo(value, 12)),
    ); // prettier-ignore
  });

  it('is the median over the other videos, with the least of the others beside it', () => {
    const rows = [[1, 0.6, 0.5, 0.1], [0.6, 1, 0.4, 0.2], [0.5, 0.4, 1, 0.1], [0.1, 0.1, 0.0, 1]]; // prettier-ignore
    const table = {
      panel: [0, 1, 2, 3],
      rows: rows.map((row) => Float64Array.from(row)),
      against: 'background',
    } as const;
    const videos = longTopic(1, 4);
    const { belongings, votes } = relateVideos(videos, { ...table, namesStrays: true });
    expect(belongings.map((each) => each!.likeness)).toEqual([0.5, 0.4, 0.4, 0.1]);
    // Without the fourth: medians of 0.6, 0.5; of 0.6, 0.4; of 0.5, 0.4.
    expect(belongings[3]!.least).toBeCloseTo(0.45, 12);
    expect(belongings.map((each) => each!.nearest)).toEqual([1, 0, 0, 0]);
    expect(belongings.map((each) => each!.isStray)).toEqual([false, false, false, true]);
    // A verdict changes nothing about how videos count.
    expect(votes.common).toEqual([1, 1, 1, 1]);
  });

  it('accuses no video that one of the others is like, and of twenty others none that two are like', () => {
    const likenessTo = (count: number, near: readonly number[]): LikenessTable => ({
      panel: Array.from({ length: count + 1 }, (_, at) => at),
      rows: Array.from({ length: count + 1 }, (_, v) =>
        Float64Array.from({ length: count + 1 }, (__, w) =>
          v < count && w < count ? 0.5 : near.includes(v + w - count) ? 0.2 : 0,
        ),
      ),
      ...{ against: 'background', namesStrays: true },
    });
    const verdict = (count: number, near: readonly number[]) => {
      const videos = [...longTopic(1, count), longStranger(1)];
      return relateVideos(videos, likenessTo(count, near)).belongings.at(-1)!;
    };
    expect(verdict(8, [])).toMatchObject({ isStray: true, nearestLikeness: 0 });
    expect(verdict(8, [3])).toMatchObject({ isStray: false, nearest: 3, nearestLikeness: 0.2 });
    expect(verdict(20, [3])).toMatchObject({ isStray: true, nearest: 3, nearestLikeness: 0 });
    expect(verdict(20, [3, 5])).toMatchObject({ isStray: false, nearestLikeness: 0.2 });
  });

  it('compares very many videos with an even selection', async () => {
    const videos = longTopic(3, 60);
    const { panel, rows } = (await tableOf(videos))!;
    expect(panel).toHaveLength(48);
    expect(rows).toHaveLength(60);
    expect(relateVideos(videos, (await tableOf(videos))!).belongings.every((each) => each !== null)).toBe(true);
  });
});

describe('doubles', () => {
  const pairs = (videos: readonly Matrix[]): number[][] =>
    relateVideos(videos, null).doubles.map(({ first, second }) => [first, second]);

  it('are found as copies, trimmed or not, and nothing else is', () => {
    for (const seed of SEEDS) {
      const topic = plantedTopic(seed, 6);
      expect(pairs(topic), `seed ${seed}`).toEqual([]);
      expect(pairs([...topic, copied(topic[2]!, seed)]), `seed ${seed}`).toEqual([[2, 6]]);
      expect(pairs([copied(topic[3]!, seed, { first: 1, last: 1 }), ...topic]), `seed ${seed}`).toEqual([[0, 4]]);
    }
  });

  it('are found among videos of very many shots, of which some are looked for', { tags: 'slow' }, () => {
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
    const { groups, votes } = relateVideos([...topic, copied(topic[0]!, 1), copied(topic[0]!, 2)], null);
    expect(groups).toEqual([[0, 5, 6]]);
    expect(votes.common).toEqual([1 / 3, 1, 1, 1, 1, 1 / 3, 1 / 3]);
    expect(weightsFor(5, votes)).toEqual([0, 1, 1, 1, 1, 0, 0]);
    expect(weightsFor(1, votes)).toEqual([1 / 3, 0, 1, 1, 1, 1 / 3, 1 / 3]);
  });

  it('that are all there is count for each other', () => {
    const [one] = plantedTopic(3, 1);
    const { votes } = relateVideos([one!, copied(one!, 1)], null);
    expect(weightsFor(0, votes)).toEqual([0, 0.5]);
  });
});

describe('neighbours by similarity', () => {
  it('count more the nearer they are, and all together as before', () => {
    const topic = plantedTopic(2, 5);
    const near = copied(topic[0]!, 1, { noise: 0.06, first: 3 });
    const { votes } = relateVideos([...topic, near, stranger(2)], null, { neighbors: 'similar' });
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

import { describe, expect, it } from 'vitest';

import { type Matrix, random } from '../base/index.js';
import {
  decodeMoment,
  encodeMoment,
  mergeMoments,
  type Moment,
  MOMENT_RUN,
  momentOf,
  momentOfTopic,
  problemInTopic,
  problemsOfTopic,
  sumInRuns,
} from './index.js';

function shots(seed: number, count: number, dim: number): Matrix {
  const { normal } = random(seed);
  return { rows: count, cols: dim, data: Float64Array.from({ length: count * dim }, normal) };
}

/** As tasks do it: every node made apart from what the level below left in the store, in any order. */
function sumByNodes(moments: readonly Moment[]): Moment {
  let level = moments;
  do {
    const nodes: Moment[] = [];
    const count = Math.ceil(level.length / MOMENT_RUN);
    for (let k = count - 1; k >= 0; k--) {
      const children = level.slice(k * MOMENT_RUN, (k + 1) * MOMENT_RUN);
      nodes[k] = decodeMoment(encodeMoment(mergeMoments(children)));
    }
    level = nodes;
  } while (level.length > 1);
  return level[0]!;
}

function bitsOf({ matrix, ...facts }: Moment): unknown {
  return { ...facts, bits: Buffer.from(matrix.data.buffer.slice(0)).toString('hex') };
}

describe('the moment of a topic', () => {
  const many = Array.from({ length: 4161 }, (_, seed) => momentOf(shots(seed, 2, 3), 1 + (seed % 3) / 7));

  it.each([1, 2, 63, 64, 65, 127, 128, 129, 1000, 4095, 4096, 4097, 4160, 4161])(
    'of %i videos is the same bits from nodes as in one pass',
    (count) => {
      const some = many.slice(0, count);
      const whole = sumInRuns(some);
      expect(whole.videoCount).toBe(count);
      expect(bitsOf(sumByNodes(some))).toEqual(bitsOf(whole));
    },
  );

  it.each([1, 64, 130, 4090, 4200])(
    'of %i videos is the same bits as the sum of their moments, those that do not count left out',
    (count) => {
      const videos = Array.from({ length: count }, (_, seed) => shots(seed, seed % 4, 5));
      const common = videos.map((_, place) => (place % 9 === 2 ? 0 : 1 + (place % 3) / 7));
      const moments = videos
        .map((video, place) => momentOf(video, common[place]))
        .filter((_, place) => common[place]! > 0);
      expect(bitsOf(momentOfTopic(videos, { common }))).toEqual(bitsOf(sumInRuns(moments)));
    },
  );

  it('depends on its shape: a plain sum of so many differs in the last digits', () => {
    const [inRuns, plain] = [sumInRuns(many).matrix.data, mergeMoments(many).matrix.data];
    expect(inRuns).not.toEqual(plain);
    inRuns.forEach((value, at) => expect(value).toBeCloseTo(plain[at]!, 8));
  });

  it('is the same from its bytes, for widths at which products go by blocks', () => {
    const moment = momentOf(shots(1, 37, 70), 0.25);
    expect(bitsOf(decodeMoment(encodeMoment(moment)))).toEqual(bitsOf(moment));
  });

  it('of no videos is refused', () => {
    expect(() => sumInRuns([])).toThrow(expect.objectContaining({ code: 'no-moments' }));
  });
});

describe('the problem of one video', () => {
  const videos = Array.from({ length: 70 }, (_, seed) => shots(seed, 3, 4));
  const common = videos.map((_, video) => (video < 2 ? 0.5 : 1));
  const doubles = common.map((weight, video) => (video < 2 ? 0 : weight));
  const votes = { common, special: videos.map((_, video) => (video < 2 ? doubles : null)) };

  it.each(['none', 'moment', 'shots'] as const)('is that among all, knowing of the others: %s', (others) => {
    const moment = momentOfTopic(videos, votes);
    const all = problemsOfTopic(videos, others, votes);
    for (const video of [0, 1, 2, 69])
      expect(problemInTopic(video, others, { moment, votes, featuresOf: (at) => videos[at]! })).toEqual(all[video]);
  });

  it('looks at no other video unless it weighs some of them differently', () => {
    const asked = new Set<number>();
    const featuresOf = (at: number): Matrix => (asked.add(at), videos[at]!);
    const topic = { moment: momentOfTopic(videos, votes), votes, featuresOf };
    problemInTopic(5, 'moment', topic);
    expect([...asked]).toEqual([5]);
    problemInTopic(0, 'moment', topic);
    expect([...asked]).toEqual([5, 0, 1]);
  });
});

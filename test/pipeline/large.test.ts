import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { random } from '../../src/base/index.js';
import { optionsSchema } from '../../src/options/index.js';
import type { Run } from '../../src/run.js';
import type { AnalysedVideo } from '../../src/stages/analyse-videos.js';
import { wishesOf } from '../../src/stages/cut-video.js';
import { COMPARED_VIDEOS, POOLED_SHOTS } from '../../src/stages/limits.js';
import { poolShots } from '../../src/stages/pool-shots.js';
import { poseProblems, rankShotsOfTopic, rankVideo } from '../../src/stages/rank.js';
import { isCompared, relateTopic } from '../../src/stages/relate.js';
import { momentOfTopic, type Votes } from '../../src/topic/index.js';

const SHOTS = 6;
const DIM = 8;

function runOf(options: object = {}): Run {
  const shelf = null as unknown as Run['shelf'];
  return {
    ...{ options: optionsSchema.parse(options), jobs: 1, out: '', tell: () => undefined, signal: undefined, shelf },
    ...{ skipped: [], notes: [], budget: { kind: 'share', share: 0.5 }, conceptBudget: { kind: 'shots', shots: 3 } },
  };
}

/** A video that was never filmed: its vectors are drawn. */
function drawn(place: number): AnalysedVideo {
  const { normal } = random(place + 1);
  const base = { num: 1, den: 25 };
  const shots = Array.from({ length: SHOTS }, (_, index) => ({
    index,
    ...{ startFrame: index * 40, endFrame: index * 40 + 40 },
    range: { start: index * 40, end: index * 40 + 40, base },
  }));
  const data = Float32Array.from({ length: SHOTS * DIM }, () => Math.abs(normal()));
  const analysis = {
    ...{ shots, frameCount: SHOTS * 40, timeBase: base, frameRate: null, start: 0, end: SHOTS * 40 },
    ...{ features: { shotCount: SHOTS, dim: DIM, data }, warning: null, isDamaged: false, readWhole: null },
    picture: async () => Buffer.alloc(0),
    frameTicks: async () => new Float64Array(),
  };
  const name = `${place}.mp4`;
  return { id: String(place), name, path: name, analysis, blocks: [] } as unknown as AnalysedVideo;
}

describe('a topic of more videos than are compared with each other', () => {
  const videos = Array.from({ length: COMPARED_VIDEOS + 1 }, (_, place) => drawn(place));

  it('is ranked all the same, each video by itself and the topic’s moment alone, and says what was not done', async () => {
    const run = runOf();
    const related = relateTopic(videos, run);
    expect(related.votes).toEqual({ common: videos.map(() => 1) });
    const posed = poseProblems(related, run.options);
    const ranked = await rankShotsOfTopic(related, run, undefined, posed);
    expect(run.notes.map((note) => note.split(':')[0])).toEqual([
      expect.stringContaining(`up to ${COMPARED_VIDEOS} are compared`),
      `The topic has ${videos.length} videos`,
    ]);
    expect(ranked.every(({ shots }) => shots.every(({ support }) => support.length === 0))).toBe(true);

    const features = posed.vectors.features();
    const moment = momentOfTopic(features, related.votes);
    for (const place of [0, 63, 64, 500, COMPARED_VIDEOS]) {
      const asked = new Set<number>();
      const featuresOf = async (at: number) => (asked.add(at), features[at]!);
      const topic = { moment, votes: { count: videos.length }, featuresOf, idOf: (at: number) => String(at) };
      const wishes = await wishesOf(videos[place]!, { pin: [], veto: [], sequence: [], topicSequence: [] });
      const { ranking, supportersOf } = await rankVideo(place, topic, wishes, run);
      expect(await supportersOf([0, 5])).toEqual([
        { shot: 0, by: [] },
        { shot: 5, by: [] },
      ]);
      expect([...asked]).toEqual([place]);
      expect([...ranking.scores]).toEqual(ranked[place]!.shots.map(({ score }) => score));
    }
    expect(run.notes).toHaveLength(2);

    // Half of six shots each: more than can be solved as one video.
    const { pool } = poolShots(ranked, { kind: 'shots', shots: 3 }, run);
    expect(pool).toHaveLength(POOLED_SHOTS);
    expect(run.notes.at(-1)).toContain(`chosen from ${POOLED_SHOTS} of them`);
    const sources = pool.map(({ source }) => source);
    expect(sources).toEqual(sources.toSorted((a, b) => a - b));
    // The best of every video comes before the second best of any.
    expect(new Set(sources).size).toBe(videos.length);
    for (const { source, shot } of pool)
      expect(shot.rank).toBeLessThan(ranked[source]!.shots.filter((s) => s.chosen).length);
  }, 60_000);

  it('is compared up to that many', () => {
    const run = runOf();
    expect(isCompared(COMPARED_VIDEOS, run)).toBe(true);
    expect(run.notes).toEqual([]);
    expect(isCompared(COMPARED_VIDEOS + 1, run)).toBe(false);
    expect(run.notes).toHaveLength(1);
  });
});

/** Each counts once; two count half, and nothing for each other; each weighs the others in its own way. */
function votesOf(kind: 'equal' | 'doubles' | 'similar', count: number): Votes {
  const places = [...Array(count).keys()];
  const isDouble = (place: number): boolean => kind === 'doubles' && (place === 3 || place === 7);
  const common = places.map((place) => (isDouble(place) ? 0.5 : 1));
  if (kind === 'equal') return { common };
  const weightsOf = (place: number): number[] =>
    kind === 'doubles' ? common.map((weight, other) => (isDouble(other) ? 0 : weight)) : places.map((other) => ((place + other) % 5) / 4); // prettier-ignore
  return { common, special: places.map((place) => (kind === 'similar' || isDouble(place) ? weightsOf(place) : null)) };
}

describe('a topic of which few videos are held at a time', () => {
  it.each(['equal', 'doubles', 'similar'] as const)(
    'names the same supporters as one that is held whole: %s',
    async (kind) => {
      const videos = Array.from({ length: 40 }, (_, place) => drawn(place));
      const run = runOf();
      const related = { videos, votes: votesOf(kind, videos.length) };
      const posed = poseProblems(related, run.options);
      const ranked = await rankShotsOfTopic(related, run, undefined, posed);
      const features = posed.vectors.features();
      let [reading, most] = [0, 0];
      const topic = {
        ...{ moment: momentOfTopic(features, related.votes), votes: related.votes },
        idOf: (at: number) => related.videos[at]!.id,
        async featuresOf(at: number) {
          most = Math.max(most, ++reading);
          // The later are read sooner.
          await sleep((40 - at) / 10);
          reading--;
          return features[at]!;
        },
      };
      for (const place of [0, 3, 7, 39]) {
        const { ranking, supportersOf } = await rankVideo(place, topic, { pinned: [], vetoed: [] }, run);
        const { shots } = ranked[place]!;
        expect([...ranking.scores]).toEqual(shots.map(({ score }) => score));
        const chosen = shots.filter((shot) => shot.chosen);
        const named = await supportersOf(chosen.map(({ index }) => index));
        expect(named).toEqual(chosen.map(({ index, support }) => ({ shot: index, by: support })));
        expect(named.some(({ by }) => by.length > 0)).toBe(true);
      }
      expect(most).toBeLessThanOrEqual(16);
    },
    60_000,
  );
});

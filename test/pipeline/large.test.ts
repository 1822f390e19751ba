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
import { momentOfTopic } from '../../src/topic/index.js';

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
      const featuresOf = (at: number) => (asked.add(at), features[at]!);
      const topic = { moment, votes: related.votes, featuresOf, idOf: (at: number) => String(at) };
      const wishes = await wishesOf(videos[place]!, { pin: [], veto: [], sequence: [], topicSequence: [] });
      const { ranking } = await rankVideo(place, topic, wishes, run);
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

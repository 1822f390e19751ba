import { random } from '../../base/index.js';
import type { MethodName } from '../../select/index.js';
import type { Benchmark, Example } from '../benchmark.js';
import type { Contender } from '../jury.js';
import { meanOf } from '../metrics/names.js';
import { paperTables } from '../paper-figures.js';
import { scoreboard } from '../scoreboard.js';
import type { LabelledVideo, ScoreboardSettings } from '../types.js';

/** What a sample is made from; everything has a default, small where a test does not say otherwise. */
type SampleKnobs = {
  readonly topics?: readonly { readonly code: string; readonly title: string }[];
  readonly videosPerTopic?: number;
  readonly judges?: number;
  readonly shots?: number;
  readonly marks?: boolean;
  /** By method: 0 follows the people, 1 and more is mostly noise, below 0 the reverse of what people want. */
  readonly noise?: Readonly<Record<string, number>>;
  readonly paper?: boolean;
  readonly settings?: Partial<ScoreboardSettings>;
  readonly change?: Partial<Benchmark>;
};

/** The ten topics of TVSum, as the data set names them. */
export const TEN_TOPICS = Object.entries({
  VT: 'Changing Vehicle Tire',
  VU: 'Getting Vehicle Unstuck',
  GA: 'Grooming an Animal',
  MS: 'Making Sandwich',
  PK: 'Parkour',
  PR: 'Parade',
  FM: 'Flash Mob Gathering',
  BK: 'Bee Keeping',
  BT: 'Attempting Bike Tricks',
  DS: 'Dog Show',
}).map(([code, title]) => ({ code, title }));

const NOISE = {
  kmeans: 8,
  spectral: 7,
  smrs: 6,
  cosum: 5,
  'cvs-neighborhood': 5.5,
  'cvs-diversity': 4.4,
  cvs: 3.6,
};

/** A benchmark of drawn videos, scored by the real scoreboard: as the runner gives it. */
export function sampleBenchmark({
  topics = TEN_TOPICS.slice(0, 3),
  videosPerTopic = 3,
  judges = 4,
  shots = 24,
  marks = true,
  noise = NOISE,
  paper = true,
  settings = {},
  change = {},
}: SampleKnobs = {}): Benchmark {
  const drawn = topics.flatMap(({ code }, topic) =>
    Array.from({ length: videosPerTopic }, (_, index) =>
      drawVideo(`${code}-${index + 1}`, code, { seed: 100 * topic + index, judges, shots, marks }),
    ),
  );
  const videos = drawn.map(({ video }) => video);
  const methods = Object.fromEntries(
    Object.entries(noise).map(([name, amount], method) => [
      name,
      new Map(
        drawn.map(({ video, worth }, index) => [video.id, contender(worth, amount, 1000 * (method + 1) + index)]),
      ),
    ]),
  );
  const board = scoreboard(videos, methods, { draws: 10, resamples: 200, ...settings });
  return {
    schema: 'benchmark.2',
    throughline: '0.1.0',
    kind: 'methods',
    dataset: {
      name: 'tvsum',
      topics,
      notes: ['TVSum: video "xwqBXPGE9pQ" has 19 people instead of 20.'],
      files: [{ path: 'ydata-tvsum50.mat', sha256: '5e'.repeat(32) }],
      labelledVideos: videos.length,
      grid: 'scored',
    },
    protocol: [
      'Shots are the stretches people scored, two seconds each.',
      'A reference is the better half of the shots by one person’s scores.',
      'Every topic is ranked by itself; a method that looks at other videos sees those of the same topic only.',
    ],
    rows: Object.keys(noise).map((name) => ({
      name,
      choice: { method: name as MethodName, ...(name === 'kmeans' ? { seed: 1 } : {}) },
      features: { name: 'efficientnet-lite0', version: '1', dim: 1280 },
    })),
    nested: null,
    rankings: videos.map(({ id, shots: own, frameCount }) => ({
      video: id,
      starts: own.map(({ startFrame }) => startFrame),
      endFrame: frameCount,
      rows: Object.fromEntries(
        Object.entries(methods).map(([name, results]) => {
          const { order, scores } = results.get(id)!;
          return [name, [{ order, scores: scores ? Array.from(scores) : null }]];
        }),
      ),
    })),
    inputs: videos.map(({ id }, index) => ({ video: id, sha256: index.toString(16).padStart(2, '0').repeat(32) })),
    scoreboard: board,
    paper: paper ? paperOf(topics.map(({ code }) => code)) : null,
    examples: topics.flatMap(({ code }) =>
      examplesOf(
        videos.find(({ topic }) => topic === code)!,
        methods,
      ),
    ),
    skipped: [],
    notes: [],
    ...change,
  };
}

type Drawn = { readonly video: LabelledVideo; readonly worth: readonly number[] };

function drawVideo(
  id: string,
  topic: string,
  { seed, judges, shots, marks }: { seed: number; judges: number; shots: number; marks: boolean },
): Drawn {
  const { normal } = random(seed + 1);
  const worth = Array.from({ length: shots }, normal);
  const judgements = Array.from({ length: judges }, (_, judge) => {
    const given = Float64Array.from(worth, (value) => value + 1.6 * normal());
    const order = byValue(given);
    return {
      judge: String(judge + 1),
      reference: new Set(order.slice(0, Math.ceil(shots / 2))),
      order,
      marks: marks ? given : null,
    };
  });
  const frames = Array.from({ length: shots }, (_, shot) => ({ startFrame: 60 * shot, endFrame: 60 * (shot + 1) }));
  return { video: { id, topic, frameCount: 60 * shots, shots: frames, judgements }, worth };
}

function contender(worth: readonly number[], noise: number, seed: number): Contender {
  const { normal } = random(seed);
  const scores = worth.map((value) => (noise < 0 ? -value : value) + Math.abs(noise) * normal());
  return { order: byValue(scores), scores };
}

const byValue = (values: ArrayLike<number>): number[] =>
  Array.from(values, (_, shot) => shot).sort((one, other) => values[other]! - values[one]!);

function paperOf(codes: readonly string[]): NonNullable<Benchmark['paper']> {
  const { mean, topics } = paperTables.tvsum;
  const names = Object.keys(mean) as (keyof typeof mean)[];
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        mean: mean[name],
        topics: Object.fromEntries(codes.flatMap((code) => (topics[code] ? [[code, topics[code][name]]] : []))),
      },
    ]),
  );
}

function examplesOf(video: LabelledVideo, methods: Record<string, Map<string, Contender>>): Example[] {
  const rankings = ['cvs', 'cvs-neighborhood'].flatMap((row) => {
    const order = methods[row]?.get(video.id)?.order;
    if (!order) return [];
    const references = video.judgements.map(({ reference }) => reference);
    return [
      {
        row,
        p5: meanOf(references.map((reference) => order.slice(0, 5).filter((shot) => reference.has(shot)).length / 5))!,
        shots: order.slice(0, 5).map((shot) => ({
          shot,
          ...video.shots[shot]!,
          wantedBy: references.filter((reference) => reference.has(shot)).length / references.length,
        })),
      },
    ];
  });
  return rankings.length === 2 ? [{ video: video.id, topic: video.topic, rankings }] : [];
}

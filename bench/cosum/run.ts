// npm run bench:cosum -- TVSUM-FOLDER     the figures of docs/methods/baselines.md; writes results.txt
import { writeFileSync } from 'node:fs';

import { type Matrix, multiply, random, transpose } from '../../src/base/index.js';
import { scoreboard } from '../../src/eval/index.js';
import { takeBicliques } from '../../src/select/baselines/cosum.js';
import { cosum, cosumDefaults } from '../../src/select/index.js';
import { problemOf } from '../../src/topic/index.js';
import { machineFacts } from '../machine.js';
import { describeTvsum, FIGURES, figuresOf } from '../tvsum.js';

const described = await describeTvsum(process.argv[2], 'root');
const videos = described.map(({ video: { id, topic }, features }) => ({ id, topic, features }));
type Labelled = (typeof videos)[number];
const topics = [...new Set(videos.map(({ topic }) => topic))];
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));
const cosines = (one: Matrix, other: Matrix): Matrix => multiply(one, transpose(other));
const others = (video: Labelled): Labelled[] =>
  videos.filter((other) => other.topic === video.topic && other !== video);
const pairs = videos.flatMap((one, at) => videos.slice(at + 1).map((other) => [one, other] as const));

say(`TVSum, ${videos.length} videos, topics ${topics.join(' ')}; threshold ${cosumDefaults.threshold}`);
const edgeShare = (
  wanted: (one: Labelled, other: Labelled) => boolean,
  features: (video: Labelled) => Matrix,
): string => {
  let [edges, total] = [0, 0];
  for (const [one, other] of pairs.filter(([one, other]) => wanted(one, other))) {
    const { data } = cosines(features(one), features(other));
    for (const cosine of data) if (cosine >= cosumDefaults.threshold) edges++;
    total += data.length;
  }
  return `${((100 * edges) / total).toFixed(1)} %`;
};
const centred = new Map(topics.flatMap((topic) => centre(videos.filter((video) => video.topic === topic))));
for (const topic of topics) {
  const within = (one: Labelled, other: Labelled): boolean => one.topic === topic && other.topic === topic;
  say(
    `  pairs of shots that are edges, two videos of ${topic}: ${edgeShare(within, ({ features }) => features)},` +
      ` centred ${edgeShare(within, (video) => centred.get(video)!)}`,
  );
}
say(
  `  two videos of different topics: ${edgeShare(
    (one, other) => one.topic !== other.topic,
    ({ features }) => features,
  )}`,
);

say(`${FIGURES}; shots with a score`);
const labels = described.map(({ video }) => video);
for (const centering of ['none', 'topic'] as const) {
  const ranked = new Map(
    videos.map((video) => {
      const problem = problemOf(video.features, null, { neighbors: others(video) });
      return [video.id, cosum({ centering }).select(problem)];
    }),
  );
  const all = [...ranked.values()].flatMap(({ scores }) => Array.from(scores));
  const share = (100 * all.filter((score) => score > 0).length) / all.length;
  const { rows } = scoreboard(labels, { cosum: ranked }, { resamples: 1 });
  if (centering === 'none')
    say(
      figuresOf(
        rows.find(({ name }) => name === 'random')!,
        'random',
      ),
    );
  say(`${figuresOf(rows.at(-1)!, `centering '${centering}'`)}   ${share.toFixed(0)} %`);
}

say(
  `f of the first biclique from ${cosumDefaults.starts} starts, as a share of f from every shot (first two videos of each topic)`,
);
for (const topic of topics) {
  const [one, other] = videos.filter((video) => video.topic === topic) as [Labelled, Labelled];
  const from = (starts: number): number => {
    const C = cosines(one.features, other.features);
    C.data.forEach((cosine, at) => (C.data[at] = cosine < cosumDefaults.threshold ? 0 : cosine));
    return takeBicliques(C, { ...cosumDefaults, starts }).next().value!.objective;
  };
  say(`  ${topic}  ${((100 * from(cosumDefaults.starts)) / from(Infinity)).toFixed(0)} %`);
}

say(`CPU seconds a video, one thread; shots drawn from all videos, 1280 numbers each`);
for (const [shots, otherShots, count] of [
  [500, 500, 39],
  [5000, 500, 2],
  [2000, 2000, 1],
] as const) {
  // prettier-ignore
  const problem = problemOf(drawn(1, shots), null, {
    neighbors: Array.from({ length: count }, (_, at) => ({ features: drawn(2 + at, otherShots) })),
  });
  const start = process.cpuUsage();
  cosum().select(problem);
  say(`  ${shots} shots, ${count} × ${otherShots} others: ${(process.cpuUsage(start).user / 1e6).toFixed(1)}`);
}
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

/** Unit vectors about the mean of a topic's shots. */
function centre(topic: readonly Labelled[]): [Labelled, Matrix][] {
  const { cols } = topic[0]!.features;
  const shots = topic.reduce((sum, { features }) => sum + features.rows, 0);
  const middle = new Float64Array(cols);
  for (const { features } of topic) features.data.forEach((value, at) => (middle[at % cols]! += value / shots));
  return topic.map((video) => {
    const data = video.features.data.map((value, at) => value - middle[at % cols]!);
    for (let at = 0; at < data.length; at += cols) {
      const row = data.subarray(at, at + cols);
      const length = Math.hypot(...row) || 1;
      row.forEach((value, k) => (row[k] = value / length));
    }
    return [video, { ...video.features, data }];
  });
}

/** A video of shots drawn from all videos, each number moved by a tenth of itself. */
function drawn(seed: number, rows: number): Matrix {
  const { below, normal } = random(seed);
  const { cols } = videos[0]!.features;
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    const { features } = videos[below(videos.length)]!;
    const from = below(features.rows) * cols;
    for (let k = 0; k < cols; k++) data[i * cols + k] = features.data[from + k]! * (1 + 0.1 * normal());
  }
  return { rows, cols, data };
}

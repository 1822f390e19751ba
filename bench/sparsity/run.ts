// npx tsx bench/sparsity/run.ts TVSUM-FOLDER     the table of docs/decisions/0003-sparsity-and-smoothing.md
import { writeFileSync } from 'node:fs';

import { random, UsageError } from '../../src/base/index.js';
import { cvs, type CvsKnobs } from '../../src/select/index.js';
import { mergeMoments, momentOf, problemOf } from '../../src/topic/index.js';
import { readTvsum, type Labelled } from './tvsum.js';

const folder = process.argv[2];
if (!folder)
  throw new UsageError('no-data', 'Expected the TVSum folder (ydata-tvsum50.mat, videos/), found none. Name it.');
const videos = await readTvsum(folder);
const topics = [...new Set(videos.map((video) => video.topic))];
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const byMark = (marks: readonly number[]): number[] => [...marks.keys()].sort((i, j) => marks[j]! - marks[i]! || i - j);

/** An annotator's reference: the half of the shots with the highest marks, rounded down, ties to the earlier. */
const referenceOf = (marks: readonly number[]): Set<number> =>
  new Set(byMark(marks).slice(0, Math.floor(marks.length / 2)));

/** Average precision of the first k, textbook form: divided by min(k, |reference|). */
function precision(order: readonly number[], reference: Set<number>, k: number): number {
  let [hits, sum] = [0, 0];
  order.slice(0, k).forEach((shot, place) => {
    if (reference.has(shot)) sum += ++hits / (place + 1);
  });
  return sum / Math.min(k, reference.size);
}

type Scored = { at5: Map<string, number>; at15: Map<string, number> };

function score(orderOf: (video: Labelled) => readonly number[]): Scored {
  const scored: Scored = { at5: new Map(), at15: new Map() };
  for (const video of videos) {
    const order = orderOf(video);
    const references = video.marks.map(referenceOf);
    scored.at5.set(video.id, mean(references.map((reference) => precision(order, reference, 5))));
    scored.at15.set(video.id, mean(references.map((reference) => precision(order, reference, 15))));
  }
  return scored;
}

/** Mean over videos, then over topics. */
function overall(values: ReadonlyMap<string, number>, over: readonly string[] = topics): number {
  return mean(
    over.map((topic) => mean(videos.filter((video) => video.topic === topic).map((video) => values.get(video.id)!))),
  );
}

const row = (name: string, { at5, at15 }: Scored): void =>
  say(`  ${name.padEnd(52)} ${overall(at5).toFixed(3)}   ${overall(at15).toFixed(3)}`);

const moments = new Map(
  topics.map((topic) => [
    topic,
    mergeMoments(videos.filter((video) => video.topic === topic).map((video) => momentOf(video.features))),
  ]),
);
const inTopic = new Map(
  videos.map((video) => [video.id, problemOf(video.features, moments.get(video.topic)!, { ownWeight: 1 })]),
);
const alone = new Map(videos.map((video) => [video.id, problemOf(video.features, null)]));
const withKnobs = (knobs: Partial<CvsKnobs>, problems = inTopic): Scored =>
  score((video) => cvs(knobs).select(problems.get(video.id)!).order);

say(
  `TVSum, ${videos.length} videos, topics ${topics.join(' ')}: AP@5, AP@15 (textbook form, mean over annotators, videos, topics)`,
);
const source = random(1);
const shuffles = Array.from({ length: 100 }, () =>
  score((video) => {
    const order = Array.from({ length: video.features.rows }, (_, shot) => shot);
    for (let i = order.length - 1; i > 0; i--) {
      const j = source.below(i + 1);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    return order;
  }),
);
say(
  `  ${'random (100 shuffles)'.padEnd(52)} ${mean(shuffles.map((one) => overall(one.at5))).toFixed(3)}   ${mean(shuffles.map((one) => overall(one.at15))).toFixed(3)}`,
);
for (const [name, pick] of [
  ['worst', (values: number[]) => Math.min(...values)],
  ['mean', mean],
  ['best', (values: number[]) => Math.max(...values)],
] as const) {
  const human = (k: number): Map<string, number> =>
    new Map(
      videos.map(({ id, marks }) => {
        const each = marks.map((own, me) =>
          mean(marks.flatMap((other, you) => (you === me ? [] : [precision(byMark(own), referenceOf(other), k)]))),
        );
        return [id, pick(each)];
      }),
    );
  row(`one human against the others, ${name}`, { at5: human(5), at15: human(15) });
}
const defaults = withKnobs({});
row('cvs, defaults (sparsity 0.4, smoothing 1)', defaults);
const gains = videos.map(({ id }) => defaults.at5.get(id)! - mean(shuffles.map((one) => one.at5.get(id)!)));
const spread = Math.sqrt(
  gains.reduce((sum, gain) => sum + (gain - mean(gains)) ** 2, 0) / (gains.length - 1) / gains.length,
);
say(`    above random by ${mean(gains).toFixed(3)} a video, standard error ${spread.toFixed(3)}`);
for (const topic of topics) {
  const chance = mean(shuffles.map((one) => overall(one.at5, [topic])));
  say(`    ${topic}  ${overall(defaults.at5, [topic]).toFixed(3)}  (random ${chance.toFixed(3)})`);
}

const grid = [0.5, 1, 2].flatMap((smoothing) =>
  [0.6, 0.5, 0.4, 0.3, 0.2].map((sparsity) => ({
    name: `smoothing ${smoothing}, sparsity ${sparsity}`,
    scored: withKnobs({ smoothing, sparsity }),
  })),
);
for (const { name, scored } of grid) row(name, scored);
const heldOut = topics.map((topic) => {
  const rest = topics.filter((other) => other !== topic);
  const best = grid.toSorted((a, b) => overall(b.scored.at5, rest) - overall(a.scored.at5, rest))[0]!;
  return overall(best.scored.at5, [topic]);
});
say(`  ${'chosen on the other topics, scored on the one left out'.padEnd(52)} ${mean(heldOut).toFixed(3)}`);

for (const sparsity of [0.3, 0.2, 0.15])
  row(`λ0 as reference, ${sparsity} of it`, withKnobs({ sparsity, sparsityScale: 'lambdaZero' }));
for (const sparsity of [0.4, 0.2])
  row(`eq. 5 itself (smoothing 0), sparsity ${sparsity}`, withKnobs({ sparsity, smoothing: 0 }));
row('no diversity', withKnobs({ diversity: 0 }));
row('no consensus', withKnobs({ consensus: 0 }));
for (const [smoothing, sparsity] of [
  [1, 0.4],
  [0.3, 0.4],
  [0.3, 0.3],
  [0, 0.4],
] as const) {
  row(
    `without the other videos, smoothing ${smoothing}, sparsity ${sparsity}`,
    withKnobs({ smoothing, sparsity }, alone),
  );
}
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

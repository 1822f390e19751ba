// npm run bench:neighbors -- TVSUM-FOLDER     the table of docs/topics.md, "Nearer videos"
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import type { Matrix } from '../../src/base/index.js';
import { scoreboard, type ScoreRow } from '../../src/eval/index.js';
import { rankAll } from '../../src/eval/rank-all.js';
import { relateVideos, type Votes } from '../../src/topic/index.js';
import { machineFacts } from '../machine.js';
import { describeTvsum } from '../tvsum.js';

const SCALES = [0.02, 0.05, 0.1, 0.2, 0.4];
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

const videos = await describeTvsum(process.argv[2], 'root');
const labelled = videos.map(({ video }) => video);

/** The rows of a scoreboard with the others' votes weighted by their likeness at this scale, or all the same. */
async function scoresAt(scale: number | null): Promise<readonly ScoreRow[]> {
  const votesOf = (features: readonly Matrix[]): Votes =>
    relateVideos(features, 'similar', { similarScale: scale! }).votes;
  const workers = availableParallelism();
  const rankings = await rankAll(
    videos,
    { cvs: { method: 'cvs' } },
    { workers, ...(scale === null ? {} : { votesOf }) },
  );
  const { topics, rows } = scoreboard(labelled, rankings, { draws: 100, resamples: 1000, ties: 'earlier' });
  codes = topics;
  return rows;
}

let codes: readonly string[] = [];
const equal = await scoresAt(null);
const rowNamed = (rows: readonly ScoreRow[], name: string): ScoreRow => rows.find((row) => row.name === name)!;
const similar: { scale: number; row: ScoreRow }[] = [];
for (const scale of SCALES) similar.push({ scale, row: rowNamed(await scoresAt(scale), 'cvs') });

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const show = (name: string, ap5: readonly number[], ap15: number): void =>
  say(`  ${name.padEnd(24)} ${[mean(ap5), ap15].map((value) => value.toFixed(3)).join('   ')}     ${ap5.map((value) => value.toFixed(3)).join('   ')}`); // prettier-ignore
const ap5Of = ({ scores }: ScoreRow): number[] => codes.map((_, at) => scores.ap5.perTopic[at]!);
const ap15Of = ({ scores }: ScoreRow): number[] => codes.map((_, at) => scores.ap15.perTopic[at]!);

/** For each topic the scale that is best on the others. */
const chosen = codes.map((_, left) => {
  const onOthers = ({ row }: (typeof similar)[0]): number => mean(ap5Of(row).filter((__, at) => at !== left));
  return similar.toSorted((a, b) => onOthers(b) - onOthers(a))[0]!;
});

say(`TVSum, ${videos.length} videos, cvs: AP@5, AP@15 (textbook), then AP@5 of ${codes.join(' ')}`);
for (const [name, key] of [
  ['mean human', 'humanMean'],
  ['random', 'random'],
  ['equal', 'cvs'],
] as const) {
  // prettier-ignore
  show(name, ap5Of(rowNamed(equal, key)), mean(ap15Of(rowNamed(equal, key))));
}
show(
  'similar, scale held out',
  chosen.map(({ row }, at) => ap5Of(row)[at]!),
  mean(chosen.map(({ row }, at) => ap15Of(row)[at]!)),
);
say(`    chosen by AP@5 on the four other topics: ${chosen.map(({ scale }) => scale).join(', ')}`);
const leads = labelled.map(({ topic }, video) => {
  const { row } = chosen[codes.indexOf(topic)]!;
  return row.scores.ap5.perVideo[video]! - rowNamed(equal, 'cvs').scores.ap5.perVideo[video]!;
});
const error = Math.sqrt(mean(leads.map((lead) => (lead - mean(leads)) ** 2)) / (leads.length - 1));
say(`    ahead of equal by ${mean(leads).toFixed(3)} in the mean over videos, standard error ${error.toFixed(3)}`);
for (const { scale, row } of similar) show(`similar ${scale}`, ap5Of(row), mean(ap15Of(row)));
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

// npm run bench:sparsity -- TVSUM-FOLDER     the table of docs/decisions/0003-sparsity-and-smoothing.md
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { scoreboard, type ScoreRow } from '../../src/eval/index.js';
import { rankAll } from '../../src/eval/rank-all.js';
import { NORMALISATIONS } from '../../src/features/index.js';
import type { MethodChoice } from '../../src/select/index.js';
import { machineFacts } from '../machine.js';
import { describeTvsum } from '../tvsum.js';

const workers = availableParallelism();
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

const SMOOTHINGS = [0.5, 1, 2, 4];
const SPARSITIES = [0.2, 0.3, 0.4, 0.5, 0.6];
const rows: { name: string; row: ScoreRow }[] = [];
let topics: readonly string[] = [];
for (const normalise of NORMALISATIONS) {
  const videos = await describeTvsum(process.argv[2], normalise);
  const choices: Record<string, MethodChoice> = {};
  for (const smoothing of SMOOTHINGS)
    for (const sparsity of SPARSITIES)
      choices[`${normalise}, smoothing ${smoothing}, sparsity ${sparsity}`] = {
        method: 'cvs',
        knobs: { smoothing, sparsity },
      };
  choices[`${normalise}, eq. 5 itself (smoothing 0), sparsity 0.3`] = {
    method: 'cvs',
    knobs: { smoothing: 0, sparsity: 0.3 },
  };
  for (const diversity of [0, 0.1])
    choices[`${normalise}, defaults, diversity ${diversity}`] = { method: 'cvs', knobs: { diversity } };
  choices[`${normalise}, defaults, no consensus`] = { method: 'cvs', knobs: { consensus: 0 } };
  for (const [smoothing, sparsity] of [
    [2, 0.5],
    [0.3, 0.3],
    [0.3, 0.4],
    [0, 0.4],
  ] as const)
    // prettier-ignore
    choices[`${normalise}, the video alone, smoothing ${smoothing}, sparsity ${sparsity}`] = { method: 'cvs-neighborhood', knobs: { smoothing, sparsity } };
  const labelled = videos.map(({ video }) => video);
  const board = scoreboard(labelled, await rankAll(videos, choices, { workers }), {
    draws: 100,
    resamples: 1000,
    ties: 'earlier',
  });
  topics = board.topics;
  if (rows.length === 0) {
    say(
      `TVSum, ${videos.length} videos, topics ${topics.join(' ')}: AP@5, AP@15 (textbook form), highlight top-5, Kendall τ`,
    );
    for (const row of board.rows) if (row.kind !== 'method') rows.push({ name: row.name, row });
  }
  for (const row of board.rows) if (row.kind === 'method') rows.push({ name: row.name, row });
}
for (const { name, row } of rows) {
  const values = [row.scores.ap5, row.scores.ap15, row.scores.highlightTop5, row.scores.kendall];
  say(`  ${name.padEnd(52)} ${values.map(({ overall }) => overall!.toFixed(3)).join('   ')}`);
}

// What a choice on some topics is worth on another: the honest figure for defaults chosen on these very topics.
const grid = rows.filter(({ name }) => /, smoothing [\d.]+, sparsity/.test(name) && !name.includes('alone'));
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const on = (row: ScoreRow, places: readonly number[]): number =>
  mean(places.map((place) => row.scores.ap5.perTopic[place]!));
const places = [...topics.keys()];
const heldOut = places.map((left) => {
  const rest = places.filter((place) => place !== left);
  const best = grid.toSorted((a, b) => on(b.row, rest) - on(a.row, rest))[0]!;
  return { best, value: on(best.row, [left]) };
});
say(
  `  ${'chosen on the other topics, scored on the one left out'.padEnd(52)} ${mean(heldOut.map(({ value }) => value)).toFixed(3)}`,
);
heldOut.forEach(({ best, value }, place) => say(`    ${topics[place]}  ${value.toFixed(3)}  (${best.name})`));
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

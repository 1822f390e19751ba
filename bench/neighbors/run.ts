// npm run bench:neighbors -- TVSUM-FOLDER     the table of docs/topics.md, "Nearer videos"
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { scoreboard, type ScoreRow } from '../../src/eval/index.js';
import { rankAll } from '../../src/eval/rank-all.js';
import { relateVideos } from '../../src/topic/index.js';
import { describeTvsum } from '../tvsum.js';

const SCALES = [0.02, 0.05, 0.1, 0.2, 0.4];
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};

const videos = await describeTvsum(process.argv[2], 'root');
const labelled = videos.map(({ video }) => video);
const rows: { name: string; row: ScoreRow }[] = [];
let topics: readonly string[] = [];
for (const scale of [null, ...SCALES]) {
  const rankings = await rankAll(videos, { cvs: { method: 'cvs' } }, {
    workers: availableParallelism(),
    ...(scale === null
      ? {}
      : { votesOf: (features) => relateVideos(features, 'similar', { similarScale: scale }).votes }),
  }); // prettier-ignore
  const board = scoreboard(labelled, rankings, { draws: 1, resamples: 1000 });
  topics = board.topics;
  rows.push({
    name: scale === null ? 'equal' : `similar ${scale}`,
    row: board.rows.find(({ name }) => name === 'cvs')!,
  });
}

say(`TVSum, ${videos.length} videos, cvs: AP@5, AP@15, then AP@5 of ${topics.join(' ')}`);
for (const { name, row } of rows) {
  const { ap5, ap15 } = row.scores;
  const each = topics.map((_, at) => ap5.perTopic[at]!.toFixed(3)).join('   ');
  say(`  ${name.padEnd(14)} ${ap5.overall!.toFixed(3)}   ${ap15.overall!.toFixed(3)}     ${each}`);
}
const held = topics.map((_, left) => {
  const others = (row: ScoreRow): number =>
    topics.reduce((sum, __, at) => (at === left ? sum : sum + row.scores.ap5.perTopic[at]!), 0);
  const best = rows.toSorted((a, b) => others(b.row) - others(a.row))[0]!;
  return { name: best.name, value: best.row.scores.ap5.perTopic[left]! };
});
const mean = held.reduce((sum, { value }) => sum + value, 0) / held.length;
say(`Chosen on four topics, scored on the fifth: ${mean.toFixed(3)} (${held.map(({ name }) => name).join(', ')})`);
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

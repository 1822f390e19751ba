// npm run bench:neighbors -- TVSUM-FOLDER     the table of docs/topics.md, "Nearer videos"
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import type { Matrix } from '../../src/base/index.js';
import { type Contender, LEAD_METRICS, METRICS, scoreboard } from '../../src/eval/index.js';
import { candidateKey, chooseNested, nestedResults } from '../../src/eval/nested.js';
import { rankAll } from '../../src/eval/rank-all.js';
import { relateVideos, type Votes } from '../../src/topic/index.js';
import { machineFacts } from '../machine.js';
import { describeTvsum, FIGURES, figuresOf } from '../tvsum.js';

const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

const videos = await describeTvsum(process.argv[2], 'root');
const labelled = videos.map(({ video }) => video);
const choice = { method: 'cvs' } as const;

/** Every video ranked with the others' votes weighted by their likeness at this scale, or all the same. */
async function rankAt(scale: number | null): Promise<Map<string, Contender>> {
  const votesOf = (features: readonly Matrix[]): Votes =>
    relateVideos(features, 'similar', { similarScale: scale! }).votes;
  const course = { workers: availableParallelism(), ...(scale === null ? {} : { votesOf }) };
  return (await rankAll(videos, { cvs: choice }, course)).cvs;
}

const equal = await rankAt(null);
const candidates = [0.02, 0.05, 0.1, 0.2, 0.4].map((scale) => ({ name: String(scale), choice, scale }));
const ranked: Record<string, Map<string, Contender>> = {};
for (const candidate of candidates) ranked[candidateKey('similar', candidate)] = await rankAt(candidate.scale);

// For each topic the scale that is best on the others.
const { rows } = chooseNested({ similar: candidates }, scoreboard(labelled, ranked, { resamples: 1, subject: '' }));
const heldOut = 'similar, scale held out';
const results = { [heldOut]: nestedResults(rows[0]!, labelled, ranked), equal, ...ranked };
const board = scoreboard(labelled, results, { subject: heldOut });

say(`TVSum, ${videos.length} videos, cvs: ${FIGURES}`);
for (const row of board.rows) {
  if (row.kind === 'human' && row.name !== 'humanMean') continue;
  say(figuresOf(row, row.name === 'humanMean' ? 'one person' : row.name));
}
say(`  chosen for ${rows[0]!.chosen.map(({ topic, candidate }) => `${topic} ${candidate}`).join(', ')}`);
const { scores } = board.rows.find(({ name }) => name === 'equal')!;
for (const name of LEAD_METRICS) {
  const { overall, byTopic, byVideo } = scores[name].subjectLead!;
  say(
    `  held out ahead of equal by ${overall.toFixed(3)} ${METRICS[name]}, better in ${byTopic?.ahead} of ${byTopic?.topicCount} topics (p ${byTopic?.p.toFixed(3)}), over videos p ${byVideo?.p.toFixed(3)}`,
  );
}
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

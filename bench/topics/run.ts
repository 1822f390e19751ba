// npm run bench:topics -- TVSUM-FOLDER FOLDER...     the table of docs/decisions/0015-topics-of-a-folder.md; each FOLDER is one topic
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';

import { readTvsum } from '../../src/eval/datasets/index.js';
import { findTopics, type TopicsDocument } from '../../src/index.js';
import { VIDEO_ENDINGS } from '../../src/inputs.js';

const [tvsum, ...folders] = process.argv.slice(2);
const truth = new Map<string, string>();
const listVideos = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => VIDEO_ENDINGS.has(extname(name)))
    .sort()
    .map((name) => join(folder, name));
for (const folder of folders) for (const path of listVideos(folder)) truth.set(path, basename(folder));
const given = [...truth.keys()];
const labels = new Map((await readTvsum(tvsum!)).videos.map(({ id, topic }) => [id, topic]));
const labelled = listVideos(join(tvsum!, 'videos'));
for (const path of labelled) truth.set(path, labels.get(basename(path, extname(path)))!);

const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
const out = mkdtempSync(join(tmpdir(), 'throughline-topics-'));

/** How well groups fit the topics: Hubert and Arabie's adjusted Rand index, and the share of videos in their group's majority. */
function score({ topics, alone }: TopicsDocument, paths: readonly string[]): { ari: number; purity: number } {
  const topicOf = new Map(paths.map((path) => [basename(path), truth.get(path)!]));
  const groups = [...topics.map(({ videos }) => videos), ...alone.map((video) => [video])];
  const sides = groups.flatMap((group, at) =>
    group.map(({ path }) => ({ group: String(at), topic: topicOf.get(path)! })),
  );
  const pairs = (count: number): number => (count * (count - 1)) / 2;
  const together = (keyOf: (side: (typeof sides)[0]) => string): number => {
    const counts = new Map<string, number>();
    for (const side of sides) counts.set(keyOf(side), (counts.get(keyOf(side)) ?? 0) + 1);
    return [...counts.values()].reduce((sum, count) => sum + pairs(count), 0);
  };
  const [both, a, b] = [
    together(({ group, topic }) => `${group} ${topic}`),
    together(({ group }) => group),
    together(({ topic }) => topic),
  ];
  const chance = (a * b) / pairs(sides.length);
  const ari = (a + b) / 2 === chance ? 1 : (both - chance) / ((a + b) / 2 - chance);
  const major = topics.map(({ videos }) => {
    const counts = new Map<string, number>();
    for (const { path } of videos) counts.set(topicOf.get(path)!, (counts.get(topicOf.get(path)!) ?? 0) + 1);
    return Math.max(...counts.values());
  });
  const grouped = topics.reduce((sum, { videos }) => sum + videos.length, 0);
  return { ari, purity: major.reduce((sum, count) => sum + count, 0) / grouped };
}

async function measure(name: string, paths: readonly string[], groups?: number): Promise<void> {
  const { record } = await findTopics(paths, { out, ...(groups === undefined ? {} : { groups }) });
  const { ari, purity } = score(record, paths);
  const topicOf = new Map(paths.map((path) => [basename(path), truth.get(path)!]));
  const made = record.topics.map(({ videos }) => {
    const counts = new Map<string, number>();
    for (const { path } of videos) counts.set(topicOf.get(path)!, (counts.get(topicOf.get(path)!) ?? 0) + 1);
    return [...counts].map(([topic, count]) => `${count} ${topic}`).join(' + ');
  });
  const title = `${name}, topics: ${new Set(paths.map((path) => truth.get(path))).size}, ${paths.length} videos${groups === undefined ? '' : `, --groups ${groups}`}`;
  say(title);
  say(`  groups found: ${record.topics.length} (${made.join(' | ')}), left alone: ${record.alone.length}`);
  const told = record.concordance === null ? '–' : record.concordance.toFixed(3);
  say(`  adjusted Rand index ${ari.toFixed(2)}, purity of the groups ${purity.toFixed(2)}, concordance ${told}`);
}

for (const folder of folders) await measure(basename(folder), listVideos(folder));
await measure('folders', given);
await measure('folders', given, folders.length);
await measure('TVSum', labelled);
await measure('TVSum', labelled, 5);
await measure('all', [...given, ...labelled]);
await measure('all', [...given, ...labelled], folders.length + 5);
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

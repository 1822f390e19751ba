// npm run bench:topics -- TVSUM-FOLDER FOLDER...     the figures of docs/decisions/0015-topics-of-a-folder.md; each FOLDER is one topic
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { random } from '../../src/base/index.js';
import { drawDemo } from '../../src/index.js';
import { compareFolder } from '../../src/pipeline/relate.js';
import { groupVideos } from '../../src/topic/index.js';
import { describeFiles, type Described, listVideos, tvsumTopics } from '../folders.js';
import { machineFacts } from '../machine.js';

/** Random folders drawn of each kind. */
const DRAWS = 60;

const [tvsum, ...folders] = process.argv.slice(2);
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

const given: Described[][] = [];
for (const folder of folders) given.push(await describeFiles(basename(folder), listVideos(folder)));
const labelled: Described[] = [];
for (const [topic, paths] of await tvsumTopics(tvsum!)) labelled.push(...(await describeFiles(topic, paths)));
const demo = mkdtempSync(join(tmpdir(), 'throughline-topics-'));
await drawDemo(demo);
const drawn = await describeFiles('demo', listVideos(demo));

/** The groups that a folder of these videos falls into, and who is left alone. */
async function divide(
  videos: readonly Described[],
  count?: number,
): Promise<{ groups: Described[][]; alone: Described[]; concordance: number | null }> {
  const options = { background: undefined, normalise: 'root' } as const;
  const likeness = await compareFolder(videos.map(({ video }) => video), options); // prettier-ignore
  const { groups, alone, concordance } = groupVideos(likeness, count);
  const named = (places: readonly number[]): Described[] => places.map((place) => videos[place]!);
  return { groups: groups.map(named), alone: named(alone), concordance };
}

const countBy = <T>(values: readonly T[], keyOf: (value: T) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
  return counts;
};

/** How well groups fit the topics (Hubert and Arabie's adjusted Rand index); who is alone is a group of one. */
function adjustedRand(groups: readonly (readonly Described[])[]): number {
  const sides = groups.flatMap((group, at) => group.map(({ topic }) => ({ group: String(at), topic })));
  const pairs = (count: number): number => (count * (count - 1)) / 2;
  const together = (keyOf: (side: (typeof sides)[0]) => string): number =>
    [...countBy(sides, keyOf).values()].reduce((sum, count) => sum + pairs(count), 0);
  const both = together(({ group, topic }) => `${group} ${topic}`);
  const [inGroups, inTopics] = [together(({ group }) => group), together(({ topic }) => topic)];
  const chance = (inGroups * inTopics) / pairs(sides.length);
  const most = (inGroups + inTopics) / 2;
  return most === chance ? 1 : (both - chance) / (most - chance);
}

async function measure(name: string, videos: readonly Described[], count?: number): Promise<void> {
  const { groups, alone, concordance } = await divide(videos, count);
  const made = groups.map((group) =>
    [...countBy(group, ({ topic }) => topic)].map(([topic, number]) => `${number} ${topic}`).join(' + '),
  );
  const major = groups.map((group) => Math.max(...countBy(group, ({ topic }) => topic).values()));
  const purity = major.reduce((sum, value) => sum + value, 0) / (videos.length - alone.length);
  const topics = countBy(videos, ({ topic }) => topic).size;
  const asked = count === undefined ? '' : `, --groups ${count}`;
  const ari = adjustedRand([...groups, ...alone.map((video) => [video])]);
  say(`${name}, topics: ${topics}, ${videos.length} videos${asked}`);
  say(`  groups found: ${groups.length} (${made.join(' | ')}), left alone: ${alone.length}`);
  say(
    `  adjusted Rand index ${ari.toFixed(2)}, purity of the groups ${purity.toFixed(2)}, concordance ${concordance?.toFixed(3) ?? '–'}`,
  );
}

/** Random folders of one topic, and of two. */
async function measureRandom(topics: readonly (readonly Described[])[]): Promise<void> {
  const { below } = random(1);
  const pick = (videos: readonly Described[], count: number): Described[] => {
    const left = [...videos];
    return Array.from({ length: count }, () => left.splice(below(left.length), 1)[0]!);
  };
  let [split, two, mixed, one] = [0, 0, 0, 0];
  for (let draw = 0; draw < DRAWS; draw++) {
    const single = topics[draw % topics.length]!;
    if ((await divide(pick(single, 6 + below(single.length - 5)))).groups.length > 1) split++;
    const other = topics[(draw + 1) % topics.length]!;
    const { groups } = await divide([...pick(single, 3 + below(4)), ...pick(other, 3 + below(4))]);
    if (groups.length === 1) one++;
    else if (groups.some((group) => countBy(group, ({ topic }) => topic).size > 1)) mixed++;
    else two++;
  }
  say(`Random folders of ${topics.map((videos) => videos[0]!.topic).join(', ')}, ${DRAWS} of each kind`);
  say(`  of one topic, 6 videos and more: ${split} split`);
  say(`  of two topics, 3 to 6 videos of each: ${two} told apart, ${one} left as one, ${mixed} with a group of both`);
}

/** All ways to take so many of a list. */
const subsets = <T>(list: readonly T[], count: number): T[][] =>
  count === 0
    ? [[]]
    : list.flatMap((first, at) => subsets(list.slice(at + 1), count - 1).map((rest) => [first, ...rest]));

/** Every folder of some development topics, alone and with one other topic: so that no single folder decides. */
async function measureSubsets(development: readonly Described[][], others: readonly Described[][]): Promise<void> {
  const rows: { readonly topics: number; readonly isMixed: boolean; readonly name: string; readonly ari: number }[] =
    [];
  for (const count of [1, 2, 3, 4, 5]) {
    for (const topics of subsets(development, count)) {
      for (const other of [[], ...others.map((videos) => [videos])]) {
        const all = [...topics, ...other];
        const { groups, alone } = await divide(all.flat());
        const name = all.map((videos) => videos[0]!.topic).join(' + ');
        const ari = adjustedRand([...groups, ...alone.map((video) => [video])]);
        rows.push({ topics: count, isMixed: other.length > 0, name, ari });
      }
    }
  }
  say(
    `Every folder of development topics, and with one of ${others.map((videos) => videos[0]!.topic).join(', ')}: adjusted Rand index`,
  );
  for (const isMixed of [false, true]) {
    for (const count of [1, 2, 3, 4, 5]) {
      const found = rows.filter((row) => row.topics === count && row.isMixed === isMixed);
      const worst = found.reduce((least, row) => (row.ari < least.ari ? row : least));
      const mean = found.reduce((sum, { ari }) => sum + ari, 0) / found.length;
      say(
        `  ${count} of TVSum${isMixed ? ' and one other' : ''}: ${found.length} folders, mean ${mean.toFixed(2)}, worst ${worst.ari.toFixed(2)} (${worst.name}), ` +
          `${found.filter(({ ari }) => ari === 0).length} not divided`,
      );
    }
  }
}

for (const videos of given) await measure(videos[0]!.topic, videos);
await measure('folders', given.flat());
await measure('folders', given.flat(), folders.length);
await measure('TVSum', labelled);
await measure('TVSum', labelled, 5);
for (const topic of new Set(labelled.map((video) => video.topic)))
  await measure(`TVSum without ${topic}`, labelled.filter((video) => video.topic !== topic)); // prettier-ignore
await measure('all', [...given.flat(), ...labelled]);
await measure('all', [...given.flat(), ...labelled], folders.length + 5);
await measureSubsets([...new Set(labelled.map(({ topic }) => topic))].map((topic) => labelled.filter((video) => video.topic === topic)), [...given, drawn]); // prettier-ignore
await measureRandom([...given, drawn]);
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

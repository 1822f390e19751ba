// npm run bench:strays -- TVSUM-FOLDER FOLDER...     the figures of docs/decisions/0039-belonging.md
// Each FOLDER is one topic; what is in its folder "strays" was found under the same word and does not belong.
// Every video of every topic is planted into every other. The background is used without all videos of both topics.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { random } from '../../src/base/index.js';
import { drawDemo } from '../../src/index.js';
import { compareTopic } from '../../src/pipeline/relate.js';
import { type Belonging, type LikenessTable, relateVideos, UNRELATED } from '../../src/topic/index.js';
import { describeFiles, type Described, listVideos, tvsumTopics } from '../folders.js';
import { machineFacts } from '../machine.js';

/** The precision on the other topics at which the limit for a topic is chosen. */
const WANTED_PRECISION = 0.98;
/** Topics drawn again, with replacement, for an interval. */
const RESAMPLES = 2000;
/** Videos of a topic that stay when planting is tried on smaller ones. */
const SIZES = [2, 3, 4];

const [tvsum, ...folders] = process.argv.slice(2);
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

type Topic = { readonly name: string; readonly good: readonly Described[] };
const development: Topic[] = [];
for (const [name, paths] of await tvsumTopics(tvsum!))
  development.push({ name, good: await describeFiles(name, paths) });
const others: Topic[] = [];
const found: Described[] = [];
for (const folder of folders) {
  const name = basename(folder);
  others.push({ name, good: await describeFiles(name, listVideos(folder)) });
  const strays = listVideos(join(folder, 'strays'));
  if (strays.length > 0) found.push(...(await describeFiles(`${name} strays`, strays)));
}
const demo = mkdtempSync(join(tmpdir(), 'throughline-strays-'));
await drawDemo(demo);
others.push({ name: 'demo', good: await describeFiles('demo', listVideos(demo)) });

/** One video in one trial. */
type Case = Belonging & {
  readonly host: string;
  readonly from: string;
  readonly name: string;
  readonly isPlanted: boolean;
};
type Trial = readonly Case[];

/** How alike videos of two topics are, for every pair of videos, both ways. */
const unrelated: { readonly topics: readonly string[]; readonly likeness: number }[] = [];

/** Topics made of these videos, all compared once, with a background that has none of these topics. */
async function openPool(
  pool: readonly Described[],
  isNoted = false,
): Promise<(videos: readonly Described[], host: string) => Trial> {
  const videos = pool.map(({ video }) => video);
  const table = (await compareTopic(videos, { background: undefined, normalise: 'root' }))!;
  for (const [v, row] of isNoted ? table.rows.entries() : []) {
    row.forEach((likeness, w) => {
      const topics = [pool[v]!.topic, pool[w]!.topic];
      if (topics[0] !== topics[1]) unrelated.push({ topics, likeness });
    });
  }
  return (chosen, host) => {
    const places = chosen.map((video) => pool.indexOf(video));
    const part: LikenessTable = {
      ...table,
      panel: places.map((_, at) => at),
      rows: places.map((place) => Float64Array.from(places, (other) => table.rows[place]![other]!)),
    };
    const { belongings } = relateVideos(chosen.map(({ vectors }) => vectors), part); // prettier-ignore
    return chosen.map(({ name, topic }, at) => ({
      ...belongings[at]!,
      ...{ host, from: topic, name, isPlanted: topic !== host },
    }));
  };
}

/** Each video of one topic planted into the other, which may be cut down to some of its videos. */
async function enqueueTree(host: Topic, guest: Topic, size = host.good.length): Promise<Trial[]> {
  const isNoted = size === host.good.length && development.includes(host) && development.includes(guest);
  const open = await openPool([...host.good, ...guest.good], isNoted);
  const { below } = random(size);
  return guest.good.map((video) => {
    const left = [...host.good];
    const some = Array.from({ length: size }, () => left.splice(below(left.length), 1)[0]!);
    return open([...some, video], host.name);
  });
}

const isLeast = (trial: Trial): boolean => {
  const [least] = trial.toSorted((a, b) => a.likeness - b.likeness);
  return least!.isPlanted;
};
const share = (part: number, whole: number): string => (whole === 0 ? '–' : (part / whole).toFixed(2));
/** What `isStray` compares with one half; infinite for those that are never called strays. */
const ratioOf = ({ likeness, least, typical, views, nearestLikeness }: Belonging, near: number): number =>
  views < 3 || typical < 0.1 || nearestLikeness >= near ? Infinity : likeness / Math.max(0.05, least);

/** The limits of a verdict: of the ratio, and of the likeness to the nearest video. */
type Limits = { readonly ratio: number; readonly near: number };
const DEFAULT: Limits = { ratio: 0.5, near: UNRELATED };

/** Those called strays with these limits. */
const accused = (cases: readonly Case[], { ratio, near }: Limits): Case[] => cases.filter((each) => ratioOf(each, near) < ratio); // prettier-ignore
const planted = (cases: readonly Case[]): number => cases.filter(({ isPlanted }) => isPlanted).length;

/** What 95 % of the pairs of unrelated videos stay below. */
function nearLimit(pairs: typeof unrelated): number {
  const sorted = pairs.map(({ likeness }) => likeness).sort((a, b) => a - b);
  return sorted[Math.floor(0.95 * sorted.length)]!;
}

/** Limits chosen without a topic: for the nearest as above, for the ratio the highest at which so many of the accused were planted. */
function limitsWithout(topic: string): Limits {
  const near = nearLimit(unrelated.filter(({ topics }) => !topics.includes(topic)));
  const cases = trials.flat().filter(({ host, from }) => host !== topic && from !== topic);
  const sorted = cases.toSorted((a, b) => ratioOf(a, near) - ratioOf(b, near));
  let [ratio, right] = [-Infinity, 0];
  sorted.forEach((each, at) => {
    if (each.isPlanted) right++;
    if (right / (at + 1) >= WANTED_PRECISION) ratio = ratioOf(sorted[at + 1] ?? each, near);
  });
  return { ratio, near };
}

/** 95 % of what topics drawn again would give. */
function interval<T>(groups: readonly T[], measure: (groups: readonly T[]) => number): string {
  const { below } = random(1);
  const values = Array.from({ length: RESAMPLES }, () => measure(groups.map(() => groups[below(groups.length)]!)));
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const at = (part: number): string => sorted[Math.floor(part * (sorted.length - 1))]!.toFixed(2);
  return `${at(0.025)} to ${at(0.975)}`;
}

function tellPrecision(title: string, byTopic: readonly (readonly Case[])[], all: readonly (readonly Case[])[]): void {
  const precision = (groups: readonly (readonly Case[])[]): number => planted(groups.flat()) / groups.flat().length;
  const wrong = byTopic.flat().filter(({ isPlanted }) => !isPlanted);
  const recalls = byTopic.map((cases, at) => planted(cases) / planted(all[at]!));
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  say(
    `  ${title}: precision ${precision(byTopic).toFixed(2)} (${interval(byTopic, precision)}), ` +
      `recall ${mean(recalls).toFixed(2)} (${interval(recalls, mean)}); ${wrong.length} times a good video` +
      (wrong.length === 0 ? '' : `: ${[...new Set(wrong.map(({ name }) => name))].join(', ')}`),
  );
}

say(`Development topics: ${development.map(({ name, good }) => `${name} ${good.length}`).join(', ')}`);
const trials: Trial[] = [];
for (const host of development) {
  for (const guest of development) if (guest !== host) trials.push(...(await enqueueTree(host, guest)));
}
const hosts = development.map(({ name }) => trials.filter(([first]) => first!.host === name));
const leastOf = (groups: readonly (readonly Trial[])[]): number => groups.flat().filter(isLeast).length / groups.flat().length; // prettier-ignore
say(
  `  the planted video is the least alike in ${leastOf(hosts).toFixed(2)} of ${trials.length} (${interval(hosts, leastOf)}); chance ${(1 / 6).toFixed(2)}`,
);
say(
  `    ${development.map(({ name }, at) => `${name} ${hosts[at]!.filter(isLeast).length} of ${hosts[at]!.length}`).join(', ')}`,
);
const cases = hosts.map((group) => group.flat());
say(`  95 % of ${unrelated.length} pairs of videos of different topics are less alike than ${nearLimit(unrelated).toFixed(2)}`); // prettier-ignore
tellPrecision('called strays', cases.map((group) => accused(group, DEFAULT)), cases); // prettier-ignore
const limits = development.map(({ name }) => limitsWithout(name));
tellPrecision('with both limits chosen without the topic', cases.map((group, at) => accused(group, limits[at]!)), cases); // prettier-ignore
say(`    limits of the ratio and of the nearest: ${development.map(({ name }, at) => `${name} ${limits[at]!.ratio.toFixed(2)} ${limits[at]!.near.toFixed(2)}`).join(', ')}`); // prettier-ignore
for (const size of SIZES) {
  const small: Trial[] = [];
  for (const host of development) {
    for (const guest of development) if (guest !== host) small.push(...(await enqueueTree(host, guest, size)));
  }
  const called = accused(small.flat(), DEFAULT);
  say(
    `  of each topic ${size} videos: least alike in ${share(small.filter(isLeast).length, small.length)}; ` +
      `called strays: precision ${share(planted(called), called.length)}, recall ${share(planted(called), small.length)}`,
  );
}

say('Not chosen on');
for (const { name, good } of [...development, ...others]) {
  const called = (await openPool(good))(good, name).filter(({ isStray }) => isStray);
  say(`  ${name} as it is: ${called.length} of ${good.length} called strays`);
}
for (const host of others) {
  const into: Trial[] = [];
  for (const guest of [...development, ...others]) if (guest !== host) into.push(...(await enqueueTree(host, guest)));
  const called = into.flat().filter(({ isStray }) => isStray);
  say(
    `  planted into ${host.name}: least alike in ${share(into.filter(isLeast).length, into.length)} of ${into.length}; ` +
      `called strays: ${planted(called)} planted, ${called.length - planted(called)} good`,
  );
}
const mixed = [...development, others.at(-1)!];
const { below } = random(7);
const openMixed = await openPool(mixed.flatMap(({ good }) => good));
let [called, judged] = [0, 0];
for (let draw = 0; draw < 300; draw++) {
  const one = mixed.map(({ good }) => good[below(good.length)]!);
  judged += one.length;
  called += openMixed(one, 'none').filter(({ isStray }) => isStray).length;
}
say(`  300 folders of one video from each of ${mixed.length} topics: ${called} of ${judged} called strays`);
for (const host of others) {
  const own = found.filter(({ topic }) => topic === `${host.name} strays`);
  if (own.length === 0) continue;
  const order = (await openPool([...host.good, ...own]))([...host.good, ...own], host.name).toSorted(
    (a, b) => a.likeness - b.likeness,
  );
  say(`  ${host.name} with its strays, the least alike first:`);
  for (const { name, likeness, nearestLikeness, isStray } of order.slice(0, 4)) {
    say(
      `    ${name} ${likeness.toFixed(2)}, nearest ${nearestLikeness.toFixed(2)}${isStray ? ', called a stray' : ''}`,
    );
  }
}
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

// npm run bench:strays -- TVSUM-FOLDER FOLDER...     the table of docs/decisions/0014-strays-and-doubles.md
// Each FOLDER is one topic; what lies in its folder "strays" was found under the same word and does not belong.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { random } from '../../src/base/index.js';
import { drawDemo } from '../../src/index.js';
import { relateVideos } from '../../src/topic/index.js';
import { describeFiles, type Described, listVideos, tvsumTopics } from '../folders.js';
import { machineFacts } from '../machine.js';

/** Topics drawn of each size from each topic that is larger. */
const DRAWS = 40;
const SIZES = [4, 5, 6, 8];

const [tvsum, ...folders] = process.argv.slice(2);
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

type Topic = { readonly name: string; readonly good: readonly Described[]; readonly strays: readonly Described[] };

/** The topics whose videos may fit the limit, and those given, which must not. */
const [fitted, given]: [Topic[], Topic[]] = [[], []];
for (const [name, paths] of await tvsumTopics(tvsum!)) {
  fitted.push({ name, good: await describeFiles(name, paths), strays: [] });
}
const demo = mkdtempSync(join(tmpdir(), 'throughline-strays-'));
await drawDemo(demo);
fitted.push({ name: 'demo', good: await describeFiles('demo', listVideos(demo)), strays: [] });
for (const folder of folders) {
  const name = basename(folder);
  const strays = listVideos(join(folder, 'strays'));
  given.push({
    name,
    good: await describeFiles(name, listVideos(folder)),
    strays: strays.length === 0 ? [] : await describeFiles('strays', strays),
  });
}

/** The videos called strays, and how unlike each one is. */
function judge(videos: readonly Described[]): { blamed: Set<Described>; unlikeness: Map<Described, number> } {
  const { standings } = relateVideos(videos.map(({ vectors }) => vectors));
  return {
    blamed: new Set(videos.filter((_, at) => standings[at]?.isStray)),
    unlikeness: new Map(videos.map((video, at) => [video, standings[at]?.unlikeness ?? 0])),
  };
}

const count = (blamed: ReadonlySet<Described>, videos: readonly Described[]): number =>
  videos.filter((video) => blamed.has(video)).length;

function measure(title: string, topics: readonly Topic[], foreign: readonly Described[]): void {
  const tally = { strays: 0, found: 0, good: 0, blamed: 0, worst: 0, best: Infinity };
  for (const { good, strays } of topics) {
    // A topic as it is, then with all its strays.
    for (const videos of strays.length > 0 ? [good, [...good, ...strays]] : [good]) {
      const { blamed, unlikeness } = judge(videos);
      tally.good += good.length;
      tally.blamed += count(blamed, good);
      tally.worst = Math.max(tally.worst, ...good.map((video) => unlikeness.get(video)!));
      if (videos === good) continue;
      tally.strays += strays.length;
      tally.found += count(blamed, strays);
      tally.best = Math.min(tally.best, ...strays.map((video) => unlikeness.get(video)!));
    }
  }
  say(`${title}: ${topics.map(({ name, good }) => `${name} ${good.length}`).join(', ')}`);
  if (tally.strays > 0) {
    say(`  strays found ${tally.found} of ${tally.strays}, the least unlike at ${tally.best.toFixed(2)} of the limit`);
  }
  say(
    `  good videos blamed ${tally.blamed} of ${tally.good}, the most unlike at ${tally.worst.toFixed(2)} of the limit`,
  );
  for (const size of SIZES) measureSubsets(size, topics);
  for (const { name, good } of topics) {
    const outsiders = foreign.filter(({ topic }) => topic !== name);
    const runs = outsiders.map((video) => ({ video, ...judge([...good, video]) }));
    const found = runs.filter(({ video, blamed }) => blamed.has(video)).length;
    const wrong = runs.filter(({ blamed }) => count(blamed, good) > 0).length;
    say(`  planted into ${name}: found ${found} of ${runs.length}, a good video blamed in ${wrong}`);
  }
}

/** Topics drawn from these, without strays and with one of them. */
function measureSubsets(size: number, topics: readonly Topic[]): void {
  const { below } = random(size);
  const tally = { subsets: 0, blamed: 0, strays: 0, found: 0, beside: 0 };
  for (const { good, strays } of topics) {
    for (let draw = 0; draw < DRAWS && good.length > size; draw++) {
      const left = [...good];
      const videos = Array.from({ length: size }, () => left.splice(below(left.length), 1)[0]!);
      tally.subsets++;
      if (judge(videos).blamed.size > 0) tally.blamed++;
      const stray = strays[draw % strays.length];
      if (stray === undefined) continue;
      const { blamed } = judge([...videos.slice(1), stray]);
      tally.strays++;
      if (blamed.has(stray)) tally.found++;
      if (count(blamed, videos) > 0) tally.beside++;
    }
  }
  if (tally.subsets === 0) return;
  const line = `  random topics of ${size}: a good video blamed in ${tally.blamed} of ${tally.subsets}`;
  const more = `; with a stray among them: found in ${tally.found} of ${tally.strays}, a good video blamed in ${tally.beside}`;
  say(tally.strays === 0 ? line : line + more);
}

const everyone = [...fitted, ...given].flatMap(({ good }) => good);
measure('Chosen on', fitted, fitted.flatMap(({ good }) => good)); // prettier-ignore
measure('Not chosen on', given, everyone);
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

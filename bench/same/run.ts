// npm run bench:same -- TVSUM-FOLDER FOLDER...     from when on two shots show the same thing: the table of docs/decisions/0048-the-same-thing-in-this-topic.md; writes results.txt
// Each FOLDER is one topic; what the demo shows is known from its drawing.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { rowOf } from '../../src/base/index.js';
import { drawDemo } from '../../src/index.js';
import { optionsSchema } from '../../src/options/index.js';
import { openBackground } from '../../src/pipeline/evidence.js';
import { comparable, sameFrom, sameness } from '../../src/topic/index.js';
import { describeFiles, type Described, listVideos, tvsumTopics } from '../folders.js';
import { machineFacts } from '../machine.js';

/** Standard deviations above the mean of the topic that the demo is tried with. */
const TRIED = [0.5, 1, 1.25, 1.5, 1.75, 2, 2.5];

const [tvsum = '', ...folders] = process.argv.slice(2);
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

type Pair = { readonly value: number; readonly isSame: boolean };

/** All pairs of shots of different videos, and the limit of the product. */
async function pairsOf(videos: readonly Described[], sceneOf: (video: Described, shot: number) => string) {
  const hashes = new Set(videos.map(({ video }) => video.sha256));
  const background = (await openBackground(videos[0]!.video.extractor, optionsSchema.parse({}), hashes))!;
  const prepared = videos.map(({ vectors }) => comparable(vectors, background));
  const pairs: Pair[] = [];
  prepared.forEach((a, i) => {
    prepared.slice(0, i).forEach((b, j) => {
      const S = sameness(a, b);
      for (let x = 0; x < S.rows; x++) {
        const scene = sceneOf(videos[i]!, x);
        rowOf(S, x).forEach((value, y) => pairs.push({ value, isSame: scene === sceneOf(videos[j]!, y) }));
      }
    });
  });
  return { pairs, from: sameFrom(prepared) };
}

const share = (pairs: readonly Pair[], from: number): string =>
  `${((100 * pairs.filter(({ value }) => value >= from).length) / pairs.length).toFixed(1)} %`;

async function measure(topic: string, videos: readonly Described[], sceneOf = (): string => '') {
  const { pairs, from } = await pairsOf(videos, sceneOf);
  const mean = pairs.reduce((sum, { value }) => sum + value, 0) / pairs.length;
  const deviation = Math.sqrt(pairs.reduce((sum, { value }) => sum + (value - mean) ** 2, 0) / pairs.length);
  const range = `mean ${mean.toFixed(1)}, deviation ${deviation.toFixed(1)}, from ${from.toFixed(1)}`;
  say(`${topic.padEnd(8)} ${range}: ${share(pairs, from)} of the pairs show the same thing, ${share(pairs, 5)} the same kind of thing`); // prettier-ignore
  return { pairs, mean, deviation };
}

for (const [topic, paths] of await tvsumTopics(tvsum)) await measure(topic, await describeFiles(topic, paths));
for (const folder of folders)
  await measure(basename(folder), await describeFiles(basename(folder), listVideos(folder)));
const demo = mkdtempSync(join(tmpdir(), 'throughline-same-'));
await drawDemo(demo);
type Scene = { readonly name: string; readonly startFrame: number; readonly endFrame: number };
type Truth = { readonly videos: readonly { readonly file: string; readonly scenes: readonly Scene[] }[] };
const truth = JSON.parse(readFileSync(join(demo, 'truth.json'), 'utf8')) as Truth;
const sceneOf = ({ name, video }: Described, shot: number): string => {
  const { startFrame, endFrame } = video.analysis.shots[shot]!;
  const middle = (startFrame + endFrame) / 2;
  const { scenes } = truth.videos.find(({ file }) => file === name)!;
  return scenes.find((scene) => scene.startFrame <= middle && middle < scene.endFrame)!.name;
};
const drawn = await describeFiles('demo', listVideos(demo));
const { pairs, mean, deviation } = await measure('demo', drawn, sceneOf as () => string);
for (const above of TRIED) {
  const taken = pairs.filter(({ value }) => value >= mean + above * deviation);
  const missed = pairs.filter(({ value, isSame }) => isSame && value < mean + above * deviation).length;
  say(`  demo, ${above} deviations above the mean: ${taken.filter(({ isSame }) => !isSame).length} of ${taken.length} pairs found wrongly, ${missed} missed`); // prettier-ignore
}
writeFileSync(join(import.meta.dirname, 'results.txt'), `${report.join('\n')}\n`);

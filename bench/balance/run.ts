// npm run bench:balance -- TVSUM-FOLDER FOLDER...     the table of docs/own-and-shared.md: the demo, each FOLDER as one topic, a topic of TVSum
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { dot, inMemory, type Matrix, rowOf, UsageError } from '../../src/base/index.js';
import type { DemoTopic } from '../../src/demo/index.js';
import { drawDemo } from '../../src/index.js';
import { collectInputs } from '../../src/stages/collect-inputs.js';
import { optionsSchema } from '../../src/options/index.js';
import type { Run } from '../../src/run.js';
import { cvsAcross } from '../../src/select/index.js';
import { admitVideos } from '../../src/stages/admit.js';
import { analyseVideos, type AnalysedVideo } from '../../src/stages/analyse-videos.js';
import { shotVectors } from '../../src/stages/shot-vectors.js';
import { localShelf, openCache } from '../../src/store/index.js';
import { problemsOfTopic } from '../../src/topic/index.js';
import { tvsumTopics } from '../folders.js';
import { machineFacts } from '../machine.js';

const VALUES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
/** Shots looked at: this share of each video's, the first of its ranking, and at least one. */
const SHARE = 0.2;
/** The topic of TVSum that is looked at. */
const TOPIC = 'GA';

const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));
const [tvsum, ...folders] = process.argv.slice(2);
if (tvsum === undefined)
  throw new UsageError('no-data', 'Expected the TVSum folder (labels, videos/), found none. Name it.');
const scratch = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
const cache = await openCache(process.env['THROUGHLINE_CACHE'] ?? join(scratch, 'cache'));
const options = optionsSchema.parse({});
const run: Run = {
  options,
  budget: { kind: 'share', share: 0.15 },
  conceptBudget: null,
  jobs: 2,
  out: join(scratch, 'out'),
  shelf: localShelf(cache),
  tell: () => undefined,
  signal: undefined,
  skipped: [],
  notes: [],
};
const demo = join(scratch, 'demo');
const drawn = await drawDemo(demo);
await describeTopic('demo', [demo], drawn);
for (const folder of folders) await describeTopic(basename(folder), [folder]);
await describeTopic(TOPIC, (await tvsumTopics(tvsum)).get(TOPIC)!);
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

async function describeTopic(name: string, paths: readonly string[], truth?: DemoTopic): Promise<void> {
  const { inputs } = await collectInputs(paths, { ...options, out: run.out });
  const videos = await analyseVideos(await admitVideos(inputs, run), run);
  const features = (await shotVectors(videos, options, run)).map(inMemory);
  const problems = problemsOfTopic(features, 'moment');
  const counts = features.map(({ rows }) => rows);
  const kinds = truth === undefined ? null : kindsOf(truth, videos);
  const at = problems.map((problem) => cvsAcross(problem));
  const first = (place: number, shared: number): number[] =>
    at[place]!(shared).order.slice(0, Math.max(1, Math.round(SHARE * counts[place]!)));
  say(`${name}: ${videos.length} videos, ${counts.reduce((a, b) => a + b, 0)} shots; the first fifth of each ranking`);
  say(`  shared   seen in the others   as at 0.5${kinds ? '   of shared scenes' : ''}   CPU-ms a video`);
  for (const shared of VALUES) {
    const before = process.cpuUsage();
    const chosen = counts.map((_, place) => first(place, shared));
    const used = process.cpuUsage(before);
    const seen = mean(chosen.flatMap((shots, place) => shots.map((shot) => seenIn(features, place, shot))));
    const kept = mean(chosen.flatMap((shots, place) => shots.map((shot) => Number(first(place, 0.5).includes(shot)))));
    const common = kinds && mean(chosen.flatMap((shots, place) => shots.map((shot) => Number(kinds[place]![shot] === 'shared')))); // prettier-ignore
    const cost = (used.user + used.system) / 1000 / videos.length;
    say(
      `  ${shared.toFixed(1).padEnd(8)} ${seen.toFixed(3).padStart(10)} ${percent(kept).padStart(19)}${common === null ? '' : percent(common).padStart(18)} ${cost.toFixed(0).padStart(13)}`,
    );
  }
  const all = features.flatMap(({ rows }, place) => Array.from({ length: rows }, (_, shot) => seenIn(features, place, shot))); // prettier-ignore
  say(`  ${'all'.padEnd(8)} ${mean(all).toFixed(3).padStart(10)}`);
}

/** How much of a shot the other videos show: the cosine to the nearest shot of each, on average. */
function seenIn(features: readonly Matrix[], place: number, shot: number): number {
  const x = rowOf(features[place]!, shot);
  const others = features.filter((_, other) => other !== place);
  return mean(
    others.map((other) => Math.max(...Array.from({ length: other.rows }, (_, j) => dot(x, rowOf(other, j))))),
  );
}

function kindsOf({ videos: drawn }: DemoTopic, videos: readonly AnalysedVideo[]): string[][] {
  return videos.map(({ name, analysis }) => {
    const { scenes } = drawn.find(({ file }) => file === name)!;
    return analysis.shots.map(({ startFrame, endFrame }) => {
      const middle = (startFrame + endFrame) / 2;
      return scenes.find((scene) => scene.startFrame <= middle && middle < scene.endFrame)!.kind;
    });
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percent(part: number): string {
  return `${Math.round(100 * part)} %`;
}

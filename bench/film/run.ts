// npm run bench:film -- TVSUM-FOLDER     the film of a topic against people's marks: the table of docs/concept.md; writes results.txt
import { mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

import { UsageError } from '../../src/base/index.js';
import { readTvsum } from '../../src/eval/datasets/tvsum.js';
import { type AnalysedLabelled, analyseLabelled } from '../../src/eval/describe-videos.js';
import { bootstrapIntervals, holm, SCOREBOARD_DEFAULTS, signFlipP } from '../../src/eval/index.js';
import { optionsSchema } from '../../src/options/index.js';
import type { Run } from '../../src/pipeline/run.js';
import { methods, METHOD_NAMES, type MethodName } from '../../src/select/index.js';
import {
  chooseConcept,
  type ChosenConcept,
  buildProblems,
  rankShotsOfTopic,
  relateTopic,
} from '../../src/pipeline/index.js';
import { localWorkspace, openCache } from '../../src/storage/index.js';
import type { Concept } from '../../src/summary/index.js';
import { machineFacts } from '../machine.js';
import { DEVELOPMENT_TOPICS } from '../tvsum.js';

/** Seconds of the film; the second is the length of a film if none is asked for. */
const LENGTHS = [30, 60, 120];
/**
 * What the first shot of a moment may add to its worth, and what a shot that continues another may lose; how well a shot must
 * stand not to wait for all others, and how long a clip may grow by shots that continue it. The product's are chosen from these.
 */
const CANDIDATES = [2, 4].flatMap((momentWeight) =>
  [0.1, 0.2].flatMap((continued) =>
    [0, 0.5].flatMap((worthy) => [4, 6].map((longestRun) => ({ momentWeight, continued, worthy, longestRun }))),
  ),
);
const nameOf = ({ momentWeight, continued, worthy, longestRun }: (typeof CANDIDATES)[number]): string =>
  `moments ${momentWeight}, continued ${continued}, worthy ${worthy}, run ${longestRun} s`;
/** Draws of methods with random numbers; figures are means over them. */
const SEEDS = 2;
const SEEDED: readonly MethodName[] = ['kmeans', 'spectral', 'cocluster', 'random'];

const folder = process.argv[2];
if (!folder) throw new UsageError('no-data', 'Expected the TVSum folder (labels, videos/), found none. Name it.');
const scratch = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
const cache = await openCache(process.env['THROUGHLINE_CACHE'] ?? join(scratch, 'cache'));
const runFor = (seconds: number, method: MethodName, seed = 0): Run => ({
  options: optionsSchema.parse({
    method,
    seed,
    normalise: methods[method].normalise ?? 'root',
    concept: `${seconds}s`,
  }),
  budget: { kind: 'share', share: 0.15 },
  conceptBudget: { kind: 'seconds', seconds },
  ...{ jobs: availableParallelism(), out: scratch, emit: () => undefined, signal: undefined, skipped: [], notes: [] },
  workspace: localWorkspace(cache),
});
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};

type Shots = readonly { readonly video: string; readonly shot: number }[];
type Figures = { readonly lift: number; readonly covered: number; readonly sources: number };
type Topic = {
  readonly code: string;
  readonly videos: readonly AnalysedLabelled[];
  readonly related: Awaited<ReturnType<typeof relateTopic>>;
};

/** z: the mean mark of each shot in standard deviations of its video, by the id of the video. */
function marksOf({ video: { judgements, shots } }: AnalysedLabelled): Float64Array {
  const means = Float64Array.from(shots, (_, shot) =>
    judgements.reduce((sum, { marks }) => sum + marks![shot]! / judgements.length, 0),
  );
  const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
  const deviation = Math.sqrt(means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / means.length);
  return means.map((value) => (value - mean) / deviation);
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const meanFigures = (list: readonly Figures[]): Figures => ({
  lift: meanOf(list.map(({ lift }) => lift)),
  covered: meanOf(list.map(({ covered }) => covered)),
  sources: meanOf(list.map(({ sources }) => sources)),
});

/** Scores films of one topic. Moments are those of the product, found in all shots, the same for every row. */
function scorer({ videos }: Topic, moments: NonNullable<Concept['moments']>): (film: Shots) => Figures {
  const marks = new Map(videos.map((video) => [video.id, marksOf(video)]));
  return (film) => {
    const played = new Set(film.map(({ video, shot }) => `${video} ${shot}`));
    const isCovered = ({ members }: (typeof moments)[number]): boolean =>
      members.some(({ video, shot }) => played.has(`${video} ${shot}`));
    return {
      lift: meanOf(film.map(({ video, shot }) => marks.get(video)![shot]!)),
      covered: moments.filter(isCovered).length / moments.length,
      sources: new Set(film.map(({ video }) => video)).size / videos.length,
    };
  };
}

/** The figures of every row on one topic, by length and by the name of the row. */
async function scoreTopic(topic: Topic): Promise<Map<number, Map<string, Figures>>> {
  const tables = new Map(LENGTHS.map((seconds) => [seconds, new Map<string, Figures>()]));
  const first = await judge(topic, 'cvs', 0, CANDIDATES);
  const score = scorer(topic, first.get(60)!.films[0]!.moments!);
  for (const [seconds, { films, summaries }] of first) {
    CANDIDATES.forEach((knobs, at) => tables.get(seconds)!.set(nameOf(knobs), score(films[at]!.shots)));
    tables.get(seconds)!.set('cvs, summaries pooled', score(summaries));
  }
  for (const method of METHOD_NAMES.filter((name) => name !== 'cvs')) {
    const found = new Map(LENGTHS.map((seconds) => [seconds, [] as Figures[]]));
    for (let seed = 0; seed < (SEEDED.includes(method) ? SEEDS : 1); seed++) {
      for (const [seconds, { films }] of await judge(topic, method, seed, [{}])) found.get(seconds)!.push(score(films[0]!.shots)); // prettier-ignore
    }
    const row = method === 'cvs-neighborhood' ? 'cvs without the other videos' : method;
    for (const [seconds, figures] of found) tables.get(seconds)!.set(row, meanFigures(figures));
  }
  return tables;
}

/** By length: the films of a topic with these knobs, and the best shots of its videos, which together are as long. */
async function judge(
  { videos, related }: Topic,
  method: MethodName,
  seed: number,
  candidates: readonly Parameters<typeof chooseConcept>[3][],
) {
  const run = runFor(60, method, seed);
  const posed = buildProblems(related, run);
  const ranked = await rankShotsOfTopic(related, run, undefined, posed);
  const byLength = new Map<number, { films: ChosenConcept[]; summaries: Shots }>();
  for (const seconds of LENGTHS) {
    const films: ChosenConcept[] = [];
    for (const knobs of candidates) {
      films.push((await chooseConcept(ranked, runFor(seconds, method, seed), posed.vectors, knobs))!);
    }
    const each = Math.round(films[0]!.shots.length / videos.length);
    const summaries = ranked.flatMap(({ id, shots }) =>
      shots.flatMap(({ index, rank }) => (rank < each ? [{ video: id, shot: index }] : [])),
    );
    byLength.set(seconds, { films, summaries });
  }
  return byLength;
}

const dataset = await readTvsum(folder);
const { kept } = await analyseLabelled(join(folder, 'videos'), dataset, runFor(60, 'cvs'));
const topics: Topic[] = [];
for (const code of DEVELOPMENT_TOPICS) {
  const videos = kept.filter(({ video }) => video.topic === code);
  topics.push({ code, videos, related: await relateTopic(videos, runFor(60, 'cvs')) });
}
const intervals = bootstrapIntervals(SCOREBOARD_DEFAULTS);
const three = (value: number): string => value.toFixed(2).padStart(5);

say((await machineFacts()).join(', '));
say(
  `TVSum, ${kept.length} videos, topics ${DEVELOPMENT_TOPICS.join(' ')}; lift: mean mark of the film's shots in standard deviations of their videos`,
);
const tables: Map<number, Map<string, Figures>>[] = [];
for (const topic of topics) tables.push(await scoreTopic(topic));
// For each topic the candidate that is best on the others, by the mean over all lengths of lift + share of moments covered.
const candidates = CANDIDATES.map(nameOf);
const chosen = topics.map((_, left) => {
  const others = tables.filter((_, topic) => topic !== left).flatMap((table) => [...table.values()]);
  const onOthers = (name: string): number =>
    meanOf(others.map((rows) => rows.get(name)!.lift + rows.get(name)!.covered));
  return candidates.reduce((best, name) => (onOthers(name) > onOthers(best) ? name : best));
});
for (const seconds of LENGTHS) {
  const byTopic = tables.map((table) => table.get(seconds)!);
  byTopic.forEach((rows, topic) => rows.set('the film, nested', rows.get(chosen[topic]!)!));
  const names = ['the film, nested', ...[...byTopic[0]!.keys()].filter((name) => name !== 'the film, nested')];
  const lifts = (name: string): number[] => byTopic.map((rows) => rows.get(name)!.lift);
  const rivals = names.filter((name) => name !== 'the film, nested' && !candidates.includes(name));
  const ps = holm(rivals.map((name) => signFlipP(lifts(name).map((lift, topic) => lifts('the film, nested')[topic]! - lift)))); // prettier-ignore
  say(
    `\n${seconds} s; lift with its 95 % interval by topics, lift of ${DEVELOPMENT_TOPICS.join(' ')}, moments covered, sources used, p by sign flips of topics (Holm) against the film`,
  );
  for (const name of names) {
    const { lift, covered, sources } = meanFigures(byTopic.map((rows) => rows.get(name)!));
    const range = intervals(lifts(name).map((value) => [value]))!;
    const p = rivals.includes(name) ? `  p ${ps[rivals.indexOf(name)]!.toFixed(3)}` : '';
    say(`  ${name.padEnd(42)} ${three(lift)} [${three(range.low)}, ${three(range.high)}]  ${lifts(name).map(three).join(' ')}  ${three(covered)} ${three(sources)}${p}`); // prettier-ignore
  }
}
say(`\nchosen on the other topics: ${chosen.map((name, topic) => `${topics[topic]!.code}: ${name}`).join('; ')}`);
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

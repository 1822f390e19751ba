// npm run bench [-- all | NAME... | VIDEO...]     the first table of docs/benchmarks.md, a quarter of an hour; `all` and the names of longer.ts measure the rest. Linux, after a build
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { UsageError } from '../src/base/index.js';
import { drawTopic } from '../src/demo/index.js';
import { locateFfmpeg } from '../src/media/index.js';
import { fillPages } from '../scripts/figures.js';
import { measureHours, measureTopic, type Load } from './load/measure-load.js';
import { LONGER, longerText, measureAgain, shared } from './longer.js';
import { machineFacts } from './machine.js';
import { measurePipeline, ROUNDS, SECONDS, type Round } from './pipeline/measure-pipeline.js';
import { measureAgainstLiteral } from './solver/against-literal.js';
import { keepPart, partNames, tableText, type Part, type PartName, type Row } from './table.js';

/** Where it is missing, videos are drawn. */
const FOOTAGE = ['07_aerial_single_surfer', '11_grey_day', '01_big_waves'].map((name) =>
  join(shared, 'videos', 'surfing', `${name}.mp4`),
);
/** Short of what `npm run bench:load` does, so that the table is there in a quarter of an hour. */
const LOAD = { hours: [0.25, 0.5], topics: [50, 100] };

const names = [...new Set(['all', ...partNames, ...LONGER.map(({ name }) => name)])];
const args = process.argv.slice(2);
const videos = args.filter((arg) => !names.includes(arg));
const unknown = videos.find((video) => !existsSync(video));
if (unknown !== undefined) {
  throw new UsageError('no-bench', `Expected a video or one of ${names.join(', ')}, found "${unknown}".`);
}
const asked = args.filter((arg) => names.includes(arg));
const isAsked = (name: string): boolean => asked.includes('all') || asked.includes(name);

const scratch = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
const measured: Record<PartName, () => Promise<Omit<Part, 'facts'>>> = { solver, pipeline, memory };
try {
  for (const name of partNames.filter((part) => asked.length === 0 || isAsked(part))) {
    const facts = await machineFacts();
    console.log(`${name} ...`);
    keepPart(name, { facts, ...(await measured[name]()) });
  }
  // Videos that several of them look at are analysed once.
  process.env['THROUGHLINE_CACHE'] ??= join(scratch, 'cache');
  const problems = LONGER.filter(({ name }) => isAsked(name)).map(measureAgain).filter((why) => why !== null); // prettier-ignore
  console.log(`\n${tableText()}\n\nWhat the longer commands last printed:\n\n${longerText()}`);
  fillPages();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function solver(): Promise<Omit<Part, 'facts'>> {
  const { head, rows, remark } = measureAgainstLiteral(false);
  const on = head.replace(/:.*/, '').replace('One video', 'one video');
  const lines = rows.map(({ name, seconds, times, total }): Row => [
    name,
    on,
    `${seconds.toFixed(3)} CPU-s, ${times.toFixed(1)} × ours; Σ scores ${total.toFixed(6)}`,
  ]);
  return { command: 'npm run bench -- solver', rows: lines, ...(remark === null ? {} : { remark }) };
}

async function pipeline(): Promise<Omit<Part, 'facts'>> {
  const given = videos.length > 0 ? videos : FOOTAGE.every(existsSync) ? FOOTAGE : await drawn();
  const rows: Row[] = [];
  for (const video of given) {
    const { size, rounds, peak } = await measurePipeline(video);
    const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
    const times = (what: keyof Round): string => {
      const ratios = rounds.map((round) => round[what] / round.decode);
      const range = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2)).join(' to ');
      const cpu = median(rounds.map((round) => round[what])).toFixed(1);
      return `${median(ratios).toFixed(2)} × (${range}; ${cpu} CPU-s)`;
    };
    const on = `${basename(video)}, ${size}`;
    rows.push(
      ['decoding alone', on, `${median(rounds.map(({ decode }) => decode)).toFixed(1)} CPU-s`],
      ["ffmpeg's detection of scenes (`scdet`), against decoding", on, times('scenes')],
      ['analysing, against decoding', on, times('analysing')],
      ['the whole without films, against decoding', on, times('whole')],
      ['the whole with `--fast`, against decoding', on, times('fast')],
      ['peak memory', on, `${peak.toFixed(0)} MB`],
    );
  }
  const remark = `Pipeline: each file is played over and over to ${SECONDS} s. Each figure against decoding in the same round, the median of ${ROUNDS} interleaved rounds and their range; decoding is \`ffmpeg -f null\` of the same file with the same threads, the whole \`summarize --no-films\` on an empty cache. Analysing is that from the start of the program until the video is analysed and kept: starting, probing and hashing included, choosing and the report not. Memory is of all processes together, with every page of a program or library that any of them has.`;
  return { command: 'npm run bench -- pipeline', rows, remark };
}

/** Two videos of the demo, one of them twice as large. */
async function drawn(): Promise<string[]> {
  const { path: ffmpeg } = await locateFfmpeg();
  const paths: string[] = [];
  for (const scale of [2, 1]) {
    const folder = join(scratch, `scale-${scale}`);
    const { videos: films } = await drawTopic({ folder, ffmpeg, scale, videoCount: 1 });
    paths.push(...films.map(({ file }) => join(folder, file)));
  }
  return paths;
}

async function memory(): Promise<Omit<Part, 'facts'>> {
  const place = { folder: join(tmpdir(), 'throughline-bench-load'), drawn: Math.max(...LOAD.topics) };
  const rows: Row[] = [];
  const row = (what: string, on: string, { analysis, rest }: Load): void =>
    void rows.push([what, on, `${analysis.peak.toFixed(0)} MB, then ${rest.peak.toFixed(0)} MB`]);
  const peaks = 'peak of the analysis, then of the rest';
  for (const hours of LOAD.hours) {
    const load = await measureHours(hours, place);
    row(peaks, `one video of ${hours} hours, ${load.shots} shots`, load);
  }
  for (const count of LOAD.topics) row(peaks, `a topic of ${count} videos`, await measureTopic(count, place));
  return { command: 'npm run bench -- memory', rows };
}

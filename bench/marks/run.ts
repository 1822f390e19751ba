// npm run bench:marks -- MARKS-FOLDER (TOPIC-FOLDER | SUMMARY.json)...     sanity marks made by models, never people's judgement; writes results.txt
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { UsageError } from '../../src/base/index.js';
import { EVIDENCE_TERMS } from '../../src/topic/index.js';
import { meanOf, ranksOf, spearmanRho } from '../../src/eval/index.js';
import { summarizeTopic } from '../../src/index.js';
import { checkOptions } from '../../src/options/index.js';
import { analyseTopic } from '../../src/pipeline/pipeline.js';
import { parseSummary, type SummaryShot, type TopicShot, type VideoSummary } from '../../src/summary/index.js';
import { withRun } from '../../src/pipeline/run.js';
import { machineFacts } from '../machine.js';

/** Seconds of a marked piece. */
const PIECE = 2;
/** Length of the film of the topic. */
const FILM = '30s';

/** The marks of one rater: by video, by piece. */
type Rater = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Rows `topic,video,index,mark` under a heading. */
function readMarks(path: string): Rater {
  const marks = new Map<string, Map<number, number>>();
  for (const line of readFileSync(path, 'utf8').trim().split('\n').slice(1)) {
    const [, video = '', index, mark] = line.split(',');
    if (!Number.isInteger(Number(index)) || !Number.isFinite(Number(mark)))
      throw new UsageError('bad-marks', `Expected topic,video,index,mark in "${path}", found "${line}". Correct it.`);
    marks.set(video, (marks.get(video) ?? new Map<number, number>()).set(Number(index), Number(mark)));
  }
  return marks;
}

/** The mean of a value over the shots in a piece, by the time they have in it; `null` past the end, or without the value. */
function pieceMean(
  { shots, range: { start, base } }: VideoSummary,
  piece: number,
  valueOf: (shot: SummaryShot) => number | undefined,
): number | null {
  const seconds = (ticks: number): number => ((ticks - start) * base.num) / base.den;
  let [sum, time] = [0, 0];
  for (const shot of shots) {
    const [{ range }, value] = [shot, valueOf(shot)];
    const shared = Math.min(seconds(range.end), PIECE * (piece + 1)) - Math.max(seconds(range.start), PIECE * piece);
    if (shared <= 0 || value === undefined) continue;
    sum += shared * value;
    time += shared;
  }
  return time === 0 ? null : sum / time;
}

/** Mean motion and loudness of each shot, by video: measured, and no part of the evidence. */
async function measureShots(folder: string): Promise<Map<string, Record<string, Float64Array>>> {
  return withRun(checkOptions({}), join(scratch, 'measured'), {}, async (run) => {
    const { analysed } = await analyseTopic([folder], run, { writes: false });
    const byVideo = new Map<string, Record<string, Float64Array>>();
    for (const { name, analysis } of analysed) {
      const [{ motion }, sound] = [await analysis.measures(), await analysis.sound()];
      const meanIn = (curve: ArrayLike<number>, from: number, to: number): number =>
        meanOf(Array.from({ length: Math.max(1, to - from) }, (_, k) => curve[from + k] ?? 0)) ?? 0;
      // A curve of sound has a fixed rate; frames may not have one.
      const at = (tick: number, length: number): number => Math.floor(((tick - analysis.start) / (analysis.end - analysis.start)) * length); // prettier-ignore
      byVideo.set(name, {
        motion: Float64Array.from(analysis.shots, ({ startFrame, endFrame }) => meanIn(motion, startFrame + 1, endFrame)),
        ...(sound && { loudness: Float64Array.from(analysis.shots, ({ range: { start, end } }) => meanIn(sound.loudness, at(start, sound.loudness.length), at(end, sound.loudness.length))) }),
      }); // prettier-ignore
    }
    return byVideo;
  });
}

type Pair = readonly [number, number];

/** ρ of two lists; `null` if either says nothing. */
function rho(pairs: readonly Pair[]): number | null {
  if (pairs.length < 2) return null;
  return spearmanRho(ranksOf(pairs.map(([one]) => one)), ranksOf(pairs.map(([, other]) => other)));
}

/** The mean ρ inside the videos, and ρ over all pieces of the topic at once. */
function agreement(byVideo: readonly (readonly Pair[])[]): string {
  const figures = [meanOf(byVideo.map(rho)), rho(byVideo.flat())];
  return figures.map((value) => (value?.toFixed(3) ?? '–').padStart(6)).join('   ');
}

/** The mean mark of what a film plays of its videos, by the time it plays. */
function playedMean(shots: readonly TopicShot[], videos: readonly VideoSummary[], marks: Rater): number {
  let [sum, time] = [0, 0];
  for (const { video: id, range } of shots) {
    const video = videos.find((each) => each.id === id)!;
    const seconds = (ticks: number): number => ((ticks - video.range.start) * range.base.num) / range.base.den;
    for (const [piece, mark] of marks.get(basename(video.path)) ?? []) {
      const played = Math.min(seconds(range.end), PIECE * (piece + 1)) - Math.max(seconds(range.start), PIECE * piece);
      if (played <= 0) continue;
      sum += played * mark;
      time += played;
    }
  }
  return sum / time;
}

const [folder, ...given] = process.argv.slice(2);
if (folder === undefined || given.length === 0)
  throw new UsageError('no-data', 'Expected a folder of marks, then topic folders or summary.json files. Name them.');
const raters = readdirSync(folder).filter((name) => name.endsWith('.csv')).sort().map((name) => ({ name: basename(name, '.csv'), marks: readMarks(join(folder, name)) })); // prettier-ignore
const lines = [
  (await machineFacts()).join(', '),
  `Sanity marks made by ${raters.length} models from one still per ${PIECE} s, without motion or sound. They are not people’s judgement.`,
  'ρ inside videos (mean over videos), then over all pieces of the topic:',
];
const scratch = mkdtempSync(join(tmpdir(), 'throughline-marks-'));
try {
  for (const path of given) {
    const isFolder = statSync(path).isDirectory();
    if (isFolder) await summarizeTopic(path, { films: false, concept: FILM, out: join(scratch, basename(path)) });
    const file = isFolder ? join(scratch, basename(path), 'summary.json') : path;
    const { topic, videos, concept } = parseSummary(readFileSync(file, 'utf8'), file);
    const marked = videos.filter((video) => raters.some(({ marks }) => marks.has(basename(video.path))));
    const pieces = (marks: Rater, valueOf: (video: VideoSummary, piece: number) => number | null): Pair[][] =>
      marked.map((video) =>
        [...(marks.get(basename(video.path)) ?? [])].flatMap(([piece, mark]): Pair[] => {
          const value = valueOf(video, piece);
          return value === null ? [] : [[value, mark]];
        }),
      );
    const lengthOf = (video: VideoSummary): number =>
      ((video.range.end - video.range.start) * video.range.base.num) / video.range.base.den;
    lines.push(`${topic}, ${marked.length} videos`);
    const measured = isFolder ? await measureShots(path) : new Map<string, Record<string, Float64Array>>();
    const signals: [string, (video: VideoSummary, shot: SummaryShot) => number | undefined][] = [
      ['the ranking', (_, { score }) => score],
      ...(['total', ...EVIDENCE_TERMS] as const).map((term): (typeof signals)[number] => [`evidence, ${term}`, (_, { evidence }) => evidence?.[term]]),
      ...['motion', 'loudness'].map((name): (typeof signals)[number] => [`${name} alone`, ({ path: video }, { index }) => measured.get(video)?.[name]?.[index]]),
    ]; // prettier-ignore
    for (const { name, marks } of raters) {
      for (const [signal, valueOf] of signals) {
        const found = pieces(marks, (video, piece) => pieceMean(video, piece, (shot) => valueOf(video, shot)));
        if (found.flat().length > 0) lines.push(`  ${`${signal} against ${name}`.padEnd(44)} ${agreement(found)}`);
      }
      const middle = pieces(marks, (video, piece) => -Math.abs(PIECE * (piece + 0.5) - lengthOf(video) / 2));
      lines.push(`  the middle of the video against ${name.padEnd(12)} ${agreement(middle)}`);
      if (concept) {
        const [film, all] = [playedMean(concept.shots, videos, marks), meanOf(marked.flatMap((video) => [...(marks.get(basename(video.path)) ?? new Map<number, number>()).values()]))!]; // prettier-ignore
        lines.push(
          `  the film of ${FILM}, mean mark of ${name}           ${film.toFixed(2)}, of all pieces ${all.toFixed(2)}`,
        );
      }
      for (const other of raters.slice(raters.findIndex((each) => each.name === name) + 1)) {
        const both = pieces(marks, (video, piece) => other.marks.get(basename(video.path))?.get(piece) ?? null);
        lines.push(`  ${`${other.name} against ${name}`.padEnd(44)} ${agreement(both)}`);
      }
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(lines.join('\n'));
writeFileSync(new URL('results.txt', import.meta.url), `${lines.join('\n')}\n`);

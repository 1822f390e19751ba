import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { UsageError, whyUnreadable } from '../base/index.js';
import { parseSummary, type VideoSummary } from '../summary/index.js';
import { type Benchmark, benchmarkDocument, type VideoRankings } from './benchmark.js';
import { type FrameLabelledDataset, judgeShots } from './datasets/source.js';
import { readCosum } from './datasets/mat-labels.js';
import { readTvsum } from './datasets/tvsum.js';
import type { Contender, Ties } from './jury.js';
import { protocolOf } from './run-benchmark.js';
import { scoreboard } from './scoreboard.js';
import type { Dataset, LabelledVideo } from './types.js';

/** A result to be scored: a ranking, a summary, or both. Shots are counted from 0. */
type OwnResult = {
  /** Shots, best first; `null` if only a summary is known. */
  readonly order: readonly number[] | null;
  /** Shots of the summary; `null` if only a ranking is known. */
  readonly chosen: readonly number[] | null;
  /** Frames of each shot; `null` if not given. */
  readonly lengths: readonly number[] | null;
};

const shots = z.array(z.int().nonnegative());
const ownRecord = z.union([
  shots.transform((order) => ({ order, chosen: null, lengths: null })),
  z
    .strictObject({
      order: shots.optional(),
      chosen: shots.optional(),
      lengths: z.array(z.int().positive()).optional(),
    })
    .refine(({ order, chosen }) => order !== undefined || chosen !== undefined)
    .transform(({ order = null, chosen = null, lengths = null }) => ({ order, chosen, lengths })),
]);
const references = z.union([
  z.array(shots),
  z.strictObject({ references: z.array(shots) }).transform((it) => it.references),
]);

/**
 * Reads a result to be scored: a list of shots (JSON `[3, 0, 7]`, or text with one number per line), a record
 * `{ "order": […], "chosen": […], "lengths": […] }`, or a video of a `summary.json`.
 */
export async function readOwnResult(path: string, video?: string): Promise<OwnResult> {
  const text = await readText(path);
  const data = asJson(text);
  if (data === null) return { order: numbersIn(text, path), chosen: null, lengths: null };
  if (typeof data === 'object' && data !== null && 'videos' in data) return fromSummary(path, text, video);
  const parsed = ownRecord.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    'bad-result',
    `Expected a list of shots, a record with "order" or "chosen", or a summary.json in "${path}", found something else. Choose another file.`,
  );
}

/** Reads references: JSON `[[0, 4], [1, 4, 9]]`, or text with one reference per line. */
export async function readReferences(path: string): Promise<number[][]> {
  const text = await readText(path);
  const data = asJson(text);
  const lists =
    data === null
      ? text.split('\n').filter((line) => line.trim() !== '').map((line) => numbersIn(line, path)) // prettier-ignore
      : references.safeParse(data).data;
  if (lists && lists.length > 0) return lists;
  throw new UsageError(
    'bad-references',
    `Expected at least one list of shots in "${path}" (JSON [[0, 4], [1, 9]], or one per line), found none.`,
  );
}

function fromSummary(path: string, text: string, wanted: string | undefined): OwnResult {
  const { videos } = parseSummary(text, path);
  const found: VideoSummary | undefined =
    wanted === undefined && videos.length === 1 ? videos[0] : videos.find(({ id }) => id === wanted);
  if (!found) {
    throw new UsageError(
      'no-video',
      `Expected --video with one of ${videos.map(({ id }) => id).join(', ')} from "${path}", found ${wanted === undefined ? 'none' : `"${wanted}"`}.`,
    );
  }
  return {
    order: found.shots.toSorted((a, b) => a.rank - b.rank).map(({ index }) => index),
    chosen: found.shots.filter(({ chosen }) => chosen).map(({ index }) => index),
    lengths: found.shots.map(({ startFrame, endFrame }) => endFrame - startFrame),
  };
}

function asJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function numbersIn(text: string, path: string): number[] {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  const numbers = parts.map(Number);
  const wrong = parts.find((_, at) => !Number.isInteger(numbers[at]) || numbers[at]! < 0);
  if (wrong === undefined) return numbers;
  throw new UsageError('bad-result', `Expected shots as whole numbers in "${path}", found "${wrong.slice(0, 40)}".`);
}

/** The text of a file, without the mark that some editors put at its start. */
async function readText(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError('unreadable', `Could not read "${path}" (${whyUnreadable(error)}). Check the path.`, {
      cause: error,
    });
  });
  return text.replace(/^\uFEFF/, '');
}

/**
 * Scores the rankings of a `benchmark.json` again, with the labels in `data` and, if given, another rule for ties. Settings
 * that were chosen (nested rows) stay as they were.
 */
export async function rescore(path: string, data: string, ties?: Ties): Promise<Benchmark> {
  const record = await readRecord(path);
  const labels: Dataset & Partial<FrameLabelledDataset> = await (record.dataset.name === 'tvsum'
    ? readTvsum(data)
    : readCosum(data));
  const scored = record.rankings.map((ranked) => labelsFor(ranked, labels));
  const names = record.scoreboard.rows.filter(({ kind }) => kind === 'method').map(({ name: row }) => row);
  const rows = Object.fromEntries(names.map((row) => [row, rankingsOf(record, row)]));
  const settings = { ...record.scoreboard.settings, ...(ties ? { ties } : {}) };
  const protocol = protocolOf(record.dataset, settings.ties);
  return { ...record, protocol, scoreboard: scoreboard(scored, rows, settings), examples: [] };
}

function rankingsOf({ rankings }: Benchmark, row: string): Map<string, Contender[]> {
  return new Map(
    rankings.flatMap(({ video, rows }) => {
      const own = rows[row]?.map(({ order, scores }) => ({ order, ...(scores ? { scores } : {}) }));
      return own ? [[video, own]] : [];
    }),
  );
}

async function readRecord(path: string): Promise<Benchmark> {
  const text = await readText(path);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    data = null;
  }
  const parsed = benchmarkDocument.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    'bad-record',
    `Expected a benchmark.json with the schema benchmark.2 in "${path}", found something else. Run the benchmark again.`,
  );
}

/** The labels of a video for the shots that were ranked: judged anew where frames are labelled, else the same shots. */
function labelsFor(
  { video: id, starts, endFrame }: VideoRankings,
  { videos, frameScores }: Dataset & Partial<FrameLabelledDataset>,
): LabelledVideo {
  const video = videos.find((each) => each.id === id);
  const scores = frameScores?.get(id);
  const shots = starts.map((startFrame, shot) => ({ startFrame, endFrame: starts[shot + 1] ?? endFrame }));
  if (video && scores)
    return { ...video, frameCount: endFrame, shots, judgements: judgeShots(scores, shots).judgements };
  if (video?.shots.length === starts.length && video.shots.every((shot, at) => shot.startFrame === starts[at]))
    return video;
  throw new UsageError(
    'other-shots',
    `Expected labels for the ${starts.length} shots of "${id}", found ${video ? `${video.shots.length} other shots` : 'none'}. Name the data the benchmark was made with.`,
  );
}

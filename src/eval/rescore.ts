import { UsageError } from '../base/index.js';
import { type Benchmark, type VideoRankings, benchmarkDocument } from './benchmark.js';
import { type FrameLabelledDataset, judgeShots, readCosum, readTvsum } from './datasets/index.js';
import type { Contender, Ties } from './jury.js';
import { readText } from './own-files.js';
import { protocolOf } from './run-benchmark.js';
import { scoreboard } from './scoreboard.js';
import type { Dataset, LabelledVideo } from './types.js';

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

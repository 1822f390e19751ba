import { readFile } from 'node:fs/promises';

import { UsageError, whyUnreadable } from '../base/index.js';
import type { Benchmark } from './benchmark.js';
import { benchmarkDocument } from './benchmark-schema.js';
import { readCosum, readTvsum } from './datasets/index.js';
import type { Contender, Ties } from './jury.js';
import { scoreboard } from './scoreboard.js';
import type { LabelledVideo } from './types.js';

/**
 * Scores the rankings of a `benchmark.json` again, with the labels in `data` and, if given, another rule for ties. Settings
 * that were chosen (nested rows) stay as they were.
 */
export async function rescore(path: string, data: string, ties?: Ties): Promise<Benchmark> {
  const record = await readRecord(path);
  const { name, grid } = record.dataset;
  const { videos } = await (name === 'tvsum' ? readTvsum(data, grid ?? 'scored') : readCosum(data));
  const byId = new Map(videos.map((video) => [video.id, video]));
  const rows: Record<string, Map<string, readonly Contender[]>> = {};
  const scored = record.rankings.map(({ video: id, starts, endFrame, rows: ranked }) => {
    for (const [row, rankings] of Object.entries(ranked)) {
      const list = rankings.map(({ order, scores }) => ({ order, ...(scores ? { scores } : {}) }));
      (rows[row] ??= new Map()).set(id, list);
    }
    return requireSameShots(byId.get(id), { id, starts, endFrame });
  });
  const settings = { ...record.scoreboard.settings, ...(ties ? { ties } : {}) };
  return { ...record, scoreboard: scoreboard(scored, rows, settings), examples: [] };
}

async function readRecord(path: string): Promise<Benchmark> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError('unreadable', `Could not read "${path}" (${whyUnreadable(error)}). Check the path.`, {
      cause: error,
    });
  });
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

/** The labels of a video whose shots are those that were ranked, up to the end of the last, which a file may shift. */
function requireSameShots(
  video: LabelledVideo | undefined,
  { id, starts, endFrame }: { id: string; starts: readonly number[]; endFrame: number },
): LabelledVideo {
  const isSame =
    video?.shots.length === starts.length && video.shots.every((shot, at) => shot.startFrame === starts[at]);
  if (video && isSame) return video;
  throw new UsageError(
    'other-shots',
    `Expected labels for the ${starts.length} shots of "${id}" up to frame ${endFrame}, found ${video ? `${video.shots.length} other shots` : 'none'}. Name the data the benchmark was made with.`,
  );
}

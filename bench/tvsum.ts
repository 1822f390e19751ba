import { mkdtempSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

import { dot, UsageError } from '../src/base/index.js';
import { readTvsum } from '../src/eval/datasets/tvsum.js';
import { LEAD_METRICS, METRICS, type ScoreRow } from '../src/eval/index.js';
import { formatValue } from '../src/eval/report/text-table.js';
import { describeFromVideos } from '../src/eval/describe-videos.js';
import type { DescribedVideo } from '../src/eval/rank-all.js';
import { decodeBackground } from '../src/pipeline/index.js';
import type { Normalisation } from '../src/features/index.js';
import { optionsSchema } from '../src/options/index.js';
import { backgroundFrom, EMBEDDED_BACKGROUND } from '../src/pipeline/evidence.js';
import { localWorkspace, openCache } from '../src/storage/index.js';

/** Topics that settings may be chosen on: the only ones whose videos were available. The others are kept back. */
export const DEVELOPMENT_TOPICS = ['VT', 'GA', 'PK', 'FM', 'BT'];

/** What a bench prints of a row, in the order of `FIGURES`. */
const FIGURE_NAMES = [...LEAD_METRICS, 'ap5', 'ap15'] as const;
export const FIGURES = FIGURE_NAMES.map((name) => METRICS[name]).join(', ');

/** The figures of a row in columns, after its name. */
export function figuresOf({ scores }: Pick<ScoreRow, 'scores'>, name: string): string {
  const figures = FIGURE_NAMES.map((metric) => formatValue(scores[metric].overall).padStart(6));
  return `  ${name.padEnd(26)} ${figures.join('   ')}`;
}

/**
 * The TVSum videos of a folder (official files, `videos/ID.mp4`) that are there, with the embedded network's vectors.
 * Analyses are kept in $THROUGHLINE_CACHE where that is set.
 */
export async function describeTvsum(
  folder: string | undefined,
  normalise: Normalisation,
): Promise<readonly DescribedVideo[]> {
  if (!folder) throw new UsageError('no-data', 'Expected the TVSum folder (labels, videos/), found none. Name it.');
  const scratch = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
  const cache = await openCache(process.env['THROUGHLINE_CACHE'] ?? join(scratch, 'cache'));
  const { videos } = await describeFromVideos(join(folder, 'videos'), await readTvsum(folder), {
    options: optionsSchema.parse({ normalise }),
    budget: { kind: 'share', share: 0.15 },
    conceptBudget: null,
    jobs: availableParallelism(),
    out: scratch,
    workspace: localWorkspace(cache),
    emit: () => undefined,
    signal: undefined,
    skipped: [],
    notes: [],
  });
  return videos;
}

/** What unrelated shots are like, as the product takes it: the mean of x·y over the shots of the embedded background. */
export function usualOfBackground(): number {
  const file = decodeBackground(readFileSync(EMBEDDED_BACKGROUND), EMBEDDED_BACKGROUND);
  const { mean } = backgroundFrom(file, optionsSchema.parse({}))!;
  return dot(mean, mean);
}

import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';

import { inMemory, type Matrix } from '../src/base/index.js';
import { readTvsum } from '../src/eval/datasets/tvsum.js';
import { VIDEO_ENDINGS } from '../src/pipeline/collect-inputs.js';
import { optionsSchema } from '../src/options/index.js';
import type { Run } from '../src/pipeline/run.js';
import { admitVideos } from '../src/pipeline/admit.js';
import { type AnalysedVideo, analyseVideos } from '../src/pipeline/analyse-videos.js';
import { pictureVectors } from '../src/pipeline/shot-vectors.js';
import { localWorkspace, openCache } from '../src/storage/index.js';

/** A video of a labelled topic, as it is compared with others. */
export type Described = {
  readonly name: string;
  readonly topic: string;
  readonly vectors: Matrix;
  readonly video: AnalysedVideo;
};

/** The video files of a folder, by name. */
export function listVideos(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => VIDEO_ENDINGS.has(extname(name)));
  return names.sort().map((name) => join(folder, name));
}

/** The TVSum videos that are there, by topic. */
export async function tvsumTopics(folder: string): Promise<Map<string, string[]>> {
  const labels = new Map((await readTvsum(folder)).videos.map(({ id, topic }) => [id, topic]));
  const topics = new Map<string, string[]>();
  for (const path of listVideos(join(folder, 'videos'))) {
    const topic = labels.get(basename(path, extname(path)))!;
    topics.set(topic, [...(topics.get(topic) ?? []), path]);
  }
  return topics;
}

/** The vectors of these videos with all options at their defaults; analyses are kept in $THROUGHLINE_CACHE where that is set. */
export async function describeFiles(topic: string, paths: readonly string[]): Promise<Described[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
  const cache = await openCache(process.env['THROUGHLINE_CACHE'] ?? join(scratch, 'cache'));
  const run: Run = {
    options: optionsSchema.parse({}),
    budget: { kind: 'share', share: 0.15 },
    conceptBudget: null,
    ...{ jobs: 2, out: scratch, emit: () => undefined, signal: undefined, skipped: [], notes: [] },
    workspace: localWorkspace(cache),
  };
  const inputs = paths.map((path, at) => ({ id: `video-${at}`, name: basename(path), path }));
  const videos = await analyseVideos(await admitVideos(inputs, run), run);
  const vectors = (await pictureVectors(videos, run.options, run)).map(inMemory);
  return videos.map((video, at) => ({ name: video.name, topic, vectors: vectors[at]!, video }));
}

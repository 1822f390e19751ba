import { type Matrix, zeros } from '../base/index.js';
import { spreadOfRows } from '../evidence/index.js';
import {
  classRoots,
  EMBEDDED_MODEL,
  embeddedClassHead,
  normaliseShots,
  type FeatureMatrix,
} from '../features/index.js';
import type { Options } from '../options/index.js';
import { compareVideos, evenly, type FolderLikeness, type LikenessTable, type Metric } from '../topic/index.js';
import type { AnalysedVideo } from './analyse-videos.js';
import { backgroundRows, readBackground } from './evidence.js';

/** This many shots of a video, evenly spread, are compared with the other videos. */
const MAX_SHOTS = 64;
/** λ in mean eigenvalues of the background's covariance; from 0.03 to 0.3 the results hardly differ (`npm run bench:strays`). */
const RIDGE = 0.1;

type Compared = Pick<AnalysedVideo, 'sha256' | 'extractor' | 'analysis'>;

/**
 * How alike the videos of a topic are; `null` for fewer than three. Vectors of the embedded network become the roots of its
 * class probabilities, others are compared as they are. `topic` are content hashes: rows of the background that come from
 * these videos are left out.
 */
export async function compareTopic(
  videos: readonly Compared[],
  options: Pick<Options, 'background' | 'normalise'>,
  topic: ReadonlySet<string> = new Set(videos.map(({ sha256 }) => sha256)),
): Promise<LikenessTable | null> {
  const [first] = videos;
  if (first === undefined) return null;
  const head = first.extractor.sha256 === EMBEDDED_MODEL.sha256 ? await embeddedClassHead() : null;
  const rowsOf = (shots: FeatureMatrix): Matrix =>
    head === null ? normaliseShots(shots, options.normalise) : classRoots(shots, head);
  const metric = await metricFor(first.extractor, options, topic, rowsOf, head === null ? 'vectors' : 'classes');
  const table = await compareVideos(videos.length, (video) => readSome(videos[video]!, rowsOf), metric);
  return table && { ...table, namesStrays: head !== null && metric !== null };
}

/** Shots compared in a folder, of all videos together; each has at least four and at most `MAX_SHOTS`. */
const FOLDER_SHOTS = 16_384;

/**
 * How alike the videos of a mixed folder are: as above, with the vectors as they are, both directions averaged. To divide the
 * folder, its own mean takes the place of the background's, because a mixed folder is varied footage itself.
 */
export async function compareFolder(
  videos: readonly Compared[],
  options: Pick<Options, 'background' | 'normalise'>,
): Promise<FolderLikeness> {
  const rowsOf = (shots: FeatureMatrix): Matrix => normaliseShots(shots, options.normalise);
  const count = videos.length;
  const shots = Math.min(MAX_SHOTS, Math.max(4, Math.floor(FOLDER_SHOTS / count)));
  const topic = new Set(videos.map(({ sha256 }) => sha256));
  const metric = count === 0 ? null : await metricFor(videos[0]!.extractor, options, topic, rowsOf, 'vectors');
  const against = async (each: Metric | null): Promise<Matrix> => {
    const table = await compareVideos(count, (video) => readSome(videos[video]!, rowsOf, shots), each, count);
    const likeness = zeros(count, count);
    for (let v = 0; table && v < count; v++)
      for (let w = 0; w < count; w++) likeness.data[v * count + w] = (table.rows[v]![w]! + table.rows[w]![v]!) / 2;
    return likeness;
  };
  const likeness = await against(metric && { ...metric, mean: null });
  return metric === null ? { likeness } : { likeness, related: await against(metric) };
}

/** Some shots of a video, evenly spread. */
async function readSome(
  { analysis }: Compared,
  rowsOf: (shots: FeatureMatrix) => Matrix,
  most = MAX_SHOTS,
): Promise<Matrix> {
  const { dim, shotCount, read } = analysis.features;
  const shots = evenly(shotCount, most);
  const data = new Float32Array(shots.length * dim);
  for (const [at, shot] of shots.entries()) data.set((await read(shot, 1)).data, at * dim);
  return rowsOf({ shotCount: shots.length, dim, data });
}

/** The latest metric: the same for topics that share no video with the background. */
let latest: { readonly key: string; readonly metric: Metric } | null = null;

async function metricFor(
  extractor: Compared['extractor'],
  options: Pick<Options, 'background' | 'normalise'>,
  topic: ReadonlySet<string>,
  rowsOf: (shots: FeatureMatrix) => Matrix,
  kind: 'vectors' | 'classes',
): Promise<Metric | null> {
  const file = await readBackground(extractor, options);
  if (file === null) return null;
  const own = file.sources.flatMap(({ sha256 }) => (topic.has(sha256) ? [sha256] : []));
  const key = JSON.stringify([file.features, file.sources, options.normalise, own, kind]);
  if (latest?.key === key) return latest.metric;
  const { rows: shotCount, cols: dim, data } = backgroundRows(file, topic);
  if (shotCount === 0) return null;
  const metric = spreadOfRows(rowsOf({ shotCount, dim, data: Float32Array.from(data) }), RIDGE);
  latest = { key, metric };
  return metric;
}

import type { Run } from './run.js';
import type { Budget, VideoBelonging, VideoStanding } from '../summary/index.js';
import {
  type Belonging,
  relateVideos,
  type Relations,
  UNRELATED,
  type Votes,
  spreadOfRows,
  compareVideos,
  evenly,
  type FolderLikeness,
  type LikenessTable,
  type Metric,
} from '../topic/index.js';
import { skip } from './admit.js';
import type { AnalysedVideo } from './analyse-videos.js';
import { pictureVectors } from './shot-vectors.js';
import { maxCompared, note } from './limits.js';
import { type Matrix, zeros } from '../base/index.js';
import {
  classRoots,
  EMBEDDED_MODEL,
  embeddedClassHead,
  normaliseShots,
  type FeatureMatrix,
} from '../features/index.js';
import type { Options } from '../options/index.js';
import { backgroundRows, readBackground } from './evidence.js';

/** Why a video counts less, with the evidence. */
type Objection = { readonly code: 'stray' | 'double'; readonly message: string };

/** How a video relates to its topic; absent for a single video. */
export type Related = {
  readonly standing?: VideoStanding;
  readonly belonging?: VideoBelonging;
  readonly remarks?: readonly Objection[];
  /** The length of its film if it is not that of the run; `null` if it has none. */
  readonly budget?: Budget | null;
};

type RelatedVideo = AnalysedVideo & Related;

/** The videos of a topic, and how much they count for each other. */
export type RelatedTopic = { readonly videos: readonly RelatedVideo[]; readonly votes: Votes };

/** Compares the videos with each other: finds doubles and strays, and sets how much each video counts. */
export async function relateTopic(videos: readonly AnalysedVideo[], run: Run): Promise<RelatedTopic> {
  const { options } = run;
  if (!isCompared(videos.length, run)) return { videos, votes: { common: videos.map(() => 1) } };
  const table = await compareTopic(videos, options);
  const relations = relateVideos(await pictureVectors(videos, options, run), table, options);
  const originals = originalsOf(videos, relations);
  const ranks = ranksOf(relations);
  const isDropped = (place: number): boolean => options.dropStrays && relations.belongings[place]?.isStray === true;
  const related = videos.map((video, place) => {
    const original = videos[originals[place]!]!;
    const isDouble = original !== video;
    const belonging = relations.belongings[place] ?? null;
    const remarks: Objection[] = [];
    if (belonging?.isStray) {
      const stray = strayMessage(video, belonging, videos[belonging.nearest]!);
      if (isDropped(place)) skip(run, video.name, 'stray', `${stray} It was left out.`);
      else remarks.push({ code: 'stray', message: `${stray} It is used like any other; --drop-strays leaves it out.` });
    }
    if (isDouble && !isDropped(place)) {
      const film =
        run.conceptBudget === null ? '' : ` The film of the topic takes what they show from "${original.name}".`;
      remarks.push({ code: 'double', message: doubleMessage(video, original, relations, place) + film });
    }
    for (const { code, message } of remarks) note(run, code, message);
    return {
      ...video,
      standing: describe(relations, place, isDouble ? original.id : null),
      ...(belonging && { belonging: { ...recordOf(belonging, videos), rank: ranks[place]!, against: table!.against } }),
      remarks,
    };
  });
  const kept = [...related.keys()].filter((place) => !isDropped(place));
  return { videos: kept.map((place) => related[place]!), votes: only(kept, relations.votes) };
}

/** Whether the videos of a topic are compared with each other. If there are too many, a note says so. */
export function isCompared(videoCount: number, run: Run): boolean {
  if (videoCount < 2 || !run.options.relate) return false;
  const most = maxCompared(run);
  if (videoCount <= most) return true;
  note(
    run,
    'not-compared',
    `The topic has ${videoCount} videos, more than the ${most} that are compared with each other: doubles and strays were not looked for, and every video counts the same.`,
  );
  return false;
}

/** For each video, the one it is a double of: the one with the most pixels of those that show the same, then the longest. */
function originalsOf(videos: readonly AnalysedVideo[], { groups }: Relations): number[] {
  const originals = videos.map((_, place) => place);
  const pixels = (place: number): number => videos[place]!.info.widthPx * videos[place]!.info.heightPx;
  const length = (place: number): number => videos[place]!.analysis.shots.length;
  for (const group of groups) {
    const [original] = group.toSorted((a, b) => pixels(b) - pixels(a) || length(b) - length(a) || a - b);
    for (const place of group) originals[place] = original!;
  }
  return originals;
}

/** 1 for the video most like the others; of equals, the earlier first. */
function ranksOf({ belongings }: Relations): number[] {
  const likeness = (place: number): number => belongings[place]?.likeness ?? 0;
  const order = [...belongings.keys()].sort((a, b) => likeness(b) - likeness(a) || a - b);
  return belongings.map((_, place) => order.indexOf(place) + 1);
}

function recordOf(belonging: Belonging, videos: readonly AnalysedVideo[]) {
  const { likeness, least, typical, views, nearest, nearestLikeness } = belonging;
  return { likeness, least, typical, views, nearest: videos[nearest]!.id, nearestLikeness };
}

function describe({ belongings, votes }: Relations, place: number, doubleOf: string | null): VideoStanding {
  const isStray = belongings[place]?.isStray ?? false;
  return { weight: votes.common[place]!, isStray, ...(doubleOf === null ? {} : { doubleOf }) };
}

function strayMessage(
  { name }: AnalysedVideo,
  { likeness, least, nearestLikeness }: Belonging,
  nearest: AnalysedVideo,
): string {
  return (
    `"${name}" does not seem to belong to the topic: its likeness to the other videos is ${likeness.toFixed(2)}, less than half ` +
    `of what the least alike of those have among themselves, ${least.toFixed(2)}. Even "${nearest.name}", the nearest, is ` +
    `no more like it (${nearestLikeness.toFixed(2)}) than unrelated videos (up to ${UNRELATED}).`
  );
}

function doubleMessage(
  video: AnalysedVideo,
  original: AnalysedVideo,
  { doubles, groups }: Relations,
  place: number,
): string {
  const found = doubles.filter(({ first, second }) => first === place || second === place);
  const likeness = Math.max(...found.map((double) => double.likeness));
  const count = groups.find((group) => group.includes(place))!.length;
  return (
    `"${video.name}" shows the same as "${original.name}" in the same order (likeness of their shots: ${likeness.toFixed(2)} ` +
    `or more): the ${count} videos together count once, and not for each other.`
  );
}

/** The votes of some of the videos for each other. */
function only(kept: readonly number[], { common, special }: Votes): Votes {
  const pick = (weights: readonly number[]): number[] => kept.map((place) => weights[place]!);
  if (special === undefined) return { common: pick(common) };
  return { common: pick(common), special: kept.map((place) => (special[place] ? pick(special[place]) : null)) };
}

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
 * folder, it is measured by its own mean alone, because a mixed folder is varied footage itself.
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
  const likeness = await against(null);
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

import { inOrder, type TallMatrix, inMemory, type Matrix, takeRows } from '../base/index.js';
import { oncePer } from './once-per.js';
import type { Run } from './run.js';
import {
  explain,
  explainInParts,
  isCvsRanking,
  knobsOf,
  type MethodChoice,
  type Part,
  type Ranking,
} from '../select/index.js';
import type { Support, Concept, Counterpart, Shown } from '../summary/index.js';
import {
  weightsFor,
  type Problem,
  type TopicFacts,
  comparable,
  KIN_FROM,
  plainlyComparable,
  sameFrom,
  sameness,
  type Comparable,
} from '../topic/index.js';
import { maxCompared, HELD_NUMBERS, SEARCHED_VIDEOS } from './limits.js';
import type { RelatedTopic } from './relate.js';
import type { OutlinedVideo } from './analyse-videos.js';
import { openBackground, type EvidenceOptions } from './evidence.js';
import type { ShotVectors } from './shot-vectors.js';

/** Supporters named for each chosen shot; the others are too weak to mean much. */
const SUPPORTERS = 5;

/** Videos read before their turn comes: a store may answer late. */
export const READ_AHEAD = 16;

/** A video that was ranked: its shots, the method, and the result. */
type Solved = {
  readonly shots: Pick<Problem<TallMatrix>, 'features' | 'pinned' | 'evidence'>;
  readonly ranking: Ranking;
  readonly choice: MethodChoice;
};

/** The topic around one of its videos. Videos are read when asked for, and need not all be in memory. */
export type Surroundings = TopicFacts & {
  featuresOf(video: number): Promise<TallMatrix>;
  idOf(video: number): string;
};

/** A shot, and the videos that support it, strongest first. */
export type Supported = { readonly shot: number; readonly by: readonly Support[] };

/** Tells who supports a shot of the video at a place, strongest first: nobody in a topic too large to compare videos. */
export function supportersIn(
  solved: readonly Solved[],
  { videos, votes }: RelatedTopic,
  run: Run,
): (place: number) => (shot: number) => Support[] {
  if (votes.common.length > maxCompared(run)) return () => () => [];
  const explainVideo = (place: number): ((shot: number) => Support[]) => {
    const { shots, ranking, choice } = solved[place]!;
    const others = weightsFor(place, votes).flatMap((weight, other) =>
      weight === 0 ? [] : [{ id: videos[other]!.id, features: solved[other]!.shots.features, weight }],
    );
    const why: ReturnType<typeof explain> = isCvsRanking(ranking)
      ? explain(shots, ranking, knobsOf(choice))
      : (shot) => [...(ranking.support?.[shot] ?? [])];
    return (shot) => strongest(why(shot, others), (neighbor) => others[neighbor]!.id);
  };
  // Shots are asked about video by video: what explains the last of them is enough to keep.
  let last: { readonly place: number; readonly supportOf: (shot: number) => Support[] } | null = null;
  return (place) => (shot) => {
    if (last?.place !== place) last = { place, supportOf: explainVideo(place) };
    return last.supportOf(shot);
  };
}

/** The same for some shots, while the other videos are read one after the other and a few numbers are kept of each. */
export async function supportersAmong(
  asked: readonly number[],
  place: number,
  { votes, featuresOf, idOf }: Surroundings,
  { shots, ranking, choice }: Solved,
  run: Run,
): Promise<Supported[]> {
  const nobody = asked.map((shot) => ({ shot, by: [] }));
  if ('count' in votes || votes.common.length > maxCompared(run)) return nobody;
  const weights = weightsFor(place, votes);
  const others = [...weights.keys()].filter((other) => weights[other] !== 0);
  const nameStrongest = (shot: number, found: readonly Found[]): Supported => ({
    shot,
    by: strongest(found, (neighbor) => idOf(others[neighbor]!)),
  });
  if (!isCvsRanking(ranking)) return asked.map((shot) => nameStrongest(shot, ranking.support?.[shot] ?? []));
  if (!asked.some((shot) => ranking.shared[shot]! > 0)) return nobody;
  const { partsOf, shareOut } = explainInParts(shots, ranking, knobsOf(choice));
  const rows = asked.map((shot) => ({ shot, partOf: partsOf(shot), parts: [] as Part[] }));
  let seen = 0;
  for await (const features of inOrder(others, READ_AHEAD, featuresOf)) {
    const source = { features, weight: weights[others[seen++]!]! };
    for (const { partOf, parts } of rows) parts.push(partOf(source));
  }
  return rows.map(({ shot, parts }) => nameStrongest(shot, shareOut(parts)));
}

type Found = ReturnType<ReturnType<typeof explain>>[number];

function strongest(found: readonly Found[], idOf: (neighbor: number) => string): Support[] {
  return found
    .flatMap(({ neighbor, share, shot }) =>
      share > 0 && shot !== null ? [{ video: idOf(neighbor), share, shot }] : [],
    )
    .sort((a, b) => b.share - a.share)
    .slice(0, SUPPORTERS);
}

/** How it is decided that shots of different videos show the same thing. */
type Measure = {
  readonly same: NonNullable<Concept['same']>;
  /** Prepares vectors of pictures for `sameness`. */
  prepare(looks: Matrix): Comparable;
};

/** Shots are compared against the background, less the rows of the topic's own videos by their hashes; without one, by the cosine from which they show nearly the same. How alike the topic is as a whole is measured on a sample. */
export async function openMeasure(
  { extractor }: Pick<OutlinedVideo, 'extractor'>,
  topic: ReadonlySet<string>,
  options: EvidenceOptions,
  vectors: Pick<ShotVectors, 'alike' | 'sample'>,
): Promise<Measure> {
  const background = await openBackground(extractor, options, topic);
  if (background === null) return { same: { from: await vectors.alike(), unit: 'cosine' }, prepare: plainlyComparable };
  const prepare = (looks: Matrix): Comparable => comparable(looks, background);
  const from = sameFrom((await vectors.sample()).map(prepare));
  return { same: { from, kinFrom: KIN_FROM, unit: 'deviations' }, prepare };
}

/** Who else shows shots of one video; `undefined` if nobody looked, because the topic is too large or the video alone. */
export type ShownOf = (shots: readonly number[]) => (Shown | undefined)[];

/** Collects, one other video after the other, which of them show the same as some shots of one video. */
function openSearch(own: Comparable, shots: readonly number[], { from, kinFrom = from }: Measure['same']) {
  const asked = { rows: takeRows(own.rows, shots), mean: at(own.mean, shots), deviation: at(own.deviation, shots) };
  const within = sameness(asked, own);
  const nearest: Counterpart[][] = shots.map(() => []);
  let others = 0;
  return {
    add(video: string, other: Comparable): void {
      others++;
      const S = sameness(asked, other);
      shots.forEach((_, i) => {
        const row = S.data.subarray(i * S.cols, (i + 1) * S.cols);
        const shot = row.reduce((best, value, j) => (value > row[best]! ? j : best), 0);
        if (row[shot]! >= kinFrom) nearest[i]!.push({ video, shot, similarity: row[shot]! });
      });
    },
    end: (): Shown[] =>
      shots.map((shot, i) => {
        const row = within.data.subarray(i * within.cols, (i + 1) * within.cols);
        const own = row.filter((value, j) => j !== shot && value >= from).length;
        return { others, own, ...byNearness(nearest[i]!, from) };
      }),
  };
}

/** Divides the nearest shots of other videos into those that show the same thing and those of the same kind; nearest first. */
export function byNearness<T extends { readonly similarity: number }>(nearest: readonly T[], from: number) {
  const sorted = nearest.toSorted((a, b) => b.similarity - a.similarity);
  const first = sorted.findIndex(({ similarity }) => similarity < from);
  const count = first === -1 ? sorted.length : first;
  return { by: sorted.slice(0, count), kin: sorted.slice(count) };
}

function areSearched(videoCount: number, run: Run): boolean {
  return videoCount > 1 && videoCount <= Math.min(SEARCHED_VIDEOS, maxCompared(run));
}

function at(values: Float64Array, places: readonly number[]): Float64Array {
  return Float64Array.from(places, (place) => values[place]!);
}

/** Tells who else shows shots of the video at a place, with the vectors of all videos at hand; prepared once for them. */
export const counterpartsIn = oncePer(
  async (vectors: ShotVectors, videos: readonly OutlinedVideo[], run: Run): Promise<(place: number) => ShownOf> => {
    const nobody: ShownOf = (shots) => shots.map(() => undefined);
    if (!areSearched(videos.length, run)) return () => nobody;
    const hashes = new Set(videos.map(({ sha256 }) => sha256));
    const { same, prepare } = await openMeasure(videos[0]!, hashes, run.options, vectors);
    const looks: TallMatrix[] = [];
    for (const place of videos.keys()) looks.push((await vectors.of(place)).looks);
    const areHeld = looks.reduce((sum, { rows, cols }) => sum + rows * cols, 0) <= (run.heldNumbers ?? HELD_NUMBERS);
    const held = new Map<number, Comparable>();
    const preparedOf = (place: number): Comparable => {
      const prepared = held.get(place) ?? prepare(inMemory(looks[place]!));
      if (areHeld) held.set(place, prepared);
      return prepared;
    };
    return (place) => (shots) => {
      if (shots.length === 0) return [];
      const search = openSearch(preparedOf(place), shots, same);
      videos.forEach(({ id }, other) => other !== place && search.add(id, preparedOf(other)));
      return search.end();
    };
  },
);

/** The topic around one of its videos, whose pictures are read when asked for. */
type Gallery = {
  /** Number of videos. */
  readonly count: number;
  idOf(video: number): string;
  looksOf(video: number): Promise<TallMatrix>;
  measure(): Promise<Measure>;
};

/** The same for some shots of the video at a place, while the others are read one after the other. */
export async function counterpartsAmong(
  shots: readonly number[],
  place: number,
  { count, idOf, looksOf, measure }: Gallery,
  run: Run,
): Promise<(Shown | undefined)[]> {
  if (!areSearched(count, run) || shots.length === 0) return shots.map(() => undefined);
  const { same, prepare } = await measure();
  const search = openSearch(prepare(inMemory(await looksOf(place))), shots, same);
  const others = Array.from({ length: count }, (_, video) => video).filter((video) => video !== place);
  let seen = 0;
  for await (const looks of inOrder(others, READ_AHEAD, looksOf)) search.add(idOf(others[seen++]!), prepare(inMemory(looks))); // prettier-ignore
  return search.end();
}

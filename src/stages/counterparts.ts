import { inMemory, inOrder, type Matrix, takeRows, type TallMatrix } from '../base/index.js';
import { comparable, plainlyComparable, SAME_FROM, sameness, type Comparable } from '../evidence/index.js';
import type { Run } from '../run.js';
import type { Concept, Counterpart, Shown } from '../summary/index.js';
import type { OutlinedVideo } from './analyse-videos.js';
import { openBackground, type EvidenceOptions } from './evidence.js';
import { HELD_NUMBERS, mostCompared, SEARCHED_VIDEOS } from './limits.js';
import type { ShotVectors } from './shot-vectors.js';
import { READ_AHEAD } from './supporters.js';

/** How it is decided that shots of different videos show the same thing. */
export type Measure = {
  readonly same: NonNullable<Concept['same']>;
  /** Prepares vectors of pictures for `sameness`. */
  prepare(looks: Matrix): Comparable;
};

/** Shots are compared against the background, less the rows of the topic's own videos by their hashes; without one, by the cosine from which they show nearly the same. */
export async function openMeasure(
  { extractor }: Pick<OutlinedVideo, 'extractor'>,
  topic: ReadonlySet<string>,
  options: EvidenceOptions,
  alike: () => Promise<number>,
): Promise<Measure> {
  const background = await openBackground(extractor, options, topic);
  return background === null
    ? { same: { from: await alike(), unit: 'cosine' }, prepare: plainlyComparable }
    : { same: { from: SAME_FROM, unit: 'deviations' }, prepare: (looks) => comparable(looks, background) };
}

/** Who else shows shots of one video; `undefined` if nobody looked, because the topic is too large or the video alone. */
export type ShownOf = (shots: readonly number[]) => (Shown | undefined)[];

/** Collects, one other video after the other, which of them show the same as some shots of one video. */
function openSearch(own: Comparable, shots: readonly number[], from: number) {
  const asked = { rows: takeRows(own.rows, shots), mean: at(own.mean, shots), deviation: at(own.deviation, shots) };
  const within = sameness(asked, own);
  const found: Counterpart[][] = shots.map(() => []);
  let others = 0;
  return {
    add(video: string, other: Comparable): void {
      others++;
      const S = sameness(asked, other);
      shots.forEach((_, i) => {
        const row = S.data.subarray(i * S.cols, (i + 1) * S.cols);
        const shot = row.reduce((best, value, j) => (value > row[best]! ? j : best), 0);
        if (row[shot]! >= from) found[i]!.push({ video, shot, similarity: row[shot]! });
      });
    },
    end: (): Shown[] =>
      shots.map((shot, i) => {
        const row = within.data.subarray(i * within.cols, (i + 1) * within.cols);
        const by = found[i]!.toSorted((a, b) => b.similarity - a.similarity);
        return { others, by, own: row.filter((value, j) => j !== shot && value >= from).length };
      }),
  };
}

function areSearched(videoCount: number, run: Run): boolean {
  return videoCount > 1 && videoCount <= Math.min(SEARCHED_VIDEOS, mostCompared(run));
}

function at(values: Float64Array, places: readonly number[]): Float64Array {
  return Float64Array.from(places, (place) => values[place]!);
}

/** Tells who else shows shots of the video at a place, with the vectors of all videos at hand. */
export async function counterpartsIn(
  videos: readonly OutlinedVideo[],
  run: Run,
  vectors: ShotVectors,
): Promise<(place: number) => ShownOf> {
  const nobody: ShownOf = (shots) => shots.map(() => undefined);
  if (!areSearched(videos.length, run)) return () => nobody;
  const hashes = new Set(videos.map(({ sha256 }) => sha256));
  const { same, prepare } = await openMeasure(videos[0]!, hashes, run.options, () => vectors.alike());
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
    const search = openSearch(preparedOf(place), shots, same.from);
    videos.forEach(({ id }, other) => other !== place && search.add(id, preparedOf(other)));
    return search.end();
  };
}

/** The topic around one of its videos, whose pictures are read when asked for. */
export type Gallery = {
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
  const search = openSearch(prepare(inMemory(await looksOf(place))), shots, same.from);
  const others = Array.from({ length: count }, (_, video) => video).filter((video) => video !== place);
  let seen = 0;
  for await (const looks of inOrder(others, READ_AHEAD, looksOf)) search.add(idOf(others[seen++]!), prepare(inMemory(looks))); // prettier-ignore
  return search.end();
}

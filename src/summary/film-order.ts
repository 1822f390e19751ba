import type { TimeRange } from '../base/index.js';

/** How the film of a topic is ordered, by name. */
export const FILM_ORDERS = ['film', 'importance', 'source'] as const;
/** One of `FILM_ORDERS`. */
export type FilmOrder = (typeof FILM_ORDERS)[number];

/** What decides the place of a shot in the film. */
export type OrderedShot = {
  /** Place of its video among the videos. */
  readonly source: number;
  readonly range: TimeRange;
  /** Its video, whole. */
  readonly whole: TimeRange;
  readonly rank: number;
};

/**
 * The order in which shots of several videos play, as places in the list given.
 *   film        what comes early in its video comes early in the film. The shots of a video keep their order, and those
 *               that touch stay together; otherwise no video follows itself if another is near.
 *   importance  best first
 *   source      video by video, each as it was filmed
 */
export function orderFilm(shots: readonly OrderedShot[], order: FilmOrder): number[] {
  const places = [...shots.keys()];
  if (order === 'importance') return places.sort((a, b) => shots[a]!.rank - shots[b]!.rank);
  const bySource = places.sort(
    (a, b) => shots[a]!.source - shots[b]!.source || shots[a]!.range.start - shots[b]!.range.start,
  );
  return order === 'source' ? bySource : byPlace(bySource, shots);
}

/**
 * An order made by hand: the listed places in the order of the list. What is not listed follows what it followed before,
 * so that shots that touch stay together and a longer film keeps the order of a shorter one.
 */
export function arrange(order: readonly number[], listed: readonly number[]): number[] {
  const groups = new Map<number, number[]>();
  const beginning: number[] = [];
  const isListed = new Set(listed);
  let group = beginning;
  for (const place of order) {
    if (isListed.has(place)) groups.set(place, (group = []));
    group.push(place);
  }
  return [...beginning, ...[...isListed].flatMap((place) => groups.get(place) ?? [])];
}

function byPlace(bySource: readonly number[], shots: readonly OrderedShot[]): number[] {
  const runs: number[][] = [];
  for (const place of bySource) {
    const run = runs.at(-1);
    const before = run && shots[run.at(-1)!]!;
    const { source, range } = shots[place]!;
    if (run && before?.source === source && before.range.end === range.start) run.push(place);
    else runs.push([place]);
  }
  const placed = runs.map((run) => {
    const rank = Math.min(...run.map((at) => shots[at]!.rank));
    return { run, source: shots[run[0]!]!.source, middle: middleOf(run, shots), rank };
  });
  return alternate(placed.sort((a, b) => a.middle - b.middle || a.rank - b.rank)).flatMap(({ run }) => run);
}

/** How much earlier than its place a run may play, as a share of its video, so that no video follows itself. */
const NEAR = 0.15;

/** The runs, with one of another source moved forward wherever two of one source would meet; each source keeps its order. */
function alternate<Run extends { source: number; middle: number }>(runs: readonly Run[]): Run[] {
  const left = [...runs];
  const order: Run[] = [];
  while (left.length > 0) {
    const [last, next] = [order.at(-1), left[0]!];
    const other = left.findIndex(({ source, middle }) => source !== last?.source && middle <= next.middle + NEAR);
    order.push(...left.splice(Math.max(0, other), 1));
  }
  return order;
}

/** The place of the middle of a run in its video, from 0 to 1. */
function middleOf(run: readonly number[], shots: readonly OrderedShot[]): number {
  const [first, last] = [shots[run[0]!]!, shots[run.at(-1)!]!];
  const { start, end } = first.whole;
  return (first.range.start + last.range.end - 2 * start) / (2 * (end - start));
}

import type { TimeRange } from '../base/index.js';

/** How the film of a topic is ordered, by name; `film` is the earlier name of `position`. */
export const FILM_ORDERS = ['auto', 'time', 'moments', 'wide', 'position', 'source', 'importance', 'film'] as const;
/** One of `FILM_ORDERS`. */
export type FilmOrder = (typeof FILM_ORDERS)[number];
/** The rules that films are ordered by: what `auto` chooses from, and what can only be asked for. */
export const ORDER_RULES = ['time', 'moments', 'wide', 'position', 'source', 'importance'] as const;
/** One of `ORDER_RULES`. */
export type OrderRule = (typeof ORDER_RULES)[number];

/** What decides the place of a shot in the film. */
export type OrderedShot = {
  /** Place of its video among the videos. */
  readonly source: number;
  readonly range: TimeRange;
  /** Its video, whole. */
  readonly whole: TimeRange;
  readonly rank: number;
  /** Where it begins on the clock of the topic, in seconds; absent or `null` if its video has no time that can be used. */
  readonly startSeconds?: number | null;
  /** How close its view is, from wide to close; absent or `null` if that is not known. */
  readonly closeness?: number | null;
  /** Shots of other videos that show the same: their videos, and their places in them from 0 to 1. */
  readonly others?: readonly { readonly source: number; readonly position: number }[];
};

/**
 * The order in which shots of several videos play, as places in the list given. Shots that touch stay together.
 *   time        by the clock of the topic; a video without a time plays along the others as by `position`
 *   moments     as most videos show it: for two shots, the videos that show both, or the same as both, vote
 *   wide        wide views first, then closer ones; shots whose closeness is not known play in the middle
 *   position    what comes early in its video comes early in the film. The shots of a video keep their order, and no video
 *               follows itself if another is near.
 *   source      video by video, each as it was filmed
 *   importance  best first
 */
export function orderFilm(shots: readonly OrderedShot[], rule: OrderRule): number[] {
  const places = [...shots.keys()];
  if (rule === 'importance') return places.sort((a, b) => shots[a]!.rank - shots[b]!.rank);
  const bySource = places.sort(
    (a, b) => shots[a]!.source - shots[b]!.source || shots[a]!.range.start - shots[b]!.range.start,
  );
  if (rule === 'source') return bySource;
  const runs = runsOf(bySource, shots).sort((a, b) => a.middle - b.middle || a.rank - b.rank);
  const ordered = { time: byTime, moments: byVotes, wide: byCloseness, position: alternate }[rule](runs);
  return ordered.flatMap(({ places }) => places);
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

/** Shots of one video that touch: they play on without a cut. */
type Run = {
  readonly places: number[];
  readonly source: number;
  /** The place of its middle in its video, from 0 to 1. */
  readonly middle: number;
  readonly rank: number;
  readonly startSeconds: number | null;
  /** The mean of its shots. */
  readonly closeness: number | null;
  /** Where videos show it or the same, by video, its own among them. */
  readonly shownAt: ReadonlyMap<number, number>;
};

function runsOf(bySource: readonly number[], shots: readonly OrderedShot[]): Run[] {
  const runs: number[][] = [];
  for (const place of bySource) {
    const run = runs.at(-1);
    const before = run && shots[run.at(-1)!]!;
    const { source, range } = shots[place]!;
    if (run && before?.source === source && before.range.end === range.start) run.push(place);
    else runs.push([place]);
  }
  return runs.map((places) => {
    const first = shots[places[0]!]!;
    const middle = middleOf(first, shots[places.at(-1)!]!);
    return {
      ...{ places, source: first.source, middle, startSeconds: first.startSeconds ?? null },
      rank: Math.min(...places.map((at) => shots[at]!.rank)),
      closeness: meanOf(places.flatMap((at) => shots[at]!.closeness ?? [])),
      shownAt: new Map([...meansOf(places.flatMap((at) => shots[at]!.others ?? [])), [first.source, middle]]),
    };
  });
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Wide to close. A run of unknown closeness counts as the mean of the others. */
function byCloseness(runs: readonly Run[]): Run[] {
  const mean = meanOf(runs.flatMap(({ closeness }) => closeness ?? [])) ?? 0;
  const of = ({ closeness }: Run): number => closeness ?? mean;
  return runs.toSorted((a, b) => of(a) - of(b) || a.rank - b.rank);
}

/** The mean position in each video. */
function meansOf(shown: readonly { readonly source: number; readonly position: number }[]): Map<number, number> {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const { source, position } of shown) {
    const { sum, count } = sums.get(source) ?? { sum: 0, count: 0 };
    sums.set(source, { sum: sum + position, count: count + 1 });
  }
  return new Map([...sums].map(([source, { sum, count }]) => [source, sum / count]));
}

/** By the clock. A run without a time is as far along the recorded time as its middle is along its video. */
function byTime(runs: readonly Run[]): Run[] {
  const times = runs.flatMap(({ startSeconds }) => startSeconds ?? []);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const timeOf = ({ startSeconds, middle }: Run): number =>
    times.length === 0 ? middle : (startSeconds ?? first + middle * (last - first));
  return runs.toSorted((a, b) => timeOf(a) - timeOf(b) || a.middle - b.middle || a.rank - b.rank);
}

/**
 * The order with the most votes, found from the order by mean position by moving single runs while that wins votes:
 *   maximise  Σ_{i before j} w_ij,     w_ij = Σ_v sign(p_vj − p_vi) + ε (p_j − p_i)
 * p_vi is where video v shows run i, or the same as it; the sum is over videos that show both. p_i is its mean. The small
 * last term decides where no video, or as many videos each way, show both.
 */
function byVotes(runs: readonly Run[]): Run[] {
  const mean = ({ shownAt }: Run): number => [...shownAt.values()].reduce((sum, at) => sum + at, 0) / shownAt.size;
  const order = runs.toSorted((a, b) => mean(a) - mean(b) || a.rank - b.rank);
  const means = order.map(mean);
  const W = order.map((i, a) => order.map((j, b) => votesFor(i, j) + FEWER_THAN_A_VOTE * (means[b]! - means[a]!)));
  const places = [...order.keys()];
  for (let sweep = 0, isBetter = true; isBetter && sweep < order.length; sweep++) {
    isBetter = false;
    for (const item of order.keys()) {
      const from = places.indexOf(item);
      let [to, best, gain] = [from, 0, 0];
      for (let at = from - 1; at >= 0; at--) {
        gain += W[item]![places[at]!]! - W[places[at]!]![item]!;
        if (gain > best + ROUNDING) [to, best] = [at, gain];
      }
      gain = 0;
      for (let at = from + 1; at < places.length; at++) {
        gain += W[places[at]!]![item]! - W[item]![places[at]!]!;
        if (gain > best + ROUNDING) [to, best] = [at, gain];
      }
      if (to === from) continue;
      places.splice(to, 0, ...places.splice(from, 1));
      isBetter = true;
    }
  }
  return places.map((place) => order[place]!);
}

/** Less than one vote, however many runs there are between two. */
const FEWER_THAN_A_VOTE = 1e-3;
/** Gains below this are rounding. */
const ROUNDING = 1e-9;

/** Videos that show `i` before `j`, less those that show it after. */
function votesFor(i: Run, j: Run): number {
  let votes = 0;
  for (const [source, position] of i.shownAt) {
    const other = j.shownAt.get(source);
    if (other !== undefined) votes += Math.sign(other - position);
  }
  return votes;
}

/** How well videos agree on the order of what they share; `z` in standard deviations of chance, `tau` from -1 to 1. */
export type OrderAgreement = { readonly z: number; readonly tau: number; readonly pairs: number };

/**
 * Kendall's S over every two videos u, v that show n ≥ 2 of the same shots, added up:
 *   z = Σ S_uv / √Σ n(n−1)(2n+5)/18,     τ = Σ S_uv / Σ n(n−1)/2
 * By chance S has mean 0 and the variance above, and S of different pairs are uncorrelated, so z is 0 ± 1.
 */
export function agreementOf(shots: readonly OrderedShot[]): OrderAgreement {
  const shown = shots.map(({ source, others = [], ...shot }) => meansOf([...others, { source, position: middleOf(shot) }])); // prettier-ignore
  const sources = [...new Set(shown.flatMap((each) => [...each.keys()]))].sort((a, b) => a - b);
  let [S, variance, most, pairs] = [0, 0, 0, 0];
  for (const [at, u] of sources.entries()) {
    for (const v of sources.slice(at + 1)) {
      const both = shown.filter((each) => each.has(u) && each.has(v));
      const n = both.length;
      if (n < 2) continue;
      pairs++;
      variance += (n * (n - 1) * (2 * n + 5)) / 18;
      most += (n * (n - 1)) / 2;
      for (const [k, i] of both.entries())
        for (const j of both.slice(k + 1)) S += Math.sign(j.get(u)! - i.get(u)!) * Math.sign(j.get(v)! - i.get(v)!);
    }
  }
  return pairs === 0 ? { z: 0, tau: 0, pairs } : { z: S / Math.sqrt(variance), tau: S / most, pairs };
}

/** How much earlier than its place a run may play, as a share of its video, so that no video follows itself. */
const NEAR = 0.15;

/** The runs, with one of another source moved forward wherever two of one source would meet; each source keeps its order. */
function alternate(runs: readonly Run[]): Run[] {
  const left = [...runs];
  const order: Run[] = [];
  while (left.length > 0) {
    const [last, next] = [order.at(-1), left[0]!];
    const other = left.findIndex(({ source, middle }) => source !== last?.source && middle <= next.middle + NEAR);
    order.push(...left.splice(Math.max(0, other), 1));
  }
  return order;
}

/** The place in its video of what lies between the start of one shot and the end of another, from 0 to 1. */
function middleOf(
  { range, whole }: Pick<OrderedShot, 'range' | 'whole'>,
  last: Pick<OrderedShot, 'range'> = { range },
): number {
  return (range.start + last.range.end - 2 * whole.start) / (2 * (whole.end - whole.start));
}

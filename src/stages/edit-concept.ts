import sharp from 'sharp';

import { toSeconds } from '../base/index.js';
import { detailScale } from '../quality/index.js';
import type { Run } from '../run.js';
import {
  arrange,
  type Budget,
  chooseOrder,
  type Clip,
  type Concept,
  divideClips,
  type EditableClips,
  fitClips,
  orderFilm,
  type VideoClock,
} from '../summary/index.js';
import { TOLERANCE_S, VISIBLE_S } from './clip-lengths.js';
import type { RankedVideo } from './cut-video.js';
import { byIdOf, layOut } from './lay-out-concept.js';
import { footageOf, type Pooled, wholeOf } from './pool-shots.js';

/** The shots of a film, as places in a pool, and the ranking of the pool. */
type ChosenShots = {
  readonly pool: readonly Pooled[];
  readonly chosen: readonly number[];
  readonly order: readonly number[];
  /** Which pooled shots of other videos show the same, if that is known. */
  readonly found?: { shownBy(place: number): { readonly by: readonly { readonly place: number }[] } };
};

type ClockedVideos = { readonly videos: readonly RankedVideo[]; readonly clocks: readonly VideoClock[] };

/** How long the film is to be; `null` if shots were counted. */
export function askedSeconds(budget: Budget, videos: readonly RankedVideo[]): number | null {
  if (budget.kind === 'shots') return null;
  return budget.kind === 'seconds' ? budget.seconds : budget.share * footageOf(videos);
}

/** What the film plays of the shots it shows, by their places in the pool, in the order it plays them. */
export type EditedFilm = {
  readonly plays: ReadonlyMap<number, Clip>;
  readonly order: NonNullable<Concept['order']>;
  readonly seconds: number;
  readonly asked: number | null;
};

/** Chooses the edges of the clips as those of a video's own film, and fits the film to its length. */
export async function editFilm(
  choice: ChosenShots,
  topic: ClockedVideos,
  budget: Budget,
  { options }: Run,
): Promise<EditedFilm> {
  const { pool, chosen } = choice;
  const { videos } = topic;
  const sources = [...new Set(chosen.map((place) => pool[place]!.source))].sort((a, b) => a - b);
  const edited: { readonly places: readonly number[]; readonly found: readonly Clip[]; readonly clips: EditableClips | null }[] = []; // prettier-ignore
  for (const source of sources) {
    const places = chosen.filter((place) => pool[place]!.source === source);
    const found = places.map((place) => pool[place]!.play);
    edited.push({ places, found, clips: await videos[source]!.edit(found, options.perSource ?? null) });
  }
  const playsNow = (): Map<number, Clip> => {
    const parts = edited.flatMap(({ places, found, clips }) => {
      const divided = clips ? divideClips(found, clips, VISIBLE_S / secondsPerTick(clips)) : found;
      return places.flatMap((place, at) => (divided[at] ? [[place, divided[at]] as const] : []));
    });
    return new Map(parts);
  };
  const { order, places } = await orderOf(choice, playsNow(), topic, options);
  const byId = byIdOf(sources.map((source) => videos[source]!));
  const inOrder = (): Map<number, Clip> => {
    const plays = playsNow();
    return new Map(places.flatMap((place) => (plays.has(place) ? [[place, plays.get(place)!] as const] : [])));
  };
  const length = (): number => {
    const shots = [...inOrder()].map(([place, clip]) => ({ video: videos[pool[place]!.source]!.id, ...clip }));
    return layOut(shots, byId, options).plan.seconds;
  };
  const asked = askedSeconds(budget, videos);
  const movable = edited.flatMap(({ clips }) => clips ?? []);
  if (asked !== null) fitClips(movable, { target: asked, tolerance: TOLERANCE_S, length, unitOf: secondsPerTick });
  return { plays: inOrder(), order, seconds: length(), asked };
}

const secondsPerTick = ({ clock: { timeBase } }: EditableClips): number => timeBase.num / timeBase.den;

/** The order in which the film plays its shots, by their places in the pool. */
async function orderOf(
  { pool, order, found }: ChosenShots,
  plays: ReadonlyMap<number, Clip>,
  { videos, clocks }: ClockedVideos,
  options: Run['options'],
): Promise<{ readonly order: EditedFilm['order']; readonly places: readonly number[] }> {
  const rankOf = new Map(order.map((place, rank) => [place, rank]));
  const positionOf = (place: number): { source: number; position: number } => {
    const { source, shot } = pool[place]!;
    const { start, end } = wholeOf(videos[source]!);
    return { source, position: (shot.range.start + shot.range.end - 2 * start) / (2 * (end - start)) };
  };
  const isOrderedByView = options.order === 'auto' || options.order === 'wide';
  const closeness = await Promise.all(
    [...plays.keys()].map((place) => {
      const { source, shot } = pool[place]!;
      return isOrderedByView ? closenessOf(videos[source]!, shot.index) : null;
    }),
  );
  const timed = [...plays].map(([place, { range }], at) => {
    const { source } = pool[place]!;
    const whole = wholeOf(videos[source]!);
    const others = found?.shownBy(place).by.map((other) => positionOf(other.place)) ?? [];
    const { startSeconds } = clocks[source]!;
    const start = startSeconds === null ? null : startSeconds + toSeconds(range.start - whole.start, whole.base);
    return { source, range, whole, rank: rankOf.get(place)!, startSeconds: start, closeness: closeness[at]!, others };
  });
  const places = [...plays.keys()];
  const chosenOrder = chooseOrder(options.order, timed, clocks);
  const inFilm = withWanted(orderFilm(timed, chosenOrder.rule), places.map((place) => pool[place]!), videos); // prettier-ignore
  return { order: chosenOrder, places: inFilm.map((at) => places[at]!) };
}

/** The longer side of the pictures that wide and close are measured on. */
const VIEW_PX = 256;

/** How close the view of a shot is, by its picture; `null` if there is none that can be read. */
async function closenessOf({ analysis }: RankedVideo, shot: number): Promise<number | null> {
  const jpeg = await analysis.picture(shot);
  if (jpeg.length === 0) return null;
  const small = sharp(jpeg).greyscale().resize({ width: VIEW_PX, height: VIEW_PX, fit: 'inside' }).raw();
  const { data, info } = await small.toBuffer({ resolveWithObject: true });
  return detailScale(data, info.width, info.height);
}

/** An order of the film, except where one was made by hand. */
function withWanted(order: readonly number[], chosen: readonly Pooled[], videos: readonly RankedVideo[]): number[] {
  const wantedAt = chosen.map(({ source, shot }) => videos[source]!.topicPlaces.get(shot.index));
  const listed = [...chosen.keys()].filter((at) => wantedAt[at] !== undefined);
  listed.sort((a, b) => wantedAt[a]! - wantedAt[b]!);
  return arrange(order, listed);
}

import sharp from 'sharp';

import { toSeconds, rescale, lengthInSeconds } from '../base/index.js';
import { detailScale, type Shot } from '../shots/index.js';
import { oncePer } from './once-per.js';
import type { Run } from './run.js';
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
  topicClipsOf,
  type TopicShot,
  dateVideos,
  setClocks,
} from '../summary/index.js';
import { TOLERANCE_S, VISIBLE_S, note } from './limits.js';
import { chapterTitle, type RankedVideo } from './cut-video.js';
import { footageOf, type Pooled, wholeOf } from './pool-shots.js';
import { FILM_FORMATS, planReel, type ReelFilm } from '../render/index.js';
import type { Options } from '../options/index.js';
import type { OutlinedVideo } from './analyse-videos.js';
import type { Outline } from './analysis/record.js';
import { alignTracks } from '../features/index.js';

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
      const { analysis } = videos[source]!;
      return isOrderedByView ? closenessOf(analysis.shots[shot.index]!, analysis) : null;
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

/** How close the view of a shot is, by its picture; `null` if there is none that can be read. Measured once. */
const closenessOf = oncePer(async ({ index }: Shot, analysis: RankedVideo['analysis']): Promise<number | null> => {
  const jpeg = await analysis.picture(index);
  if (jpeg.length === 0) return null;
  const small = sharp(jpeg).greyscale().resize({ width: VIEW_PX, height: VIEW_PX, fit: 'inside' }).raw();
  const { data, info } = await small.toBuffer({ resolveWithObject: true });
  return detailScale(data, info.width, info.height);
});

/** An order of the film, except where one was made by hand. */
function withWanted(order: readonly number[], chosen: readonly Pooled[], videos: readonly RankedVideo[]): number[] {
  const wantedAt = chosen.map(({ source, shot }) => videos[source]!.topicPlaces.get(shot.index));
  const listed = [...chosen.keys()].filter((at) => wantedAt[at] !== undefined);
  listed.sort((a, b) => wantedAt[a]! - wantedAt[b]!);
  return arrange(order, listed);
}

type FilmedVideo = Pick<OutlinedVideo, 'id' | 'info' | 'analysis' | 'name'>;
type PlayedShot = Pick<TopicShot, 'video' | 'startFrame' | 'endFrame' | 'range'>;

/** Videos by their ids. */
export function byIdOf<V extends { readonly id: string }>(videos: readonly V[]): Map<string, V> {
  return new Map(videos.map((video) => [video.id, video]));
}

/** Which frames of which sources the film plays, and at which of its own frames. */
export function layOut<S extends PlayedShot>(
  chosen: readonly S[],
  byId: ReadonlyMap<string, FilmedVideo>,
  options: Options,
) {
  const clips = topicClipsOf(chosen);
  const film = filmOf(clips.map(({ video, clip }) => ({ video: byId.get(video)!, clip })), options); // prettier-ignore
  const plan = planReel(film);
  const frameBase = { num: plan.frame.rate.den, den: plan.frame.rate.num };
  const shots = clips.flatMap(({ clip, shots: own }, at) =>
    own.map((shot) => {
      const before = rescale(shot.range.start - clip.range.start, clip.range.base, frameBase);
      return { ...shot, filmFrame: plan.clips[at]!.startFrame + before };
    }),
  );
  return { clips, film, plan, shots };
}

function filmOf(
  clips: readonly { video: FilmedVideo; clip: ReelFilm['clips'][number]['clip'] }[],
  { sound, title, captions, burnIn, fit, surround, music, fade, format, loudness = 'even' }: Options,
): ReelFilm {
  return {
    clips: clips.map(({ video: { info, analysis, name }, clip }) => ({
      info,
      frameRate: analysis.frameRate,
      isDamaged: analysis.isDamaged,
      clip,
      chapter: chapterTitle({ name, analysis }, clip),
      ...(captions || burnIn ? { caption: name } : {}),
      ...(burnIn ? { startTick: analysis.start } : {}),
    })),
    ...(title === undefined ? {} : { title }),
    ...(music === undefined ? {} : { music }),
    ...{ sound, fit, surround, fade, loudness },
    // Sources of several sizes and rates cannot be copied into one film.
    format: FILM_FORMATS[format],
  };
}

/** The videos of a topic on one clock: by the times of recording that their files state, corrected by sound. */
export async function clockTopic(videos: readonly RankedVideo[], run: Run): Promise<VideoClock[]> {
  const dated = dateVideos(
    videos.map((video) => ({ name: video.name, seconds: lengthInSeconds(wholeOf(video)), dates: video.info.dates })),
  );
  const heard = await alignVideos(videos.map(({ analysis }) => analysis));
  if (heard === null)
    note(run, 'not-aligned', 'The videos were not aligned by their sound: there is too much of it to compare.');
  return setClocks(dated, heard ?? videos.map(() => null));
}

/** What was heard last, by the first of the videos: the studio asks again with every move of a slider. */
const known = new WeakMap<Outline, { readonly analyses: readonly Outline[]; readonly heard: SoundAnalysis }>();
type SoundAnalysis = ReturnType<typeof alignTracks>;

async function alignVideos(analyses: readonly Outline[]): Promise<SoundAnalysis> {
  const [first] = analyses;
  const last = first && known.get(first);
  if (last?.analyses.length === analyses.length && last.analyses.every((each, at) => each === analyses[at])) {
    return last.heard;
  }
  // One after the other: a topic may have more videos than files can be open.
  const onsets: (Uint8Array | null)[] = [];
  for (const analysis of analyses) onsets.push((await analysis.sound())?.onsets ?? null);
  const heard = alignTracks(onsets);
  if (first) known.set(first, { analyses, heard });
  return heard;
}

/** What the record says about the clocks of a topic; times count from the first video. */
export function describeClocks(videos: readonly RankedVideo[], clocks: readonly VideoClock[]): Pick<Concept, 'clocks'> {
  const first = Math.min(...clocks.flatMap(({ startSeconds }) => startSeconds ?? []));
  const reported = clocks.flatMap(({ recorded, heard, startSeconds }, at) => {
    if (!recorded && !heard) return [];
    const start = startSeconds === null ? {} : { startSeconds: Math.round(1000 * (startSeconds - first)) / 1000 };
    return [{ video: videos[at]!.id, ...(recorded ? { recorded } : {}), ...(heard ? { heard } : {}), ...start }];
  });
  return reported.length > 0 ? { clocks: reported } : {};
}

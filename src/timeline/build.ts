import type { z } from 'zod';
import { formatClock, rational, type Rational, rescale, toSeconds, UsageError } from '../base/index.js';
import {
  type Clip,
  clipsOf,
  reasonAgainst,
  reasonFor,
  type SummaryDocument,
  type SummaryShot,
  topicClipsOf,
  type TopicShot,
  type VideoSummary,
} from '../summary/index.js';
import { type Comment, commentMark, type commentSchema, type MARKS, shotMarker } from './marks.js';
import {
  canDrop,
  type Counting,
  formatRate,
  frameBase,
  isSameRate,
  parseTimecode,
  placeClips,
  timelineRateFor,
} from './rates.js';
import { nameOf, sameFolder, sourcesOf } from './sources.js';
import type { Timeline, TimelineClip, TimelineSource } from './types.js';
import { oneLine } from './xml.js';

/** How a timeline is made from a summary. */
export type TimelineOptions = {
  readonly title?: string | undefined;
  /** Rate of the timeline; by default the standard rate that suits the sources that play longest. */
  readonly counting?: { readonly rate: Rational; readonly dropFrame: boolean } | undefined;
  /** Frames of each source kept available on both sides of a clip; 0 by default. */
  readonly handles?: number | undefined;
  /** Markers besides the reasons; none by default. */
  readonly marks?: readonly (typeof MARKS)[number][] | undefined;
  /** Remarks of reviewers, for the marks `comments`. */
  readonly comments?: readonly z.output<typeof commentSchema>[] | undefined;
  /** Turns paths of sources into URLs; by default relative URLs of the paths in the summary. */
  readonly locate?: ((path: string) => string) | undefined;
  /** URLs of small copies of the videos, by path in the summary. */
  readonly proxies?: ReadonlyMap<string, string> | undefined;
};

/** A stretch of one video of the summary; `why` is given if the ranking of its video is not the reason. */
export type PickedClip = {
  readonly video: string;
  readonly clip: Clip;
  readonly why?: Pick<Timeline['clips'][number], 'rank' | 'score' | 'reason'>;
  /** It is there to choose from and does not play. */
  readonly isSpare?: boolean;
};

/** The summary of one video as a timeline: its clips in film order. */
export function timelineOfVideo(document: SummaryDocument, videoId: string, options: TimelineOptions = {}): Timeline {
  const video = videoOf(document, videoId);
  const picks = video.clips.map((clip) => ({ video: videoId, clip }));
  return timelineOfTopic(document, picks, { ...options, title: options.title ?? stemOf(nameOf(video.path)) });
}

/** The film of the whole topic as a timeline: clips of many videos in the film's order. */
export function timelineOfConcept(document: SummaryDocument, options: TimelineOptions = {}): Timeline {
  return timelineOfTopic(document, conceptPicks(document), options);
}

/** The clips of the film of the topic, and the shots that each plays. */
function conceptPicks(document: SummaryDocument): (PickedClip & { readonly shots: readonly TopicShot[] })[] {
  if (document.concept === undefined) {
    throw new UsageError(
      'no-concept',
      'Expected a summary with a film of the whole topic, found none. Make one with "throughline concept".',
    );
  }
  return topicClipsOf(document.concept.shots).map(({ video, clip, shots }) => {
    const { rank, score, reason } = shots.reduce((best, shot) => (shot.rank < best.rank ? shot : best));
    return { video, clip, why: { rank, score, reason }, shots };
  });
}

/** Clips of any videos of a summary, in the order given; by default the summaries of all videos, one after the other. */
export function timelineOfTopic(
  document: SummaryDocument,
  picks: readonly PickedClip[] = document.videos.flatMap(({ id, clips }) => clips.map((clip) => ({ video: id, clip }))),
  options: TimelineOptions = {},
): Timeline {
  if (picks.length === 0) {
    throw new UsageError('no-clips', 'Expected clips for a timeline, found none. Choose videos with clips.');
  }
  const notes: string[] = [];
  const byId = new Map(document.videos.map((video) => [video.id, video]));
  const named = new Set(picks.map((pick) => pick.video));
  const used = document.videos.filter(({ id }) => named.has(id));
  const sources = new Map(
    sourcesOf(document, used, { locate: options.locate ?? sameFolder, proxies: options.proxies }, notes),
  );
  const located = picks.map(({ video: id, clip, why, isSpare }) => {
    const video = byId.get(id) ?? videoOf(document, id);
    checkClip(video, clip);
    const source = sources.get(id)!;
    const place = locateClip(video, source, clip);
    return { video, clip, why: why ?? whyOf(document, byId, video, clip), isSpare, source, ...place };
  });
  const played = located.filter(({ isSpare }) => !isSpare);
  const main = mainSource(played.length > 0 ? played : located);
  const counting = options.counting ?? { rate: timelineRateFor(main.rate), dropFrame: main.dropFrame };
  const rate = rational(counting.rate.num, counting.rate.den);
  const dropFrame = counting.dropFrame && canDrop(rate);
  const placed = placeClips(
    located.map(({ source, in: from, out }) => ({ rate: source.rate, in: from, out, available: source.frames })),
    rate,
  );
  const foreign = [...sources.values()].filter((source) => !isSameRate(source.rate, rate));
  if (foreign.length > 0) notes.push(mixedNote(foreign, { rate, dropFrame }));
  const handles = options.handles ?? 0;
  const markers = markerFor(document, options);
  const clips = located.map(({ video, clip, why, isSpare, source, in: from, out }, at): TimelineClip => ({
    source: video.id,
    name: `${stemOf(source.name)} ${clockOf(toSeconds(clip.range.start - video.range.start, video.range.base))}`,
    range: clip.range,
    firstFrame: clip.startFrame,
    endFrame: clip.endFrame,
    in: from,
    out,
    ...placed[at]!,
    handles: { before: Math.min(handles, from), after: Math.min(handles, source.frames - out) },
    ...why,
    ...markers.of(video, source, { clip, in: from, out }),
    ...(isSpare ? { enabled: false } : {}),
  }));
  const short = clips.filter((clip) => Math.min(clip.handles.before, clip.handles.after) < handles).length;
  if (short > 0) {
    notes.push(`Clips that are too near to an end of their source for handles of ${handles} frames: ${short}.`);
  }
  if (markers.left() > 0) {
    notes.push(`Comments about pictures that are not in this timeline were left out: ${markers.left()}.`);
  }
  return {
    schema: 'timeline.1',
    title: options.title ?? document.topic,
    rate,
    dropFrame,
    timecodeFrame: parseTimecode(`01:00:00${dropFrame ? ';' : ':'}00`, { rate, dropFrame }) ?? 0,
    widthPx: main.widthPx,
    heightPx: main.heightPx,
    sampleAspect: main.sampleAspect,
    sources: [...sources.values()],
    clips,
    notes: notes.map(oneLine),
  };
}

type Located = { readonly clip: Clip; readonly in: number; readonly out: number };

/** The markers of clips besides their reasons, and how many comments are about pictures that no clip has. */
function markerFor(document: SummaryDocument, { marks = [], comments = [] }: TimelineOptions) {
  const ofShot = shotMarker(document, marks);
  const said = marks.includes('comments') ? comments : [];
  const placed = new Set<Comment>();
  return {
    of(video: VideoSummary, source: TimelineSource, { clip, in: from, out }: Located): Pick<TimelineClip, 'markers'> {
      const isShown = ({ startFrame, endFrame }: SummaryShot): boolean => {
        const frames = Math.min(endFrame, clip.endFrame) - Math.max(startFrame, clip.startFrame);
        return 2 * frames >= Math.min(endFrame - startFrame, clip.endFrame - clip.startFrame);
      };
      const shots = marks.length === 0 ? [] : shotsIn(video.shots, clip).filter(isShown);
      const known = shots.flatMap((shot) => ofShot(video.id, shot, Math.max(from, locateClip(video, source, shot).in)));
      const remarks = said.flatMap((comment) => {
        if (comment.video !== video.id && comment.video !== nameOf(video.path)) return [];
        // Players state the time of the frame they show, in seconds that are not quite exact.
        const frame = Math.floor((comment.seconds * source.rate.num) / source.rate.den + 1e-3);
        if (frame < from || frame >= out) return [];
        placed.add(comment);
        return [commentMark(comment, frame)];
      });
      const markers = [...known, ...remarks].toSorted((a, b) => a.frame - b.frame);
      return markers.length > 0 ? { markers } : {};
    },
    left: (): number => said.length - placed.size,
  };
}

function checkClip({ id, frames, range }: VideoSummary, clip: Clip): void {
  const isInside = clip.startFrame >= 0 && clip.endFrame <= frames && clip.range.start >= range.start;
  if (isInside && clip.range.end <= range.end && clip.startFrame < clip.endFrame && clip.range.start < clip.range.end) {
    return;
  }
  throw new UsageError(
    'bad-clip',
    `Expected a clip within the ${frames} frames of "${id}", found frames ${clip.startFrame} to ${clip.endFrame}.`,
  );
}

/** A clip in frames of its source's rate; never empty, never past the end. */
function locateClip(video: VideoSummary, source: TimelineSource, clip: Clip): { in: number; out: number } {
  if (!source.isConformed) return { in: clip.startFrame, out: clip.endFrame };
  const frameOf = (tick: number): number => rescale(tick - video.range.start, video.range.base, frameBase(source.rate));
  const from = Math.max(0, Math.min(frameOf(clip.range.start), source.frames - 1));
  return { in: from, out: Math.max(from + 1, frameOf(clip.range.end)) };
}

/** Of the sources with the rate that plays longest, the one that plays longest; of two, the earlier. */
function mainSource(clips: readonly { source: TimelineSource; in: number; out: number }[]): TimelineSource {
  const longest = <T>(keyOf: (source: TimelineSource) => T, among: typeof clips): T => {
    const seconds = new Map<T, number>();
    for (const { source, in: from, out } of among) {
      const key = keyOf(source);
      seconds.set(key, (seconds.get(key) ?? 0) + toSeconds(out - from, frameBase(source.rate)));
    }
    return [...seconds].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
  };
  const rateOf = ({ rate }: TimelineSource): string => `${rate.num}/${rate.den}`;
  const rate = longest(rateOf, clips);
  return longest(
    (source) => source,
    clips.filter(({ source }) => rateOf(source) === rate),
  );
}

/** The best shot a clip plays, and what the summary says about it. */
function whyOf(
  { options }: SummaryDocument,
  byId: ReadonlyMap<string, VideoSummary>,
  video: VideoSummary,
  clip: Clip,
): NonNullable<PickedClip['why']> {
  const best = shotsIn(video.shots, clip).reduce<SummaryShot | null>(
    (top, shot) => (top && top.rank <= shot.rank ? top : shot),
    null,
  );
  if (best === null) return { rank: null, score: null, reason: '' };
  const method = String(options['method'] ?? 'cvs');
  const names = { method, nameOf: (id: string) => nameOf(byId.get(id)?.path ?? id) };
  return { rank: best.rank, score: best.score, reason: reasonFor(best, names) };
}

/** The shots of which a clip plays something. Shots are in film order and do not overlap. */
export function shotsIn(shots: readonly SummaryShot[], { startFrame, endFrame }: Clip): readonly SummaryShot[] {
  const firstFrom = (isPast: (shot: SummaryShot) => boolean): number => {
    let [low, high] = [0, shots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isPast(shots[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return shots.slice(
    firstFrom((shot) => shot.endFrame > startFrame),
    firstFrom((shot) => shot.startFrame >= endFrame),
  );
}

function mixedNote(foreign: readonly TimelineSource[], timeline: Counting): string {
  const names = foreign.map((source) => `${source.name} (${formatRate({ rate: source.rate, dropFrame: false })})`);
  return (
    `The timeline has ${formatRate(timeline)} frames per second; these sources have another rate: ${names.join(', ')}. ` +
    'Their clips end on the nearest frame of the timeline, and rounding errors do not add up.'
  );
}

/** A video of a summary by its id. */
export function videoOf(document: SummaryDocument, id: string): VideoSummary {
  const video = document.videos.find((candidate) => candidate.id === id);
  if (video !== undefined) return video;
  const known = document.videos.map((candidate) => candidate.id).join(', ');
  throw new UsageError('unknown-video', `Expected the id of a video of the summary (${known}), found "${id}".`);
}

function stemOf(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, '');
}

/** Whole seconds as players show them: `1:02:03`. */
function clockOf(seconds: number): string {
  return formatClock(Math.floor(seconds)).replace(/\.\d+$/, '');
}

/** The most runners-up of one clip of the film of a topic. */
const MAX_SPARES = 3;

const isGood = ({ flaws = [], vetoed }: SummaryShot): boolean => flaws.length === 0 && !vetoed;

/** Everything good in each video, or in one: its takes without vetoed shots and bad pictures, in film order. */
export function timelineOfStringout(document: SummaryDocument, options: TimelineOptions = {}, only?: string): Timeline {
  const picks = videosOf(document, only).flatMap(({ id, takes, shots }) =>
    takes.flatMap(({ index }) => {
      const good = shots.filter((shot) => shot.take === index && isGood(shot));
      return clipsOf(good).map((clip) => ({ video: id, clip }));
    }),
  );
  return timelineOfTopic(document, picks, { ...options, title: options.title ?? `${document.topic} stringout` });
}

/**
 * What was chosen, with runners-up as disabled clips: in the film of the topic, after each clip the shots that show the same
 * moment or nearly the same; in the summaries of the videos, the best shots that were left out, as many as were chosen.
 */
export function timelineOfSelects(document: SummaryDocument, options: TimelineOptions = {}, only?: string): Timeline {
  const isFilm = document.concept !== undefined && only === undefined;
  const picks = isFilm
    ? filmSelects(document)
    : videosOf(document, only).flatMap((video) => videoSelects(document, video));
  return timelineOfTopic(document, picks, { ...options, title: options.title ?? `${document.topic} selects` });
}

function videosOf(document: SummaryDocument, only: string | undefined): readonly VideoSummary[] {
  return only === undefined ? document.videos : [videoOf(document, only)];
}

function videoSelects(document: SummaryDocument, video: VideoSummary): PickedClip[] {
  const plays = ({ startFrame, endFrame }: SummaryShot): boolean =>
    video.clips.some((clip) => clip.startFrame < endFrame && startFrame < clip.endFrame);
  const spares = video.shots
    .filter((shot) => isGood(shot) && !shot.chosen && !plays(shot))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, video.shots.filter(({ chosen }) => chosen).length);
  const names = { method: String(document.options['method'] ?? 'cvs'), nameOf: nameIn(document) };
  const picks: PickedClip[] = [
    ...video.clips.map((clip) => ({ video: video.id, clip })),
    ...spares.map((shot) => spare(video, shot, reasonAgainst(shot, video, names))),
  ];
  return picks.toSorted((a, b) => a.clip.startFrame - b.clip.startFrame);
}

function filmSelects(document: SummaryDocument): PickedClip[] {
  const { shots: film, moments = [] } = document.concept!;
  const videos = new Map(document.videos.map((video) => [video.id, video]));
  const keyOf = ({ video, shot }: { video: string; shot: number }): string => `${shot} ${video}`;
  const used = new Set(film.map(keyOf));
  return conceptPicks(document).flatMap(({ shots, ...pick }) => {
    const rivals = shots.flatMap((shot) => [
      ...(moments[shot.moment ?? -1]?.members ?? []).map((place) => ({
        ...{ place, reason: `Shows the same moment as shot ${shot.shot + 1} of ${nameIn(document)(shot.video)}.` },
      })),
      ...shot.alike.map((place) => ({
        ...{ place, reason: `Shows nearly the same as shot ${shot.shot + 1} of ${nameIn(document)(shot.video)}.` },
      })),
    ]);
    const spares: PickedClip[] = [];
    for (const { place, reason } of rivals) {
      const video = videos.get(place.video);
      const shot = video?.shots[place.shot];
      if (spares.length === MAX_SPARES || !video || !shot || !isGood(shot) || used.has(keyOf(place))) continue;
      used.add(keyOf(place));
      spares.push(spare(video, shot, reason));
    }
    return [pick, ...spares];
  });
}

function spare(
  { id }: VideoSummary,
  { startFrame, endFrame, range, rank, score }: SummaryShot,
  reason: string,
): PickedClip {
  return { video: id, clip: { startFrame, endFrame, range }, why: { rank, score, reason }, isSpare: true };
}

function nameIn({ videos }: SummaryDocument): (id: string) => string {
  return (id) => nameOf(videos.find((video) => video.id === id)?.path ?? id);
}

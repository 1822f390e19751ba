import { batch, computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Clip, TopicFilm, Track, Video } from '../contract.js';
import { ask } from './api.js';
import { clips, edit, selectedShot, playing, selection, steering, TOPIC, topicShot, videoById } from './state.js';

/** All lanes share one scale: 1 shows the longest of them whole. */
export const zoom = signal(1);
/** Seconds at the left edge of every lane. */
export const viewStart = signal(0);
/** Where the player is, in seconds of one video; for the film of the topic, of the video that plays. */
export const cursor = signal<{ readonly video: string; readonly seconds: number } | null>(null);
/** A moment that the player should go to, if it plays that video; `TOPIC` counts the seconds of the film. */
export const seekRequest = signal<{ readonly video: string; readonly seconds: number } | null>(null);
/** Where the pointer is on a lane. */
export const hover = signal<Hover | null>(null);
export type Hover = { readonly video: string; readonly seconds: number; readonly x: number; readonly y: number };

export const lengthOf = (clip: Clip): number => videoById.value.get(clip.id)?.seconds ?? clip.seconds ?? 0;

const longest = computed(() =>
  Math.max(1, selection.value?.film?.seconds ?? 0, ...clips.value.map((clip) => lengthOf(clip))),
);
export const viewSeconds = computed(() => longest.value / zoom.value);
/** So far that single frames are wide: half a second fills the lane. */
export const maxZoom = computed(() => Math.max(1, 2 * longest.value));

/** Zooms by a factor; the moment at `share` of the lane's width stays where it is. */
export function zoomBy(factor: number, share = 0.5): void {
  const moment = viewStart.value + share * viewSeconds.value;
  zoom.value = Math.min(maxZoom.value, Math.max(1, zoom.value * factor));
  pan(moment - share * viewSeconds.value - viewStart.value);
}

export function pan(seconds: number): void {
  viewStart.value = Math.max(0, Math.min(longest.value - viewSeconds.value, viewStart.value + seconds));
}

const isInView = (seconds: number): boolean =>
  seconds >= viewStart.value && seconds <= viewStart.value + viewSeconds.value;

/** Moves the lanes so that a moment can be seen, with a little of what is before it. */
function bringIntoView(seconds: number): void {
  if (!isInView(seconds)) pan(seconds - 0.1 * viewSeconds.value - viewStart.value);
}

/** Follows a playhead that leaves the lanes; whoever has moved them elsewhere stays there. */
export function follow(from: number, to: number): void {
  if (isInView(from)) bringIntoView(to);
}

/** Zooms until the film fills its lane. */
export function zoomToFilm(): void {
  zoom.value = Math.min(maxZoom.value, Math.max(1, longest.value / (selection.value?.film?.seconds || longest.value)));
  viewStart.value = 0;
}

const tracks = new Map<string, Promise<Track>>();

/** Cuts and sound of a video that is analysed; requested once. */
export function trackOf(video: string): Promise<Track> {
  const known = tracks.get(video) ?? ask('track', { parameters: { video } });
  tracks.set(video, known);
  known.catch(() => tracks.delete(video));
  return known;
}

export type Span = { readonly from: number; readonly to: number };

/** Trims what plays of a video at `was` to another stretch, rounded to its frames; without `was`, the stretch is new. */
export function trim(video: Video, was: Video['clips'][number] | null, { from, to }: Span): Promise<void> {
  const frame = 1 / video.frameRate;
  const onFrame = (seconds: number): number => Math.round(seconds / frame) * frame;
  const start = Math.min(Math.max(0, onFrame(from)), video.seconds - frame);
  const end = Math.max(start + frame, Math.min(video.seconds, onFrame(to)));
  return edit({
    ...{ do: 'trim', video: video.name, span: { from: start, to: end } },
    was: was && { from: was.from, to: was.to, shots: was.shots.map((shot) => shot + 1) },
  });
}

/** Cuts and pauses: where edges of clips snap to. */
export function snapPoints(video: Video, track: Track | null): number[] {
  const cuts = video.shots.flatMap(({ from, to }) => [from, to]);
  return [...cuts, ...(track?.speech ?? []).flatMap(({ from, to }) => [from, to])];
}

const SNAP_PX = 8;

/** The nearest of some moments if it is near enough on a lane of this width, else the moment itself. */
export function snap(seconds: number, points: readonly number[], width: number): number {
  const reach = (SNAP_PX / width) * viewSeconds.value;
  const near = points.filter((point) => Math.abs(point - seconds) <= reach);
  return near.toSorted((a, b) => Math.abs(a - seconds) - Math.abs(b - seconds))[0] ?? seconds;
}

/** A stretch with one edge moved: never empty, never outside its video. */
export function moveEdge(video: Video, { from, to }: Span, edge: 'from' | 'to', seconds: number): Span {
  const frame = 1 / video.frameRate;
  return edge === 'from'
    ? { from: Math.max(0, Math.min(seconds, to - frame)), to }
    : { from, to: Math.min(video.seconds, Math.max(seconds, from + frame)) };
}

/** Ctrl and the wheel zoom, Shift and the wheel move along. */
export function useWheel(box: { readonly current: HTMLElement | null }, width: number): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const onWheel = (event: WheelEvent): void => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const { left } = element.getBoundingClientRect();
        zoomBy(event.deltaY < 0 ? 1.25 : 0.8, (event.clientX - left) / width);
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        pan(((event.deltaX || event.deltaY) / width) * viewSeconds.value);
      }
    };
    // Preact listens passively, and the page would scroll or zoom as well.
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [width]);
}

export type FilmShot = TopicFilm['shots'][number];
type Stretch = Pick<FilmShot, 'video' | 'shot' | 'from' | 'to'>;

/** The shots of the film, each with the second of the film at which it begins. */
export const filmShots = computed<readonly (FilmShot & { readonly start: number })[]>(() => {
  let start = 0;
  return (selection.value?.film?.shots ?? []).map((shot) => {
    const placed = { ...shot, start };
    start += shot.to - shot.from;
    return placed;
  });
});

/** The shot of the film that plays or was picked, by index; -1 if there is none. */
export const filmAt = computed(() => {
  if (playing.value === TOPIC) return Math.min(topicShot.value, filmShots.value.length - 1);
  const at = selectedShot.value;
  return at ? filmShots.value.findIndex(({ video, shot }) => video === at.video && shot === at.shot) : -1;
});

/** Shows the film, at one of its seconds. */
export function goToInFilm(seconds: number): void {
  batch(() => {
    playing.value = TOPIC;
    topicShot.value = Math.max(0, filmShots.value.findLastIndex(({ start }) => start <= seconds)); // prettier-ignore
    seekRequest.value = { video: TOPIC, seconds };
    bringIntoView(seconds);
  });
}

/** The film plays exactly what was cut by hand. */
export const isHeld = computed(
  () =>
    (steering.value?.topicSequence.length ?? 0) > 0 &&
    filmShots.value.every(({ video, shot }) => videoById.value.get(video)?.shots[shot]?.pinned === true),
);

/** With ripple, an edit changes the length of the film and holds all other shots; without, the film keeps its length. */
export const ripple = signal(true);

/** The film plays exactly these stretches, in this order: what one sees is held until it is released. */
function cutFilm(label: string, stretches: readonly Stretch[]): Promise<void> {
  const shots = stretches.map(({ video, shot, from, to }) => {
    return { video: videoById.value.get(video)?.name ?? video, shot: shot + 1, from, to };
  });
  return edit({ do: 'cut', label: label.slice(0, 200), shots });
}

/** Plays other seconds of a shot of the film. */
export function trimInFilm(at: number, span: Span): Promise<void> {
  const shots = filmShots.value;
  const shot = shots[at];
  const video = shot && videoById.value.get(shot.video);
  if (!video) return Promise.resolve();
  if (!ripple.value) return trim(video, { from: shot.from, to: shot.to, shots: [shot.shot] }, span);
  const frame = 1 / video.frameRate;
  const onFrame = (seconds: number): number => Math.round(seconds / frame) * frame;
  const cut = { ...shot, from: onFrame(span.from), to: Math.max(onFrame(span.from) + frame, onFrame(span.to)) };
  return cutFilm(`Trim ${video.name} in the film`, shots.with(at, cut));
}

/** Takes a shot out of the film: with ripple the film gets shorter, without, another shot takes its time. */
export function removeFromFilm(at: number): Promise<void> {
  const shot = filmShots.value[at];
  const video = shot && videoById.value.get(shot.video);
  // A film is never empty.
  if (!video || filmShots.value.length < 2) return Promise.resolve();
  if (!ripple.value) return edit({ do: 'wish', shot: `${video.name}#${shot.shot + 1}`, wish: 'veto' });
  return cutFilm(`Remove ${video.name} from the film`, filmShots.value.toSpliced(at, 1));
}

/** Plays another take for a shot of the film, for the same time if it is long enough: its middle. */
export function replaceInFilm(at: number, take: { readonly video: string; readonly shot: number }): Promise<void> {
  const shot = filmShots.value[at];
  const other = videoById.value.get(take.video);
  const found = other?.shots[take.shot];
  if (!shot || !other || !found) return Promise.resolve();
  const seconds = Math.min(shot.to - shot.from, found.to - found.from);
  const frame = 1 / other.frameRate;
  const from = Math.max(found.from, Math.round((found.from + found.to - seconds) / 2 / frame) * frame);
  const label = `Replace shot ${at + 1} of the film by ${other.name}`;
  return cutFilm(label, filmShots.value.with(at, { ...shot, ...take, from, to: Math.min(found.to, from + seconds) }));
}

/** Moves a shot of the film to another place. */
export function moveInFilm(from: number, to: number): Promise<void> {
  const shots = filmShots.value;
  if (from < 0 || to < 0 || to >= shots.length || from === to) return Promise.resolve();
  const order = shots.toSpliced(from, 1).toSpliced(to, 0, shots[from]!);
  if (playing.value === TOPIC) topicShot.value = to;
  const nameOf = (id: string): string => videoById.value.get(id)?.name ?? id;
  return edit({ do: 'order', of: null, shots: order.map(({ video, shot }) => `${nameOf(video)}#${shot + 1}`) });
}

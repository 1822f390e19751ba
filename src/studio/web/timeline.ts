import { computed, signal } from '@preact/signals';

import type { Clip, Track, Video } from '../contract.js';
import { ask } from './api.js';
import { clips, edit, selection, videoById } from './state.js';

/** All lanes share one scale: 1 shows the longest of them whole. */
export const zoom = signal(1);
/** Seconds at the left edge of every lane. */
export const viewStart = signal(0);
/** Where the player is, in seconds of one video. */
export const cursor = signal<{ readonly video: string; readonly seconds: number } | null>(null);
/** A moment that the player should go to, if it plays that video. */
export const seekRequest = signal<{ readonly video: string; readonly seconds: number } | null>(null);
/** Where the pointer is on a lane. */
export const hover = signal<Hover | null>(null);
export type Hover = { readonly video: string; readonly seconds: number; readonly x: number; readonly y: number };

export const lengthOf = (clip: Clip): number => videoById.value.get(clip.id)?.seconds ?? clip.seconds ?? 0;

const longest = computed(() =>
  Math.max(1, selection.value?.film?.seconds ?? 0, ...clips.value.map((clip) => lengthOf(clip))),
);
export const viewSeconds = computed(() => longest.value / zoom.value);
/** One second fills the lane. */
export const maxZoom = computed(() => Math.max(1, longest.value));

/** Zooms by a factor; the moment at `share` of the lane's width stays where it is. */
export function zoomBy(factor: number, share = 0.5): void {
  const moment = viewStart.value + share * viewSeconds.value;
  zoom.value = Math.min(maxZoom.value, Math.max(1, zoom.value * factor));
  pan(moment - share * viewSeconds.value - viewStart.value);
}

export function pan(seconds: number): void {
  viewStart.value = Math.max(0, Math.min(longest.value - viewSeconds.value, viewStart.value + seconds));
}

const tracks = new Map<string, Promise<Track>>();

/** What is heard in a video; requested once. */
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
export function snapPoints(video: Video, { speech }: Track): number[] {
  const cuts = video.shots.flatMap(({ from, to }) => [from, to]);
  return [...cuts, ...speech.flatMap(({ from, to }) => [from, to])];
}

/** The nearest of some moments if it is near enough, else the moment itself. */
export function snap(seconds: number, points: readonly number[], reach: number): number {
  let best = seconds;
  for (const point of points) {
    const distance = Math.abs(point - seconds);
    if (distance <= reach && (best === seconds || distance < Math.abs(best - seconds))) best = point;
  }
  return best;
}

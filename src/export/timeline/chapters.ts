import { rescale, type Rational } from '../../base/index.js';
import { frameBase } from './rates.js';
import { oneLine } from './text.js';
import type { Timeline } from './types.js';

/** A stretch of the film with a name. Times are ticks of the base asked for. */
export type Chapter = { readonly title: string; readonly start: number; readonly end: number };

/** One chapter per clip, from the beginning of the film, in ticks of `base` seconds. */
export function chaptersOf(timeline: Timeline, base: Rational): Chapter[] {
  const tickOf = (frame: number): number => rescale(frame, frameBase(timeline.rate), base);
  return timeline.clips.map((clip) => ({
    title: oneLine(clip.name),
    start: tickOf(clip.recordIn),
    end: tickOf(clip.recordOut),
  }));
}

/** Formats a time as `01:02:03.004`. `unitsPerSecond` is a power of ten; hours have two digits or more. */
export function formatMoment(units: number, unitsPerSecond: number): string {
  const part = (value: number, width: number): string => String(value).padStart(width, '0');
  const seconds = Math.floor(units / unitsPerSecond);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const places = String(unitsPerSecond).length - 1;
  return `${clock.map((value) => part(value, 2)).join(':')}.${part(units % unitsPerSecond, places)}`;
}

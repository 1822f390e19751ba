import { rescale, type Rational } from '../../base/index.js';
import { frameBase } from './rates.js';
import { oneLine } from './text.js';
import type { Timeline } from './types.js';

/** A stretch of the film with a name. Times are whole steps of the clock asked for. */
export type Chapter = { readonly title: string; readonly start: number; readonly end: number };

/** A chapter a clip, from the film's beginning, in ticks of `base` seconds. */
export function chaptersOf(timeline: Timeline, base: Rational): Chapter[] {
  const told = (frame: number): number => rescale(frame, frameBase(timeline.rate), base);
  return timeline.clips.map((clip) => ({
    title: oneLine(clip.name),
    start: told(clip.recordIn),
    end: told(clip.recordOut),
  }));
}

/** `01:02:03.004` of whole `unitsASecond`; hours have two digits or more. */
export function formatMoment(units: number, unitsASecond: number): string {
  const part = (value: number, width: number): string => String(value).padStart(width, '0');
  const seconds = Math.floor(units / unitsASecond);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const places = String(unitsASecond).length - 1;
  return `${clock.map((value) => part(value, 2)).join(':')}.${part(units % unitsASecond, places)}`;
}

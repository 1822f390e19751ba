import { boundsOf, type BoundsAskedFor, type Segmenter, type ShotBounds, type Segments } from './types.js';
import { signalMeter, SLOTS } from './signal.js';
import { findTakes, firstAtOrAfter } from './takes.js';
import { shotsFromStarts, type FrameClock } from './shots-from.js';

/** Size of the pictures, and the shortest and longest shot. */
export type ColourKnobs = { readonly widthPx: number; readonly heightPx: number } & BoundsAskedFor;

/** Takes from what changes between pictures (`findTakes`), and shots from what changes inside takes (`divide`). */
export function colour(knobs: ColourKnobs): Segmenter {
  const bounds = boundsOf(knobs);
  const meter = signalMeter(knobs.widthPx, knobs.heightPx);
  return {
    name: 'colour',
    version: `colour.2/${bounds.min}-${bounds.max} ${bounds.by}`,
    push: (picture, seconds) => meter.push(picture, seconds),
    end(clock) {
      const { frameTicks, timeBase } = clock;
      const times = Float64Array.from(
        frameTicks,
        (tick) => ((tick - (frameTicks[0] as number)) * timeBase.num) / timeBase.den,
      );
      const signal = meter.end();
      return divide(findTakes(signal, times), signal.novelty, times, clock, bounds);
    },
  };
}

/** Something changes in a take where its mean picture does by so many 1/64 levels: traffic under a fixed camera does not. */
const NEW_VIEW = 64 * 7;
/** ... and this many times as much as on average within two seconds either side: a steady pan changes everywhere. */
const PEAK = 1.15;
const PEAK_REACH = 2 * SLOTS;

/**
 * Divides takes into shots. Within a take, changes are chosen together:
 *
 *     maximise  Σ novelty(t) − max(NEW_VIEW, PEAK · mean novelty near t)     over changes t at least `min` apart and from its ends
 *
 * What is then longer than `max` is divided equally, into as few shots as possible: equal parts between which nothing changes
 * are shots of one view. A take shorter than `min` is one shot, marked as short.
 */
function divide(
  takes: readonly number[],
  novelty: Uint16Array,
  times: Float64Array,
  clock: FrameClock,
  { by, min, max }: ShotBounds,
): Segments {
  const frames = clock.frameTicks.length;
  const endTime = ((clock.endTicks - (clock.frameTicks[0] ?? 0)) * clock.timeBase.num) / clock.timeBase.den;
  /** Where a frame begins, in the unit of the bounds. */
  const at = (frame: number): number => (by === 'frames' ? frame : (times[frame] ?? endTime));
  const frameFrom = (place: number): number =>
    by === 'frames' ? Math.floor(place) : firstAtOrAfter(times, place - 1e-9);
  const noveltyAt = (frame: number): number => novelty[Math.floor((times[frame] as number) * SLOTS)] ?? 0;
  const sums = new Float64Array(novelty.length + 1);
  for (const [slot, value] of novelty.entries()) sums[slot + 1] = (sums[slot] as number) + value;
  const meanNear = (slot: number): number => {
    const [low, high] = [Math.max(0, slot - PEAK_REACH), Math.min(novelty.length, slot + PEAK_REACH + 1)];
    return ((sums[high] as number) - (sums[low] as number)) / (high - low);
  };

  /** The first frames of the stretches of a take between which something changes. */
  const changesIn = (first: number, end: number): number[] => {
    const places: { frame: number; gain: number }[] = [];
    // Novelty compares whole seconds, so it says nothing about the take within a second of its ends.
    const slotOf = (frame: number): number => Math.floor((times[frame] ?? endTime) * SLOTS);
    for (let slot = slotOf(first) + SLOTS; slot <= slotOf(end) - SLOTS; slot++) {
      const frame = firstAtOrAfter(times, slot / SLOTS);
      const gain = (novelty[slot] as number) - Math.max(NEW_VIEW, PEAK * meanNear(slot));
      if (gain > 0 && at(frame) - at(first) >= min && at(end) - at(frame) >= min) places.push({ frame, gain });
    }
    // best[i]: the largest total over the first i places; `before` is the last place far enough from place i.
    const best = new Float64Array(places.length + 1);
    const before = new Int32Array(places.length);
    let far = 0;
    for (const [i, { frame, gain }] of places.entries()) {
      while (at(frame) - at((places[far] as { frame: number }).frame) >= min) far++;
      before[i] = far;
      best[i + 1] = Math.max(best[i] as number, (best[far] as number) + gain);
    }
    const changes: number[] = [];
    for (let i = places.length; i > 0;) {
      if (best[i] === best[i - 1]) i--;
      else {
        changes.push((places[i - 1] as { frame: number }).frame);
        i = before[i - 1] as number;
      }
    }
    return [first, ...changes.reverse()];
  };

  const [shots, views]: [number[], number[]] = [[], []];
  for (const [i, first] of takes.entries()) {
    const end = takes[i + 1] ?? frames;
    const stretches = changesIn(first, end);
    for (const [k, start] of stretches.entries()) {
      const [from, to] = [at(start), at(stretches[k + 1] ?? end)];
      const parts = Math.ceil((to - from) / max - 1e-9);
      for (let part = 0; part < Math.max(1, parts); part++) {
        const frame = part === 0 ? start : frameFrom(from + (part * (to - from)) / parts);
        if (part > 0 && (frame <= (shots.at(-1) as number) || frame >= end)) continue;
        shots.push(frame);
        if (part === 0 || noveltyAt(frame) >= NEW_VIEW) views.push(frame);
      }
    }
  }
  const { takes: all, shots: divided } = shotsFromStarts(shots, clock, { views, takes });
  const isShort = ({ startFrame, endFrame }: { startFrame: number; endFrame: number }): boolean =>
    at(endFrame) - at(startFrame) < min - 1e-9;
  return {
    takes: all,
    shots: divided.map((shot) => (isShort(all[shot.take]!) ? { ...shot, isShort: true } : shot)),
  };
}

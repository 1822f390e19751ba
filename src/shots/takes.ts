import { awayFrom, PLATEAU, SLOTS, type Ramp, type Signal } from './signal.js';

/** A hard cut changes at least this share of the picture, and for good. */
const HARD_CHANGE = 0.14 * 65_535;
/** ... and so many times as much as most frames within `HARD_REACH` seconds. */
const HARD_RATIO = 3;
const HARD_REACH = 0.35;
const HARD_QUANTILE = 0.6;
/** A frame that changes less than this repeats the one before. */
const REPEATED = 0.004 * 65_535;
/** Hard cuts this close, in seconds, are one: nobody sees a take so short. */
const ONE_CUT = 0.17;
/** A gradual transition keeps this many slots away from a hard cut and from others. */
const APART = 3;
/** Two transitions at most this many slots apart are one if the picture is plain between them. */
const FADE = 2.5 * SLOTS;
const PLAIN_CONTRAST = 4;

/** The first frame of each take, from what was measured and the time of each frame in seconds, the first at 0. */
export function findTakes(signal: Signal, times: ArrayLike<number>): number[] {
  const hard = hardCuts(signal, times);
  const soft = gradualCuts(signal, hard, times).map((slot) => firstAtOrAfter(times, slot / SLOTS));
  const inside = soft.filter((t) => t > 0 && t < times.length);
  return times.length === 0 ? [] : [...new Set([0, ...hard, ...inside])].sort((a, b) => a - b);
}

function hardCuts({ change, lasting }: Signal, times: ArrayLike<number>): number[] {
  const cuts: number[] = [];
  for (let t = 1; t < change.length; t++) {
    if ((lasting[t] as number) < HARD_CHANGE || (change[t] as number) < HARD_RATIO * usualChange(change, times, t))
      continue;
    const last = cuts.at(-1);
    if (last === undefined || (times[t] as number) - (times[last] as number) > ONE_CUT) cuts.push(t);
    else if ((change[t] as number) > (change[last] as number)) cuts[cuts.length - 1] = t;
  }
  return cuts;
}

/** The change that `HARD_QUANTILE` of the other frames within reach do not exceed; repeated frames do not count. */
function usualChange(change: Uint16Array, times: ArrayLike<number>, t: number): number {
  const near: number[] = [];
  const time = times[t] as number;
  const add = (i: number): void => void ((change[i] as number) > REPEATED && near.push(change[i] as number));
  for (let i = t - 1; i > 0 && time - (times[i] as number) <= HARD_REACH; i--) add(i);
  for (let i = t + 1; i < change.length && (times[i] as number) - time <= HARD_REACH; i++) add(i);
  near.sort((a, b) => a - b);
  return near[Math.max(0, Math.ceil(HARD_QUANTILE * near.length) - 1)] ?? 0;
}

/** Slots in the middle of gradual transitions, best first where they overlap. */
function gradualCuts(
  { change, lasting, ramps, contrast }: Signal,
  cuts: readonly number[],
  times: ArrayLike<number>,
): number[] {
  const slotOf = (t: number): number => Math.floor((times[t] as number) * SLOTS);
  const taken = new Uint8Array(contrast.length + 1);
  for (const t of cuts) taken[slotOf(t)] = 1;
  const flashes = new Uint32Array(contrast.length + 1);
  for (let t = 1; t < change.length; t++)
    if (2 * (lasting[t] as number) < (change[t] as number) && (change[t] as number) > HARD_CHANGE / 2)
      flashes[slotOf(t) + 1] = 1;
  for (let slot = 1; slot < flashes.length; slot++) (flashes[slot] as number) += flashes[slot - 1] as number;
  const hasFlash = ({ from, to }: Ramp): boolean => {
    const reach = PLATEAU + awayFrom(to - from);
    const [low, high] = [Math.max(0, from - reach), Math.min(contrast.length, to + reach + 1)];
    return (flashes[high] as number) > (flashes[low] as number);
  };
  const chosen: Ramp[] = [];
  for (const ramp of ramps.toSorted((a, b) => b.worth - a.worth || a.from - b.from)) {
    const [low, high] = [Math.max(0, ramp.from - APART), ramp.to + APART + 1];
    if (taken.subarray(low, high).includes(1) || hasFlash(ramp)) continue;
    taken.fill(1, ramp.from, ramp.to + 1);
    chosen.push(ramp);
  }
  const middles = chosen.map(({ from, to }) => Math.round((from + to) / 2)).sort((a, b) => a - b);
  // Out to a plain picture and in again is one transition, at the plainest moment.
  const merged: number[] = [];
  for (const middle of middles) {
    const last = merged.at(-1);
    const plainest = last === undefined || middle - last > FADE ? null : plainestOf(contrast, last, middle);
    if (plainest === null) merged.push(middle);
    else merged[merged.length - 1] = plainest;
  }
  return merged;
}

function plainestOf(contrast: Uint16Array, from: number, to: number): number | null {
  let least = from;
  for (let slot = from; slot <= to; slot++) if ((contrast[slot] as number) < (contrast[least] as number)) least = slot;
  return (contrast[least] as number) <= PLAIN_CONTRAST ? least : null;
}

/** The first frame at or after a time; the number of frames if there is none. */
export function firstAtOrAfter(times: ArrayLike<number>, seconds: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

import type { Tiers } from './average-precision.js';

/** The share of a video that P@15 % and lift look at. */
const SHARE = 0.15;

/** How many shots are the first 15 %: rounded to the nearest, halves up, at least one. */
export function firstShots(shotCount: number): number {
  return Math.max(1, Math.round(SHARE * shotCount));
}

/** Values that vary by less than this share of the largest are equal: they differ only by rounding. */
const EQUAL = 1e-9;

/**
 * lift = mean over the first k shots of (m − mean(m)) / sd(m)     m: a value for each shot; sd over all shots (divided by n)
 * A place in a tier of tied shots counts their mean. `null` if all values are equal.
 */
export function liftOf(tiers: Tiers, values: Float64Array, k: number): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(deviation > EQUAL * largest)) return null;
  let [place, sum] = [0, 0];
  for (const tier of tiers) {
    if (place >= k) break;
    const taken = Math.min(tier.length, k - place);
    sum += (taken * tier.reduce((all, shot) => all + values[shot]!, 0)) / tier.length;
    place += taken;
  }
  return (sum / place - mean) / deviation;
}

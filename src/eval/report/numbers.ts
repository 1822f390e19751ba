import type { Interval } from '../statistics/bootstrap.js';
import type { PairedTest } from '../statistics/paired-test.js';

/** Written where the labels allow no value. */
export const NONE = '–';

/** Digits after the point of every score, as in the paper's tables. */
const DIGITS = 3;

/** A score: `0.451`, `−0.012`. */
export function formatValue(value: number | null, digits = DIGITS): string {
  return value === null ? NONE : withMinus(value.toFixed(digits));
}

/** A difference, always with its sign: `+0.041`. */
export function formatDifference(value: number): string {
  const text = formatValue(value);
  return value > 0 && Number(text) > 0 ? `+${text}` : text;
}

/** `[0.432, 0.470]`. */
export function formatInterval(interval: Interval | null): string {
  return interval === null ? NONE : `[${formatValue(interval.low)}, ${formatValue(interval.high)}]`;
}

/** A score as a share of another: `79.7 %`. */
export function formatRelative(relative: number | null): string {
  return relative === null ? NONE : `${formatValue(100 * relative, 1)} %`;
}

/** A probability: `0.012`, below a thousandth `4.2e-7`; never rounded to zero. */
export function formatP(p: number): string {
  if (p === 0) return '0';
  return p < 0.001 ? p.toExponential(1) : formatValue(p);
}

/** A t or an effect size; `null` is infinite: the differences are all alike and not zero. */
export function formatRatio(ratio: number | null, { meanDifference }: PairedTest): string {
  return ratio === null ? `${meanDifference < 0 ? '−' : ''}∞` : formatValue(ratio, 2);
}

/** A number of an axis, with all its digits. */
export function formatTick(tick: number): string {
  return withMinus(String(tick));
}

/** The typographic minus, and none before a zero. */
function withMinus(text: string): string {
  return text.replace(/^-/, Number(text) === 0 ? '' : '−');
}

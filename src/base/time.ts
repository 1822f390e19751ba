import { NumericError } from './errors.js';

/** A positive fraction: a time base in seconds per tick, a frame rate in frames per second, an aspect ratio. */
export type Rational = { readonly num: number; readonly den: number };

/** A moment: `ticks` whole steps of `base` seconds, counted from the zero of the file's own clock. */
export type Time = { readonly ticks: number; readonly base: Rational };

/** A half-open stretch of time `[start, end)` in ticks of `base` seconds. */
export type TimeRange = { readonly start: number; readonly end: number; readonly base: Rational };

/** How a moment between two ticks is rounded. */
export type Rounding = 'floor' | 'nearest' | 'ceil';

function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** A fraction in lowest terms. Both parts must be positive whole numbers. */
export function rational(num: number, den: number): Rational {
  if (!Number.isSafeInteger(num) || !Number.isSafeInteger(den) || num <= 0 || den <= 0) {
    throw new NumericError('bad-rational', `Expected a fraction of positive whole numbers, found ${num}/${den}.`);
  }
  const common = gcd(num, den);
  return { num: num / common, den: den / common };
}

/** Converts ticks of `from` to ticks of `to`, rounded as asked (`nearest` rounds halves up). Exact: no floats. */
export function rescale(ticks: number, from: Rational, to: Rational, rounding: Rounding = 'nearest'): number {
  const numerator = BigInt(ticks) * BigInt(from.num) * BigInt(to.den);
  const denominator = BigInt(from.den) * BigInt(to.num);
  const scaled =
    rounding === 'floor'
      ? floorDivide(numerator, denominator)
      : rounding === 'ceil'
        ? -floorDivide(-numerator, denominator)
        : floorDivide(2n * numerator + denominator, 2n * denominator);
  const result = Number(scaled);
  if (!Number.isSafeInteger(result)) {
    throw new NumericError(
      'time-overflow',
      `Expected a time that fits a clock of ${to.num}/${to.den} s, found ${ticks} ticks of ${from.num}/${from.den} s.`,
    );
  }
  return result;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** Negative, zero or positive as `a` lies before, at or after `b`, whatever their time bases. */
export function compareTimes(a: Time, b: Time): number {
  const left = BigInt(a.ticks) * BigInt(a.base.num) * BigInt(b.base.den);
  const right = BigInt(b.ticks) * BigInt(b.base.num) * BigInt(a.base.den);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Ticks in seconds, for display and budgets only: floats are not exact enough to identify a moment. */
export function toSeconds(ticks: number, base: Rational): number {
  return (ticks * base.num) / base.den;
}

/** Length of a range in seconds, for display and budgets only. */
export function lengthInSeconds(range: TimeRange): number {
  return toSeconds(range.end - range.start, range.base);
}

/** `h:mm:ss.mmm` (hours only when there are any), for people. */
export function formatClock(seconds: number): string {
  const millis = Math.round(Math.abs(seconds) * 1000);
  const part = (value: number, width: number): string => String(value).padStart(width, '0');
  const hours = Math.floor(millis / 3_600_000);
  const minutes = Math.floor(millis / 60_000) % 60;
  const rest = `${part(Math.floor(millis / 1000) % 60, 2)}.${part(millis % 1000, 3)}`;
  const sign = seconds < 0 && millis > 0 ? '-' : '';
  return hours > 0 ? `${sign}${hours}:${part(minutes, 2)}:${rest}` : `${sign}${minutes}:${rest}`;
}

import { formatClock, type Rational } from '../../base/index.js';

/** A whole number with thin spaces between thousands, the same on every machine. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** `1 shot`, `12 shots`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A moment to the tenth of a second, cut and not rounded, so it is never after the real one. */
export function formatMoment(seconds: number): string {
  return formatClock(seconds).slice(0, -2);
}

/** A length for headlines: `4.5 s` below ten seconds, then `m:ss`, then `h:mm:ss`. */
export function formatLength(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  return formatClock(Math.round(seconds)).slice(0, -4);
}

/** A share in [0, 1] as a whole percentage; only zero is written as 0 %. */
export function formatPercent(part: number): string {
  if (!(part > 0)) return '0 %';
  return part < 0.005 ? '< 1 %' : `${Math.round(part * 100)} %`;
}

/** Four significant digits, without an exponent where possible. */
export function formatScore(score: number): string {
  if (score === 0) return '0';
  return score >= 1e-4 && score < 1e6 ? String(Number(score.toPrecision(4))) : score.toExponential(3);
}

/** A size in decimal units: `3.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** Frames per second with at most two decimals, or `varies`. */
export function formatRate(rate: Rational | null): string {
  return rate === null ? 'varies' : `${Number((rate.num / rate.den).toFixed(2))} fps`;
}

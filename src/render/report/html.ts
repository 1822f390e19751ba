import { formatClock, type Rational } from '../../base/index.js';
import type { SummaryShot } from '../../summary/index.js';

/** Markup that is safe to write. Only `markup` and `raw` make it. */
export type Html = { readonly html: string };

type Part = string | number | Html | null | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Line breaks become spaces; control characters, bidirectional overrides and what XML forbids become U+FFFD. */
function legible(text: string): string {
  return text
    .replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu, '\uFFFD');
}

/** Escapes a text for use between tags or inside a quoted attribute. */
function escapeText(text: string): string {
  return legible(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? character);
}

/** Markup from a template: every value is escaped unless it is markup itself; `null` writes nothing. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  for (const [at, part] of parts.entries()) text += render(part) + (strings[at + 1] ?? '');
  return { html: text };
}

function render(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  return 'html' in part ? part.html : part.map((each) => each.html).join('');
}

/** Markup written by this program itself (scripts, styles, path data), never text from outside. */
export function raw(text: string): Html {
  return { html: text };
}

/** A relative path as a URL: each step is encoded, so that no name can become a scheme, a query or a fragment. */
export function relativeUrl(path: string): string {
  const steps = path.replaceAll('\\', '/').split('/');
  const encoded = steps.map((step) => encodeURIComponent(step.replace(/\p{Cs}/gu, '\uFFFD')));
  return `./${encoded.filter((step) => step !== '').join('/')}`;
}

/** A whole number with thin spaces between thousands, the same on every machine. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** `1 shot`, `12 shots`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A time to the tenth of a second, rounded down, so that it is never after the real one. */
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

/** How much a shot represents of its own video and of the others; `score² = own² + shared²`. */
type Importance = { readonly own: number; readonly shared: number };

/** The part of a shot's importance that is its own, in [0, 1]: own² / (own² + shared²); the rest is shared. */
export function ownPart({ own, shared }: Importance): number {
  // Dividing by the larger first keeps the squares of very small and very large scores finite.
  const largest = Math.max(own, shared);
  if (!(largest > 0) || !Number.isFinite(largest)) return 0;
  const ownSquared = (own / largest) ** 2;
  return ownSquared / (ownSquared + (shared / largest) ** 2);
}

/**
 * The score that those of a video are compared with: the largest, except of pinned shots, whose scores are computed
 * without a penalty.
 */
export function strongestOf(
  shots: readonly { readonly score: number; readonly pinned?: boolean | undefined }[],
): number {
  const free = shots.filter(({ pinned }) => pinned !== true);
  return (free.length > 0 ? free : shots).reduce((most, { score }) => Math.max(most, score), 0);
}

/** A score relative to the strongest of its video, in [0, 1]; 0 if all are zero. */
export function relativeScore(score: number, strongest: number): number {
  return strongest > 0 && score > 0 ? Math.min(1, score / strongest) : 0;
}

/** `count` whole numbers of `[0, total)` spread evenly, ascending; all of them when there are no more than that. */
export function spreadEvenly(total: number, count: number): number[] {
  const kept = Math.max(0, Math.min(total, count));
  return Array.from({ length: kept }, (_, i) => Math.floor(((i + 0.5) * total) / kept));
}

/** Whether something is wrong with the pictures of a shot. */
export function isFlawed({ flaws = [] }: Pick<SummaryShot, 'flaws'>): boolean {
  return flaws.length > 0;
}

import { type TimeRange, UsageError } from '../base/index.js';

/** How long a summary may be: a share of the video in (0, 1], seconds, or a number of shots. */
export type Budget =
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'seconds'; readonly seconds: number }
  | { readonly kind: 'shots'; readonly shots: number };

/** The result of a selector for one video: the importance of each shot, and all shots in its own order, best first. */
export type Importance = {
  readonly scores: ArrayLike<number>;
  readonly order: ArrayLike<number>;
};

/** Shots that go into a summary, as places in the list of shots, in film order. */
export type Cut = {
  readonly chosen: readonly number[];
  /**
   * True if the summary is longer than asked for: the pinned shots alone are, or no shot that fits matters enough, so the
   * best one is taken whole.
   */
  readonly overBudget: boolean;
};

const SHARE = /^(\d+(?:\.\d+)?)\s*%$/;
const SHOTS = /^(\d+)\s*shots?$/;
const UNITS = /^(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+(?:\.\d+)?)\s*s)?$/;
const CLOCK = /^(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:\.\d+)?)$/;

/** Reads a length as people write it: `15%`, `30s`, `1m30s`, `0:45`, `1:02:03.5`, `12 shots`. */
export function parseBudget(text: string): Budget {
  const budget = readBudget(text.trim().toLowerCase());
  if (budget === null) throw refuse(text, 'not a length');
  if (budget.kind === 'share' && budget.share > 1) throw refuse(text, 'more than the whole video');
  if (amountOf(budget) <= 0) throw refuse(text, 'nothing');
  if (!Number.isFinite(amountOf(budget))) throw refuse(text, 'more than can be counted');
  return budget;
}

function refuse(text: string, found: string): UsageError {
  return new UsageError(
    'bad-length',
    `Expected a length such as 15%, 30s, 1m30s, 0:45 or "12 shots", found "${text}", which is ${found}. ` +
      (/^0*[1-9]\d*$/.test(text.trim())
        ? `Add a unit: ${text.trim()}s, ${text.trim()}% or "${text.trim()} shots".`
        : /^0?\.\d*[1-9]\d*$/.test(text.trim())
          ? 'Write a share in percent, such as 15%.'
          : 'Give a share up to 100%, a time above zero, or at least one shot.'),
  );
}

function readBudget(text: string): Budget | null {
  const share = SHARE.exec(text);
  // Moving the point in the text, not dividing, keeps 29% the number nearest to 0.29.
  if (share) return { kind: 'share', share: Number(`${share[1]}e-2`) };
  const shots = SHOTS.exec(text);
  if (shots) return { kind: 'shots', shots: Number(shots[1]) };
  const clock = CLOCK.exec(text);
  if (clock) return clockBudget(clock);
  const units = UNITS.exec(text);
  if (units && text !== '') return secondsBudget(units[1], units[2], units[3]);
  return null;
}

function clockBudget([, hours, minutes, seconds]: RegExpExecArray): Budget | null {
  const tooMany = Number(seconds) >= 60 || (hours !== undefined && Number(minutes) >= 60);
  return tooMany ? null : secondsBudget(hours, minutes, seconds);
}

function secondsBudget(hours: string | undefined, minutes: string | undefined, seconds: string | undefined): Budget {
  const [whole = '0', fraction = ''] = (seconds ?? '0').split('.');
  const sum = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(whole);
  return { kind: 'seconds', seconds: Number(`${sum}.${fraction}`) };
}

function amountOf(budget: Budget): number {
  return budget.kind === 'share' ? budget.share : budget.kind === 'seconds' ? budget.seconds : budget.shots;
}

/** The length as `parseBudget` reads it back: `15%`, `90s`, `12 shots`. */
export function formatBudget(budget: Budget): string {
  if (budget.kind === 'shots') return `${budget.shots} ${budget.shots === 1 ? 'shot' : 'shots'}`;
  const { digits, places } = decimalOf(amountOf(budget));
  return budget.kind === 'seconds' ? `${plain(digits, places)}s` : `${plain(digits, places - 2)}%`;
}

/** Ticks of `total` that a share or a time allows, rounded down; exact for the decimal number the user wrote. */
export function budgetTicks(budget: Exclude<Budget, { kind: 'shots' }>, total: TimeRange): number {
  const ticks = budgetUnits(budget, BigInt(total.end - total.start), total.base);
  // A time may be longer than any video; beyond the safe range its exact length makes no difference.
  return Number(ticks < BigInt(Number.MAX_SAFE_INTEGER) ? ticks : BigInt(Number.MAX_SAFE_INTEGER));
}

/** The same in units of `base` seconds, for a whole of `total` units. */
export function budgetUnits(
  budget: Exclude<Budget, { kind: 'shots' }>,
  total: bigint,
  base: { readonly num: number | bigint; readonly den: number | bigint },
): bigint {
  const { digits, places } = decimalOf(amountOf(budget));
  const scale = 10n ** BigInt(places);
  return budget.kind === 'share' ? (digits * total) / scale : (digits * BigInt(base.den)) / (scale * BigInt(base.num));
}

/** A non-negative number as digits · 10^−places, from its shortest decimal form, which is what the user wrote. */
function decimalOf(value: number): { digits: bigint; places: number } {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

function plain(digits: bigint, places: number): string {
  if (places <= 0) return String(digits * 10n ** BigInt(-places));
  const padded = String(digits).padStart(places + 1, '0');
  const point = padded.length - places;
  const fraction = padded.slice(point).replace(/0+$/, '');
  return fraction === '' ? padded.slice(0, point) : `${padded.slice(0, point)}.${fraction}`;
}

/** What decides whether a video gets a film of its own. Lengths are seconds. */
export type Contender = {
  readonly seconds: number;
  /** What a clip of it must have to be readable. */
  readonly least: number;
  /** Whether its film was asked for by a wish. */
  readonly isWished: boolean;
};

/** A video whose share is at least this part of a readable clip gets that clip. */
const NEARLY_A_CLIP = 0.75;
/** So many videos that are too short for their share have a clip each: a share is a budget only where there are more. */
const FEW = 4;

/**
 * The length of each video's film where a share of the topic is asked for; `null` for none. With s the share, T_v the length
 * of a video and m_v that of a readable clip of it:
 *   s T_v ≥ m_v            what was asked for
 *   s T_v ≥ ¾ m_v          one readable clip, m_v
 *   less                   m_v if it fits into what the others leave of s Σ T_v, strongest first
 * So many short videos together are no longer than asked for; a `few` of them have their clips in any case. A clip ends at a pause, up to `tolerance` late, so half of that
 * is counted with it. A film of the length asked for may be off by as much, which counts as left: a few short videos among
 * long ones have their clips. Videos with wishes have what was asked for, and the strongest
 * has a film if no other has. `order` are the videos as places, strongest first.
 */
export function allotLengths(
  videos: readonly Contender[],
  order: readonly number[],
  asked: Extract<Budget, { kind: 'share' }>,
  tolerance = 0,
  few = FEW,
): (Budget | null)[] {
  const shareOf = (place: number): number => asked.share * videos[place]!.seconds;
  const clip = ({ least }: Contender): Budget => ({ kind: 'seconds', seconds: least });
  const allotted = videos.map((video, place): Budget | null => {
    const share = shareOf(place);
    if (video.isWished || share >= video.least) return asked;
    return share >= NEARLY_A_CLIP * video.least ? clip(video) : null;
  });
  if (allotted.filter((given) => given === null).length <= few)
    return allotted.map((given, place) => given ?? clip(videos[place]!));
  const costOf = ({ least }: Contender): number => least + tolerance / 2;
  const leaves = (video: Contender, place: number): number => {
    if (allotted[place] === asked) return tolerance;
    return shareOf(place) - (allotted[place] === null ? 0 : costOf(video));
  };
  let left = videos.reduce((sum, video, place) => sum + leaves(video, place), 0);
  for (const place of order) {
    const video = videos[place]!;
    if (allotted[place] !== null || costOf(video) > left + ROUNDING_S) continue;
    allotted[place] = clip(video);
    left -= costOf(video);
  }
  const [strongest] = order;
  const isNone = !allotted.some((given) => given !== null);
  if (isNone && strongest !== undefined) allotted[strongest] = clip(videos[strongest]!);
  return allotted;
}

/** Sums of shares are rounded; a clip that fits exactly must not be left out for that. */
const ROUNDING_S = 1e-6;

/** Lengths in one unit, `perSecond` of which make a second. */
type CommonLengths = { readonly lengths: readonly bigint[]; readonly perSecond: bigint };

/** The lengths of ranges on any clocks, in the coarsest unit that counts them all exactly. */
export function commonLengths(ranges: readonly TimeRange[]): CommonLengths {
  const perSecond = ranges.reduce((common, { base }) => leastCommon(common, BigInt(base.den)), 1n);
  return {
    perSecond,
    lengths: ranges.map(
      ({ start, end, base }) => BigInt(end - start) * BigInt(base.num) * (perSecond / BigInt(base.den)),
    ),
  };
}

function leastCommon(a: bigint, b: bigint): bigint {
  let [divisor, rest] = [a, b];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return (a / divisor) * b;
}

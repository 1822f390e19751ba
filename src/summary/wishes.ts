import { toSeconds, UsageError, formatClock } from '../base/index.js';
import {
  frameAt,
  isPastEnd,
  type FrameClock,
  type FrameRange,
  type Shot,
  timeMoment,
  type ListedMoment,
  isSameFile,
} from '../shots/index.js';

/** An order made by hand, for the shots of one video. */
type Sequence = {
  /** Shots by index, in the order its film plays them. */
  readonly sequence: readonly number[];
  /** Shots by index, with their places in the film of the topic. */
  readonly topicPlaces: ReadonlyMap<number, number>;
};

/** What the wishes of a run mean for one video. */
export type VideoWishes = Sequence & {
  /** Shots by index that count as already shown, and shots that must stay out. */
  readonly pinned: readonly number[];
  readonly vetoed: readonly number[];
  /** Frames that play exactly as asked for, wherever shots begin and end. */
  readonly exact: readonly FrameRange[];
  /** Pinned shots of which only frames in `exact` were asked for. */
  readonly partly: readonly number[];
  /** Frames that never play. */
  readonly barred: readonly FrameRange[];
};

/** A video without wishes. */
export const NO_WISHES: VideoWishes = {
  ...{ pinned: [], vetoed: [], exact: [], partly: [], barred: [] },
  ...{ sequence: [], topicPlaces: new Map() },
};

/**
 * Applies wishes to a video whose shots and frames are known. A range is exact: pinned frames play and vetoed frames do not,
 * wherever shots begin and end. For the solver, a shot counts as pinned or vetoed if at least half of its frames are; the
 * shot with the largest part of a pinned range always counts as pinned.
 */
export function applyWishes(
  { pin, veto }: { readonly pin: readonly Wish[]; readonly veto: readonly Wish[] },
  video: { readonly name: string; readonly shots: readonly Shot[] },
  clock: FrameClock,
): Omit<VideoWishes, keyof Sequence> {
  const wanted = pin.map((wish) => ({ wish, frames: framesOf(wish, video, clock) }));
  const unwanted = veto.map((wish) => ({ wish, frames: framesOf(wish, video, clock) }));
  for (const { wish, frames } of wanted) {
    const against = unwanted.find((other) => common(frames, other.frames) > 0);
    if (against) throw contradiction(wish, against.wish);
  }
  const exact = wanted.filter(({ wish }) => wish.kind === 'time').map(({ frames }) => frames);
  const barred = unwanted.map(({ frames }) => frames);
  const most = exact.flatMap((range) => largestPart(range, video.shots));
  const named = wanted.flatMap(({ wish }) => (wish.kind === 'shot' ? [wish.number - 1] : []));
  const isPinned = (shot: Shot): boolean =>
    named.includes(shot.index) || most.includes(shot.index) || isHalf(exact, shot);
  const pinned = video.shots.filter(isPinned);
  const vetoed = video.shots.filter((shot) => !pinned.includes(shot) && isHalf(barred, shot));
  if (vetoed.length === video.shots.length) {
    throw new UsageError(
      'all-vetoed',
      `Expected a shot of "${video.name}" that is not vetoed, found none: a summary is never empty. Leave the video out of the topic, or remove a veto.`,
    );
  }
  return {
    pinned: pinned.map(({ index }) => index),
    vetoed: vetoed.map(({ index }) => index),
    exact,
    partly: pinned.flatMap(({ index }) => (named.includes(index) ? [] : [index])),
    barred,
  };
}

/** Applies an order made by hand to one video; `topic` gives places in the film of the topic. */
export function applySequence(
  { sequence, topic }: { sequence: readonly Wish[]; topic: ReadonlyMap<Wish, number> },
  video: { readonly name: string; readonly shots: readonly Shot[] },
): Sequence {
  const indexOf = (wish: Wish): number => shotOf(wish, video).index;
  // A shot named twice plays where it was named first.
  const topicPlaces = new Map([...topic].toReversed().map(([wish, place]) => [indexOf(wish), place]));
  return { sequence: sequence.map(indexOf), topicPlaces };
}

function shotOf(
  wish: Wish & { number?: number },
  { name, shots }: { readonly name: string; readonly shots: readonly Shot[] },
): Shot {
  const shot = shots[(wish.number ?? 0) - 1];
  if (shot) return shot;
  throw new UsageError(
    'unknown-shot',
    `Expected a shot from 1 to ${shots.length} of "${name}" in "${wish.written}", found ${wish.number}. The report numbers them.`,
  );
}

function framesOf(
  wish: Wish,
  { name, shots }: { name: string; shots: readonly Shot[] },
  clock: FrameClock,
): FrameRange {
  if (wish.kind === 'shot') {
    const { startFrame, endFrame } = shotOf(wish, { name, shots });
    return { startFrame, endFrame };
  }
  const [startFrame, endFrame] = [frameAt(wish.from, clock), frameAt(wish.to, clock)];
  const frames = clock.frameTicks.length;
  if (startFrame >= frames || isPastEnd(wish.to, clock)) {
    throw outside(wish, name, toSeconds(clock.endTicks - (clock.frameTicks[0] ?? 0), clock.timeBase));
  }
  // A range shorter than a frame means the frame it falls on.
  return { startFrame, endFrame: Math.max(startFrame + 1, endFrame) };
}

/** Frames two ranges have in common. */
function common(a: FrameRange, b: FrameRange): number {
  return Math.max(0, Math.min(a.endFrame, b.endFrame) - Math.max(a.startFrame, b.startFrame));
}

/** The shot with the largest part of a range, the earlier of two; none if the range lies between shots. */
export function largestPart(range: FrameRange, shots: readonly Shot[]): number[] {
  let [best, most] = [-1, 0];
  for (const shot of shots) if (common(range, shot) > most) [best, most] = [shot.index, common(range, shot)];
  return best < 0 ? [] : [best];
}

/** Whether ranges cover at least half of a shot; frames in two of them count once. */
function isHalf(ranges: readonly FrameRange[], shot: Shot): boolean {
  let [covered, reached] = [0, shot.startFrame];
  for (const range of ranges.toSorted((a, b) => a.startFrame - b.startFrame)) {
    covered += common(range, { startFrame: reached, endFrame: shot.endFrame });
    reached = Math.max(reached, Math.min(range.endFrame, shot.endFrame));
  }
  return covered > 0 && 2 * covered >= shot.endFrame - shot.startFrame;
}

type Moment = Extract<ListedMoment, { kind: 'time' }>;

/** A wish about one video: a shot by its number, counted from 1 as the report does, or a stretch of time. */
export type Wish = { readonly written: string; readonly file: string } & (
  | { readonly kind: 'shot'; readonly number: number }
  | { readonly kind: 'time'; readonly from: Moment; readonly to: Moment }
);

/** How a wish is written, for help and errors. */
export const WISH_FORM = 'FILE@FROM-TO, such as "paris.mp4@0:03-0:06.5", or FILE#SHOT, such as "paris.mp4#4"';

/** Parses a wish; `null` if it is none. A file name may contain "@" and "#": the last one counts. */
export function parseWish(written: string): Wish | null {
  const shot = /^(.+)#(\d+)$/s.exec(written);
  if (shot) {
    const number = Number(shot[2]);
    return Number.isSafeInteger(number) && number > 0 ? { kind: 'shot', written, file: shot[1]!, number } : null;
  }
  const time = /^(.+)@([\d:.]+)-([\d:.]+)$/s.exec(written);
  const [from, to] = [timeMoment(time?.[2] ?? ''), timeMoment(time?.[3] ?? '')];
  if (!time || !from || !to || !isBefore(from, to)) return null;
  return { kind: 'time', written, file: time[1]!, from, to };
}

/** Why a text is not a wish, if its form is right but its times are not; empty otherwise. */
export function flawOf(written: string): string {
  const time = /^.+@([\d:.]+)-([\d:.]+)$/s.exec(written);
  if (!time || parseWish(written) !== null) return '';
  const wrong = time.slice(1).find((each) => !timeMoment(each));
  return wrong === undefined ? ', whose end is not after its start' : `, in which "${wrong}" is not a time`;
}

/** Whether one moment is before another, exactly, with any number of decimals. */
function isBefore(a: Moment, b: Moment): boolean {
  return a.digits * 10n ** BigInt(b.places) < b.digits * 10n ** BigInt(a.places);
}

/** Wishes of a run by kind, named like the options they are given by. */
export type Wishes<T> = { readonly [K in 'pin' | 'veto' | 'sequence' | 'topicSequence']: readonly T[] };

/** A wish, and the name of the video it is about. */
export type Placed = { readonly wish: Wish; readonly video: string };

/**
 * Finds the video that each wish is about, before anything is decoded. Throws for a name that fits no video or several, and
 * for a wish that contradicts another as written.
 */
export function resolveWishes(
  options: { readonly [K in keyof Wishes<string>]?: readonly string[] | undefined },
  videos: readonly string[],
): Wishes<Placed> {
  const place = (name: keyof Wishes<string>): Placed[] =>
    (options[name] ?? []).map((written) => {
      const wish = parseWish(written);
      const option = name === 'topicSequence' ? 'topic-sequence' : name;
      if (wish === null)
        throw new UsageError(
          'bad-wish',
          `Expected ${WISH_FORM} for --${option}, found "${written}"${flawOf(written)}.`,
        );
      return { wish, video: videoOf(wish, option, videos) };
    });
  const [pin, veto] = [place('pin'), place('veto')];
  for (const wanted of pin) {
    const against = veto.find(({ wish, video }) => video === wanted.video && meet(wish, wanted.wish));
    if (against) throw contradiction(wanted.wish, against.wish);
  }
  return { pin, veto, sequence: place('sequence'), topicSequence: place('topicSequence') };
}

function videoOf(wish: Wish, option: string, videos: readonly string[]): string {
  const exact = videos.filter((video) => video === wish.file);
  const found = exact.length > 0 ? exact : videos.filter((video) => isSameFile(wish.file, video));
  if (found.length === 1) return found[0]!;
  const known = videos.slice(0, 5).join(', ') + (videos.length > 5 ? ` and ${videos.length - 5} more` : '');
  throw found.length === 0
    ? new UsageError(
        'unknown-video',
        `Expected a video of the topic in --${option} "${wish.written}", found none of that name. The topic has ${known}.`,
      )
    : new UsageError(
        'unclear-video',
        `Expected one video in --${option} "${wish.written}", found ${found.length}: ${found.join(', ')}. Give its path inside the topic.`,
      );
}

/** Whether two wishes about one video overlap, as far as can be told from what is written. */
function meet(a: Wish, b: Wish): boolean {
  if (a.kind === 'shot' || b.kind === 'shot') return a.kind === 'shot' && b.kind === 'shot' && a.number === b.number;
  return isBefore(a.from, b.to) && isBefore(b.from, a.to);
}

/** Files may last a little longer than their headers say; a time farther out is a mistake. */
const TRUSTED_SHARE = 1.1;
const TRUSTED_SECONDS = 1;

/** Throws for a range far past the end that a video's header states (`lengths`, in seconds), before the video is read. */
export function checkRanges(
  { pin, veto }: { readonly pin: readonly Placed[]; readonly veto: readonly Placed[] },
  lengths: ReadonlyMap<string, number | null>,
): void {
  for (const { wish, video } of [...pin, ...veto]) {
    const stated = lengths.get(video) ?? null;
    if (wish.kind !== 'time' || stated === null) continue;
    const end = Number(wish.to.digits) / 10 ** wish.to.places;
    if (end > TRUSTED_SHARE * stated + TRUSTED_SECONDS) throw outside(wish, video, stated);
  }
}

/** The error for a pin and a veto of the same pictures. */
function contradiction(pin: Wish, veto: Wish): UsageError {
  return new UsageError(
    'contradicting-wishes',
    `Expected wishes that do not contradict each other, found --pin "${pin.written}" and --veto "${veto.written}" for the same pictures. Remove one of them.`,
  );
}

/** The error for a range that reaches past the end of its video. */
function outside(wish: Wish, name: string, seconds: number): UsageError {
  return new UsageError(
    'outside-video',
    `Expected a range inside "${name}", which lasts ${formatClock(seconds)}, found "${wish.written}". Correct the times; they count from its first picture.`,
  );
}

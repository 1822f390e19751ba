import { UsageError } from '../base/index.js';
import { isSameFile } from '../shots/index.js';
import { flawOf, isBefore, parseWish, WISH_FORM, type Wish } from './parse.js';
import { contradiction, outside } from './refuse.js';

/** Wishes of a run by kind, named like the options they are given by. */
export type Wishes<T> = { readonly [K in 'pin' | 'veto' | 'sequence' | 'topicSequence']: readonly T[] };

/** A wish, and the name of the video it is about. */
export type Placed = { readonly wish: Wish; readonly video: string };

/**
 * Finds the video that each wish is about, before anything is decoded. Throws for a name that fits no video or several, and
 * for a wish that contradicts another as written.
 */
export function placeWishes(
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

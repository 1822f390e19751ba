import type { Budget } from './types.js';

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

/**
 * The length of each video's film where a share of the topic is asked for; `null` for none. With s the share, T_v the length
 * of a video and m_v that of a readable clip of it:
 *   s T_v ≥ m_v            what was asked for
 *   s T_v ≥ ¾ m_v          one readable clip, m_v
 *   less                   m_v if it fits into what the others leave of s Σ T_v, strongest first
 * So many short videos together are no longer than asked for. A clip ends at a pause, up to `tolerance` late, so half of that
 * is counted with it. A film of the length asked for may be off by as much, which counts as left: a few short videos among
 * long ones have their clips. Videos with wishes have what was asked for, and the strongest
 * has a film if no other has. `order` are the videos as places, strongest first.
 */
export function allotLengths(
  videos: readonly Contender[],
  order: readonly number[],
  asked: Extract<Budget, { kind: 'share' }>,
  tolerance = 0,
): (Budget | null)[] {
  const shareOf = (place: number): number => asked.share * videos[place]!.seconds;
  const clip = ({ least }: Contender): Budget => ({ kind: 'seconds', seconds: least });
  const allotted = videos.map((video, place): Budget | null => {
    const share = shareOf(place);
    if (video.isWished || share >= video.least) return asked;
    return share >= NEARLY_A_CLIP * video.least ? clip(video) : null;
  });
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

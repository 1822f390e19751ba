import type { SummaryShot } from '../../summary/index.js';

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

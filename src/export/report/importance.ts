/** What a shot does for its own video and for the others, as computed: `score² = own² + shared²`. */
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
 * The score that others of a video are measured against: the largest, pinned shots aside. They carry no penalty, so their
 * numbers say nothing about the others.
 */
export function strongestOf(
  shots: readonly { readonly score: number; readonly pinned?: boolean | undefined }[],
): number {
  const free = shots.filter(({ pinned }) => pinned !== true);
  return (free.length > 0 ? free : shots).reduce((most, { score }) => Math.max(most, score), 0);
}

/** A score against the strongest of its video, in [0, 1]; all zeros stay zero. */
export function relativeScore(score: number, strongest: number): number {
  return strongest > 0 && score > 0 ? Math.min(1, score / strongest) : 0;
}

/** `count` whole numbers of `[0, total)` spread evenly, ascending; all of them when there are no more than that. */
export function spreadEvenly(total: number, count: number): number[] {
  const kept = Math.max(0, Math.min(total, count));
  return Array.from({ length: kept }, (_, i) => Math.floor(((i + 0.5) * total) / kept));
}

/** How far a summary and a reference share their frames. */
export type Overlap = {
  /** Share of the summary's frames that are in the reference. */
  readonly precision: number;
  /** Share of the reference's frames that are in the summary. */
  readonly recall: number;
  /** Harmonic mean of both; 0 if nothing is shared. */
  readonly f1: number;
};

/**
 * The overlap of two sets of shots in frames; `lengthOf` gives the frames of a shot. An empty summary has 0 everywhere;
 * for an empty reference the result is `null`.
 */
export function overlapOf(
  chosen: ReadonlySet<number>,
  reference: ReadonlySet<number>,
  lengthOf: (shot: number) => number,
): Overlap | null {
  let [own, theirs, both] = [0, 0, 0];
  for (const shot of chosen) {
    own += lengthOf(shot);
    if (reference.has(shot)) both += lengthOf(shot);
  }
  for (const shot of reference) theirs += lengthOf(shot);
  if (theirs === 0) return null;
  return { precision: own === 0 ? 0 : both / own, recall: both / theirs, f1: (2 * both) / (own + theirs) };
}

/** Whole frames in a share of a video, rounded down; 0.29 of 100 frames is 29 although 0.29 · 100 < 29 in floats. */
export function framesInShare(frameCount: number, share: number): number {
  return Math.floor(frameCount * share + 1e-6);
}

/** Goes down an order and takes every shot that still fits. */
export function walkToBudget(
  order: readonly number[],
  lengths: ArrayLike<number>,
  budgetFrames: number,
): ReadonlySet<number> {
  const chosen = new Set<number>();
  let left = budgetFrames;
  for (const shot of order) {
    if (lengths[shot]! > left) continue;
    chosen.add(shot);
    left -= lengths[shot]!;
  }
  return chosen;
}

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

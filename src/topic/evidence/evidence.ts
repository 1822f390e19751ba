import { meanOfRows, NumericError, type TallMatrix, dot, rowBlocks, rowOf } from '../../base/index.js';
import type { Background } from './background.js';
import { distinct } from './distinct.js';
import { referencesOf, standardise } from './standardise.js';
import { shareAmongAlike, smoothInTime } from './smooth.js';

/** What evidence is made of. */
export const EVIDENCE_TERMS = ['likeness', 'distinct', 'strength', 'activity'] as const;
/** One of `EVIDENCE_TERMS`. */
export type EvidenceTerm = (typeof EVIDENCE_TERMS)[number];

/** What is known of one video. */
type Looks = {
  /** One row per shot, of length one (or zero): the vectors by which shots are compared. */
  readonly features: TallMatrix;
  /** The middle of each shot in seconds, ascending. */
  readonly seconds: ArrayLike<number>;
  /** How much there is to see in each shot: the mean length of its pictures' raw vectors, which normalising would throw away. */
  readonly strength: Float64Array;
  /** How much happens in each shot; `null` if that is unknown. */
  readonly activity: Float64Array | null;
  /** The mean of the other videos' mean vectors; `null` without other videos. */
  readonly others: Float64Array | null;
};

/** How the terms become evidence. */
export type EvidenceKnobs = {
  /** σ of smoothing in time, in seconds. */
  readonly smoothSeconds: number;
  /** Look-alike shots share their evidence. */
  readonly shareAlike: boolean;
  /** The terms to use, where they can be computed. */
  readonly terms: readonly EvidenceTerm[];
  /** The weight of `likeness`, −1 to 1; the other terms have 1. Below 0 what the topic shares counts against a shot. */
  readonly likenessWeight: number;
};

const DEFAULTS: EvidenceKnobs = { smoothSeconds: 3, shareAlike: true, terms: EVIDENCE_TERMS, likenessWeight: 1 };

/** The evidence for each shot, in standard deviations within its video. */
export type Evidence = {
  readonly total: Float64Array;
  /** The terms that could be computed, before they were smoothed and added. */
  readonly terms: Readonly<Partial<Record<EvidenceTerm, Float64Array>>>;
};

/**
 * e = standardised( shared among look-alikes( smoothed in time( Σ weight · standardised term ) ) )
 * Without a background or without other videos there is no `likeness`; for stills there is no `activity`. Each term is computed
 * when it first counts, and kept: other knobs cost little.
 */
export function openEvidence(
  { features: X, seconds, strength, activity, others }: Looks,
  background: Background | null,
): (knobs?: Partial<EvidenceKnobs>) => Evidence {
  if (background !== null && background.dim !== X.cols) {
    throw new NumericError(
      'dim-mismatch',
      `Expected a background of vectors of length ${X.cols}, found ${background.dim}. Use the background of the same network.`,
    );
  }
  if (X.rows === 0) return () => ({ total: new Float64Array(0), terms: {} });
  const references = referencesOf(X);
  const makers: Readonly<Record<EvidenceTerm, () => Float64Array | null>> = {
    likeness: () => (background !== null && others !== null ? likeness(X, others, background) : null),
    distinct: () => distinct(X, references),
    strength: () => strength,
    activity: () => activity,
  };
  const made = new Map<EvidenceTerm, Float64Array | null>();
  const termOf = (name: EvidenceTerm): Float64Array | null => {
    if (!made.has(name)) {
      const raw = makers[name]();
      made.set(name, raw && standardise(raw));
    }
    return made.get(name)!;
  };
  return (knobs = {}) => {
    const { smoothSeconds, shareAlike, terms: wanted, likenessWeight } = { ...DEFAULTS, ...knobs };
    const terms: Partial<Record<EvidenceTerm, Float64Array>> = {};
    const sum = new Float64Array(X.rows);
    for (const name of EVIDENCE_TERMS) {
      const weight = name === 'likeness' ? likenessWeight : 1;
      const term = wanted.includes(name) && weight !== 0 ? termOf(name) : null;
      if (term === null) continue;
      terms[name] = term;
      term.forEach((value, i) => (sum[i]! += weight * value));
    }
    const smooth = smoothInTime(sum, seconds, smoothSeconds);
    const mean = background?.mean ?? meanOfRows(X);
    return { total: standardise(shareAlike ? shareAmongAlike(smooth, X, references, mean) : smooth), terms };
  };
}

/**
 * Like the other videos, and unlike unrelated footage (Fisher's direction between the two):
 *   l_i = (x_i − μ)ᵀ (C + λI)⁻¹ (m − μ)
 * m: the mean over the other videos of their mean vectors, so the cost does not grow with the topic.
 */
export function likeness(X: TallMatrix, others: Float64Array, { mean, whiten }: Background): Float64Array {
  const direction = whiten(others.map((value, k) => value - mean[k]!));
  const atMean = dot(mean, direction);
  const values = new Float64Array(X.rows);
  for (const { first, block } of rowBlocks(X)) {
    for (let i = 0; i < block.rows; i++) values[first + i] = dot(rowOf(block, i), direction) - atMean;
  }
  return values;
}

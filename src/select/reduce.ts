import { hasUnitRows, inMemory, NumericError, outerGram, semidefiniteFactor, type TallMatrix } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import type { Balance } from './penalty.js';
import { loaded } from './pinned.js';
import { reduceToFeatures } from './reduce-to-features.js';
import { reduceToShots } from './reduce-to-shots.js';
import type { Reduced, Rows } from './reduced.js';
import type { CvsKnobs } from './types.js';

/**
 * Reduces the problem to the cheaper form, or to the one asked for. What does not depend on the balance is done once, so
 * that a caller can try many; `isPlain` promises that none discounts features whose similarity is no inner product.
 */
export function reduce(problem: Problem<TallMatrix>, knobs: CvsKnobs, isPlain: boolean): (balance: Balance) => Reduced {
  const { features } = problem;
  const rows = rowsOf(problem);
  const blocked = whyNotFeatures(problem, knobs, isPlain);
  const asked = knobs.form === 'features' || (knobs.rank !== null && knobs.form === 'auto');
  if (asked && blocked !== null) throw new NumericError('needs-shots-form', blocked);
  if (asked) return reduceToFeatures(problem, rows, knobs);
  if (knobs.form === 'shots' || blocked !== null) return reduceToShots(loaded(problem), rows, knobs);
  if (features.rows > features.cols) return reduceToFeatures(problem, rows, knobs);
  const G = outerGram(inMemory(features));
  // The rank only decides which form is cheaper, so a rough tolerance is enough.
  return features.rows > PROBE_FROM && 2 * semidefiniteFactor(G, 1e-12).cols < features.rows
    ? reduceToFeatures(problem, rows, knobs)
    : reduceToShots(loaded(problem), rows, knobs, G);
}

function rowsOf({ features, pinned = [], vetoed = [] }: Problem<TallMatrix>): Rows {
  const out = new Set([...pinned, ...vetoed]);
  return { pinned, candidates: Array.from({ length: features.rows }, (_, i) => i).filter((i) => !out.has(i)) };
}

/** For videos of fewer shots, it does not pay to look for a rank far below their number. */
const PROBE_FROM = 64;

/** The r × r form needs B and B̃ to be inner products of features: with D a multiple of G, or without D. */
function whyNotFeatures({ features, context }: Problem<TallMatrix>, knobs: CvsKnobs, isPlain: boolean): string | null {
  if (knobs.diversity === 0 || knobs.similarity === 'inner') return null;
  const isUnit = (context === null || context.unitRows) && hasUnitRows(features);
  if (knobs.similarity === 'cosine' && isUnit && isPlain) return null;
  return (
    `Similarity "${knobs.similarity}" on these features needs the n × n form. ` +
    'Use form "auto" without a rank, similarity "inner", or features of unit length with "cosine".'
  );
}

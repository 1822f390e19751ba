import { NumericError, requireFinite, rowBlocks, type TallMatrix } from '../base/index.js';
import type { Moment } from './types.js';

/** Eighth powers of sizes up to here, summed over many shots, and their inverses are still numbers: solvers take those. */
const LARGEST = 1e30;

/** Throws unless the features are finite and of a size that can be reckoned with, or nothing at all. */
export function requireUsable(features: TallMatrix, what: string): void {
  requireFinite(features, what);
  let largest = 0;
  for (const { block } of rowBlocks(features)) {
    largest = block.data.reduce((most, value) => Math.max(most, Math.abs(value)), largest);
  }
  if (largest === 0 || (largest <= LARGEST && largest >= 1 / LARGEST)) return;
  throw new NumericError(
    'bad-scale',
    `Expected numbers of sizes between ${1 / LARGEST} and ${LARGEST} in ${what}, found ${largest} as the largest. Scale them all by the same number.`,
  );
}

/** Entries of a second moment up to here are sums of 10¹⁰ products of the largest features. */
const LARGEST_ENTRY = 1e10 * LARGEST ** 2;
/** By how much, of the largest entry, roundings may push a moment past what sums of w·x·xᵀ can be: videos taken out leave theirs. */
const ROUNDINGS = 1e-6;

/** Throws unless the context could be a second moment: finite, none of its counts or squares below zero. One look at each entry. */
export function requireContext(context: Moment): void {
  const flaw = flawOf(context);
  if (flaw === null) return;
  throw new NumericError('bad-context', `Expected a topic context that was built from shots, found ${flaw}. Build it again.`); // prettier-ignore
}

/** What no second moment could have: counts that are none, entries that are no numbers or past every size, S_ii < 0. */
function flawOf({ dim, videoCount, shotCount, matrix: { data } }: Moment): string | null {
  if (![videoCount, shotCount].every((count) => count >= 0 && Number.isSafeInteger(count)))
    return 'counts that are none';
  if (data.length !== dim * dim) return 'a matrix of another size';
  let largest = 0;
  for (const value of data) {
    // Written as a negation so that NaN fails too.
    if (!(Math.abs(value) <= LARGEST_ENTRY)) return `an entry of ${value}`;
    largest = Math.max(largest, Math.abs(value));
  }
  const floor = -ROUNDINGS * largest;
  for (let i = 0; i < dim; i++) if (data[i * dim + i]! < floor) return `${data[i * dim + i]!} on its diagonal`;
  return null;
}

/** The same, and |S_ij| > √(S_ii·S_jj). */
export function deepFlawOf(moment: Moment): string | null {
  const { dim, matrix: { data } } = moment; // prettier-ignore
  const flaw = flawOf(moment);
  if (flaw !== null) return flaw;
  const roots = Float64Array.from({ length: dim }, (_, i) => Math.sqrt(Math.max(0, data[i * dim + i]!)));
  const slack = ROUNDINGS * roots.reduce((most, root) => Math.max(most, root), 0) ** 2;
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j < i; j++) {
      const value = data[i * dim + j]!;
      if (Math.abs(value) > roots[i]! * roots[j]! + slack) return `${value} between two of its features`;
    }
  }
  return null;
}

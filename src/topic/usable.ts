import { type Matrix, NumericError, requireFinite } from '../base/index.js';

/** Fourth powers of sizes up to here, and their inverses, are still numbers: solvers square what is squared already. */
const LARGEST = 1e75;

/** Throws unless the features are finite and of a size that can be reckoned with, or nothing at all. */
export function requireUsable(features: Matrix, what: string): void {
  requireFinite(features, what);
  const largest = features.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0 || (largest <= LARGEST && largest >= 1 / LARGEST)) return;
  throw new NumericError(
    'bad-scale',
    `Expected numbers of sizes between ${1 / LARGEST} and ${LARGEST} in ${what}, found ${largest} as the largest. Scale them all by the same number.`,
  );
}

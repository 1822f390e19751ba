/** More differences than this are not enumerated: 2²⁴ sign patterns take a tenth of a second. */
const MOST = 24;

/** Sums that differ by less than this share of the sum of all sizes are equal: they differ only by rounding. */
const ROUNDING = 1e-12;

/**
 * The exact two-sided test of differences against a distribution symmetric around zero: the share of all 2ⁿ patterns of
 * signs whose sum is at least as far from zero as the one seen. It is never below 2¹⁻ⁿ. `null` for fewer than two
 * differences, and for more than 24.
 */
export function signFlipP(differences: readonly number[]): number | null {
  const count = differences.length;
  if (count < 2 || count > MOST) return null;
  const total = differences.reduce((sum, value) => sum + value, 0);
  const slack = ROUNDING * differences.reduce((sum, value) => sum + Math.abs(value), 0);
  const bound = Math.abs(total) - slack;
  const signs = new Int8Array(count).fill(1);
  let [sum, extreme] = [total, 0];
  // Gray code: each pattern differs from the one before by one sign, so that a sum costs one step.
  for (let pattern = 1; ; pattern++) {
    if (Math.abs(sum) >= bound) extreme++;
    if (pattern === 2 ** count) break;
    const at = 31 - Math.clz32(pattern & -pattern);
    signs[at]! *= -1;
    sum += 2 * signs[at]! * differences[at]!;
  }
  return extreme / 2 ** count;
}

/**
 * Holm's correction of several p-values: the smallest times their number, the next times one less, and so on, never below
 * the one before and never above 1. `null`s are comparisons that were not made; they do not count.
 */
export function holm(ps: readonly (number | null)[]): (number | null)[] {
  const made = ps.flatMap((p, at) => (p === null ? [] : [{ p, at }])).sort((one, other) => one.p - other.p);
  const corrected: (number | null)[] = ps.map(() => null);
  let least = 0;
  made.forEach(({ p, at }, rank) => (corrected[at] = least = Math.min(1, Math.max(least, p * (made.length - rank)))));
  return corrected;
}

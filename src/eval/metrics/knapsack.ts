import { NumericError } from '../../base/index.js';

/** The most cells of the table of choices: 128 MB at one bit each. */
const MOST_CELLS = 2 ** 30;

/**
 * The shots of largest total value whose lengths fit the budget, exactly (0/1 knapsack over whole frames). Values are not
 * rounded or weighted by length. Shots worth nothing stay out; of equally good choices the one with the earlier shots wins.
 *
 *   best_i(c) = max(best_i₊₁(c), value_i + best_i₊₁(c − length_i))
 */
export function knapsack(
  values: ArrayLike<number>,
  lengths: ArrayLike<number>,
  budgetFrames: number,
): ReadonlySet<number> {
  const count = values.length;
  const capacity = Math.min(budgetFrames, sumOf(lengths));
  const stride = capacity + 1;
  if (count * stride > MOST_CELLS)
    throw new NumericError(
      'knapsack-too-large',
      `Expected at most ${MOST_CELLS} shots times budgeted frames, found ${count} × ${stride}. Take longer shots or a smaller budget.`,
    );
  const best = new Float64Array(stride);
  const taken = new Uint8Array((count * stride + 7) >> 3);
  for (let i = count - 1; i >= 0; i--) {
    const [value, length] = [values[i]!, lengths[i]!];
    if (!(value > 0)) continue;
    for (let c = capacity; c >= length; c--) {
      const withShot = value + best[c - length]!;
      if (withShot < best[c]!) continue;
      best[c] = withShot;
      const cell = i * stride + c;
      taken[cell >> 3]! |= 1 << (cell & 7);
    }
  }
  const chosen = new Set<number>();
  for (let i = 0, left = capacity; i < count; i++) {
    const cell = i * stride + left;
    if (!(taken[cell >> 3]! & (1 << (cell & 7)))) continue;
    chosen.add(i);
    left -= lengths[i]!;
  }
  return chosen;
}

function sumOf(lengths: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < lengths.length; i++) sum += lengths[i]!;
  return sum;
}

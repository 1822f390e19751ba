/**
 * For each place the q-quantile of the values at most `reach` places away (fewer at the ends), q in [0, 1]: the
 * ⌈q · count⌉-th smallest. A sorted window slides along: O(values · reach) byte moves, no sorting.
 */
export function localQuantile(values: Uint16Array, reach: number, q: number): Uint16Array {
  const result = new Uint16Array(values.length);
  const window = new Uint16Array(2 * reach + 2);
  let count = 0;
  const insert = (value: number): void => {
    const at = firstNotBelow(window, count, value);
    window.copyWithin(at + 1, at, count++);
    window[at] = value;
  };
  for (let i = 0; i < Math.min(reach, values.length); i++) insert(values[i] as number);
  for (let i = 0; i < values.length; i++) {
    if (i + reach < values.length) insert(values[i + reach] as number);
    if (i - reach - 1 >= 0) {
      const at = firstNotBelow(window, count, values[i - reach - 1] as number);
      window.copyWithin(at, at + 1, count--);
    }
    result[i] = window[Math.max(0, Math.ceil(q * count) - 1)] as number;
  }
  return result;
}

function firstNotBelow(sorted: Uint16Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

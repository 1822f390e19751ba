import type { TimeRange } from '../base/index.js';

/** Lengths in one unit, `perSecond` of which make a second. */
type CommonLengths = { readonly lengths: readonly bigint[]; readonly perSecond: bigint };

/** The lengths of ranges on any clocks, in the coarsest unit that counts them all exactly. */
export function commonLengths(ranges: readonly TimeRange[]): CommonLengths {
  const perSecond = ranges.reduce((common, { base }) => leastCommon(common, BigInt(base.den)), 1n);
  return {
    perSecond,
    lengths: ranges.map(
      ({ start, end, base }) => BigInt(end - start) * BigInt(base.num) * (perSecond / BigInt(base.den)),
    ),
  };
}

function leastCommon(a: bigint, b: bigint): bigint {
  let [divisor, rest] = [a, b];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return (a / divisor) * b;
}

/** A seeded stream of random numbers: the same seed gives the same numbers on every machine. */
export type Random = {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform whole number in [0, limit). */
  below(limit: number): number;
  /** Standard normal. */
  normal(): number;
};

/** sfc32 (Doty-Humphrey's small fast counter, 128-bit state), seeded by mixing one whole number. */
export function random(seed: number): Random {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, seed >>> 0, 1];
  const step = (): number => {
    const sum = (((a + b) >>> 0) + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = (b ^ (b >>> 9)) >>> 0;
    b = (c + (c << 3)) >>> 0;
    c = (((c << 21) | (c >>> 11)) + sum) >>> 0;
    return sum;
  };
  // Early outputs still show the seed's low entropy; the reference implementation discards them too.
  for (let i = 0; i < 15; i++) step();
  const next = (): number => (step() * 2 ** 21 + (step() >>> 11)) / 2 ** 53;
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    // Box-Muller; 1 - u keeps the logarithm away from zero.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}

import { type Matrix, random, zeros } from '../base/index.js';

/** Shots in clumps far apart, of the sizes given, mixed over the film; and the clump each shot is of. */
export function clumps(seed: number, sizes: readonly number[], dim: number): { features: Matrix; clumpOf: number[] } {
  const { normal, next } = random(seed);
  const clumpOf = sizes
    .flatMap((size, clump) => Array.from({ length: size }, () => ({ clump, key: next() })))
    .sort((one, other) => one.key - other.key)
    .map(({ clump }) => clump);
  const centres = sizes.map(() => Float64Array.from({ length: dim }, () => 10 * normal()));
  const features = zeros(clumpOf.length, dim);
  clumpOf.forEach((clump, shot) =>
    features.data.set(
      centres[clump]!.map((value) => value + 0.3 * normal()),
      shot * dim,
    ),
  );
  return { features, clumpOf };
}

import { NumericError, type TallMatrix } from '../base/index.js';
import type { Problem } from './types.js';

/** The problem with pinned and vetoed shots, by their index; throws if a shot is both, or does not exist. */
export function withWishes<M extends TallMatrix>(
  problem: Problem<M>,
  pinned: readonly number[],
  vetoed: readonly number[],
): Problem<M> {
  const shots = problem.features.rows;
  const [first, last] = [new Set(pinned), new Set(vetoed)];
  for (const shot of [...first, ...last]) {
    if (Number.isInteger(shot) && shot >= 0 && shot < shots) continue;
    throw new NumericError('bad-wish', `Expected wishes about shots 0 to ${shots - 1}, found ${shot}.`);
  }
  const both = [...first].find((shot) => last.has(shot));
  if (both !== undefined)
    throw new NumericError('bad-wish', `Expected a shot to be pinned or vetoed, found shot ${both} to be both.`);
  const { pinned: _, vetoed: __, ...plain } = problem;
  const sorted = (given: Set<number>): number[] => [...given].sort((a, b) => a - b);
  return {
    ...plain,
    ...(first.size > 0 ? { pinned: sorted(first) } : {}),
    ...(last.size > 0 ? { vetoed: sorted(last) } : {}),
  };
}

import { inMemory, type TallMatrix } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import type { Ranking, Selector } from './types.js';

/** The problem with all shots in memory, for what compares every shot with every other. */
export function loaded({ neighbors, ...problem }: Problem<TallMatrix>): Problem {
  return {
    ...problem,
    features: inMemory(problem.features),
    ...(neighbors ? { neighbors: neighbors.map((one) => ({ ...one, features: inMemory(one.features) })) } : {}),
  };
}

/** The selector for shots that need not be in memory: they are loaded first. */
export function loading({ name, select }: Selector): Selector<Ranking, TallMatrix> {
  return { name, select: (problem, onIteration) => select(loaded(problem), onIteration) };
}

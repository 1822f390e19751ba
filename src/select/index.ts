/**
 * select: which shots matter. Small matrices in, a ranking with a certificate out; it knows neither videos nor time.
 *
 * - A ranking covers all shots: `scores` = √(own² + shared²), `order` best first (zeros by how near they came to a score),
 *   `places` in which ties within 1e-9 of the largest score are equal.
 * - The bytes do not depend on the number of workers: one thread solves a problem from its own numbers.
 * - Pinned shots come first and vetoed ones last in every method; in cvs both are part of the problem.
 * - A certificate states residual and gap, and `converged: false` if the tolerance was not reached.
 * - cvs and `explain` read shots by blocks; `createSelector` loads them for methods that compare shot with shot. `explain`
 *   needs the knobs and evidence of the ranking.
 * - A new method passes the suite of all (`selector.case.ts`).
 */
export { kmeans, spectral } from './baselines/clusters.js';
export { cocluster } from './baselines/cocluster.js';
export { cosum, cosumDefaults, type CosumKnobs } from './baselines/cosum.js';
export { balanceOf } from './penalty.js';
export { cvs, cvsAcross, cvsAlone, cvsDefaults, isCvsRanking } from './cvs.js';
export { explain, explainInParts, type Part } from './explain.js';
export { livelight, livelightDefaults, type LivelightKnobs } from './baselines/livelight.js';
export { smrs, smrsDefaults, type SmrsKnobs } from './baselines/smrs.js';
export { solveAll, openSolvers, type Solve } from './solvers.js';
export {
  createSelector,
  knobsOf,
  METHOD_NAMES,
  methods,
  pooledChoice,
  type Method,
  type MethodChoice,
  type MethodName,
} from './methods.js';
export { random, uniform } from './ranking.js';
export type { CvsKnobs, CvsRanking, Ranking, Selector, Step, Support } from './types.js';

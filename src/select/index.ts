/** select: which shots matter. Small matrices in, a ranking with proof out; it knows neither videos nor time. */
export type { ClusterKnobs } from './clusters.js';
export { cocluster } from './cocluster.js';
export { cosum, cosumDefaults, type CosumKnobs } from './cosum.js';
export { balanceOf } from './balance.js';
export { cvs, cvsAcross, cvsAlone, cvsDefaults, isCvsRanking } from './cvs.js';
export { explain, explainInParts, type Part, type Source } from './explain.js';
export { kmeans } from './kmeans.js';
export { livelight, livelightDefaults, type LivelightKnobs } from './livelight.js';
export { smrs, smrsDefaults, type SmrsKnobs } from './smrs.js';
export { solveAll, type Solve } from './solve-all.js';
export { openSolvers, type Solvers } from './solvers.js';
export {
  createSelector,
  knobsOf,
  METHOD_NAMES,
  methods,
  type Method,
  type MethodChoice,
  type MethodName,
} from './methods.js';
export { pooledChoice } from './pooled.js';
export { random } from './random.js';
export { spectral } from './spectral.js';
export type { Certificate, CvsCertificate, CvsKnobs, CvsRanking, Ranking, Selector, Step, Support } from './types.js';
export { uniform } from './uniform.js';

/** select: which shots matter. Small matrices in, a ranking with proof out; it knows neither videos nor time. */
export { cvs, cvsDefaults } from './cvs.js';
export { explain, type Source, type Support } from './explain.js';
export { solveAll } from './solve-all.js';
export type { Certificate, CvsKnobs, Ranking, Selector, Step } from './types.js';

/** One pass over a video: where its shots are, a vector and a picture for each, and the record in which they are kept. */
export { analyse, ANALYSIS_VERSION, type AnalysisTools, type Hooks, type ShotFinder } from './analyse.js';
export { clockOf, readAnalysis, readOutline, type Analysis, type Kept, type Outline, type Scratch } from './record.js';
export { SIGNAL_SIZE } from './samples.js';

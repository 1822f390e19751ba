/** analyse: one pass over a video finds its shots, with a vector and a picture for each, and records them. */
export { analyse, ANALYSIS_VERSION, type AnalysisTools, type Hooks, type ShotFinder } from './analyse.js';
export { clockOf, readAnalysis, readOutline, type Analysis, type Kept, type Outline, type Scratch } from './record.js';
export { SIGNAL_SIZE } from './samples.js';

/** base: what all other rooms build on. Time, numbers, errors, events; it knows nothing about video. */
export { bytesOf, filledFrom } from './bytes.js';
export { compareTexts } from './compare-texts.js';
export { inOrder, mapLimited } from './concurrency.js';
export { type Eigenpairs, leadingEigenvectors } from './eigen.js';
export {
  asExhausted,
  CancelledError,
  diskFullSentence,
  MediaError,
  messageOf,
  NumericError,
  StoreError,
  ThroughlineError,
  UsageError,
  whyUnreadable,
} from './errors.js';
export type { Listener, RunEvent, Stage } from './events.js';
export {
  addLowerProduct,
  cholesky,
  innerGram,
  mirrorLower,
  multiply,
  outerGram,
  semidefiniteFactor,
  solveCholesky,
  solveLower,
} from './linalg.js';
export {
  columnSquares,
  dot,
  identity,
  innerProduct,
  type Matrix,
  matrixOf,
  rowOf,
  scaled,
  sharedZeros,
  squaredDistance,
  stackRows,
  takeColumns,
  trace,
  transpose,
  zeros,
} from './matrix.js';
export {
  derive,
  hasUnitRows,
  HELD_ROWS,
  inMemory,
  meanOfRows,
  pickRows,
  requireFinite,
  rowBlocks,
  rowsClosed,
  rowSquares,
  type StoredMatrix,
  takeRows,
  type TallMatrix,
  unitRows,
} from './tall.js';
export { random, type Random } from './random.js';
export {
  compareTimes,
  formatClock,
  lengthInSeconds,
  rational,
  rescale,
  toSeconds,
  type Rational,
  type Rounding,
  type Time,
  type TimeRange,
} from './time.js';
export { isAlive } from './alive.js';
export { residentBytes } from './resident.js';
export { valueText } from './value-text.js';
export { startProcess, startWorker } from './workers.js';

/**
 * base: exact time, dense matrices, seeded random numbers, errors, events, threads and processes. It knows nothing of video.
 *
 * - A moment is a whole number of ticks of a rational base; ranges are half-open. `rescale` rounds as the caller says and
 *   refuses results beyond safe integers (`time-overflow`).
 * - Every sum has a fixed order, so products give the same bits with and without SIMD. All random numbers in results come
 *   from `random(seed)`.
 * - Every error thrown on purpose is a `ThroughlineError` with a stable code and a sentence: what was expected, what was
 *   found, what to do. Its class and code decide the exit code, and whether one video or the run ends.
 * - `TallMatrix` holds rows in memory, in a file or derived; callers read blocks and do not know which.
 */
export {
  bytesOf,
  filledFrom,
  columnSquares,
  dot,
  identity,
  innerProduct,
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
  type Matrix,
} from './matrix.js';
export { compareTexts, printable, valueText, csvText, type CsvCell } from './text.js';
export {
  endWithParent,
  inOrder,
  isAlive,
  killGroup,
  mapLimited,
  residentBytes,
  startProcess,
  startWorker,
} from './concurrency.js';
export { leadingEigenvectors } from './eigen.js';
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
export type { Listener, RunEvent, Stage } from './errors.js';
export {
  addInnerGram,
  addLowerProduct,
  cholesky,
  innerGram,
  mirrorLower,
  multiply,
  multiplyTransposed,
  outerGram,
  semidefiniteFactor,
  solveCholesky,
  solveLower,
} from './linalg.js';
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
  type TimeRange,
} from './time.js';

import type { ThroughlineError } from '../../base/index.js';

/** Makes the error for a file that is not what was expected. */
export type Refuse = (expected: string, found: string) => ThroughlineError;

/** The numbers of a file in rows: entry (i, j) is `values[i * cols + j]`. */
export type NumberTable = {
  readonly rows: number;
  readonly cols: number;
  readonly values: Float32Array | Float64Array;
};

/** The same, read from the file some rows at a time. Must be closed. */
export type RowTable = {
  readonly rows: number;
  readonly cols: number;
  /** The values of rows `[from, to)`. */
  read(from: number, to: number): Promise<NumberTable['values']>;
  close(): Promise<void>;
};

/** What must be known about a video to pool vectors over its shots. */
export type CutVideo = {
  /** Its name in errors. */
  readonly id: string;
  readonly frameCount: number;
  readonly shots: readonly { readonly startFrame: number; readonly endFrame: number }[];
};

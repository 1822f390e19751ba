import type { ThroughlineError } from '../../base/index.js';

/** Makes the error for a file whose bytes are not what they must be. */
export type Refuse = (expected: string, found: string) => ThroughlineError;

/** Numbers of a file in rows: entry (i, j) is `values[i * cols + j]`. */
export type NumberTable = {
  readonly rows: number;
  readonly cols: number;
  readonly values: Float32Array | Float64Array;
};

/** The same, left in the file and read some rows at a time. Must be closed. */
export type RowTable = {
  readonly rows: number;
  readonly cols: number;
  /** The values of rows `[from, to)`. */
  read(from: number, to: number): Promise<NumberTable['values']>;
  close(): Promise<void>;
};

/** What must be known of a video to bring vectors into its shots. */
export type CutVideo = {
  /** As errors name it. */
  readonly id: string;
  readonly frameCount: number;
  readonly shots: readonly { readonly startFrame: number; readonly endFrame: number }[];
};

import type { MethodChoice } from '../select/index.js';
import type { Scoreboard } from './scoreboard-record.js';
import type { Dataset } from './types.js';

/** The record of a benchmark, schema `benchmark.1`: what was read, what was done with it, and what came out. */
export type Benchmark = {
  readonly schema: 'benchmark.1';
  readonly throughline: string;
  /** What was compared: the methods of the paper, cvs without its parts, or kinds of features. */
  readonly kind: 'methods' | 'ablation' | 'features';
  readonly dataset: Pick<Dataset, 'name' | 'topics' | 'notes' | 'files'> & {
    /** Number of labelled videos; some may have no file, no features or no ranking, and are not in the scoreboard. */
    readonly labelledVideos: number;
  };
  /** How shots, references and rankings were made, one sentence each. */
  readonly protocol: readonly string[];
  /** What each row of the scoreboard is made with; human and random rows have none. */
  readonly rows: readonly { readonly name: string; readonly choice: MethodChoice; readonly features: FeatureFacts }[];
  /** The files behind the features, by video. */
  readonly inputs: readonly { readonly video: string; readonly sha256: string }[];
  readonly scoreboard: Scoreboard;
  /** The paper's AP@5 for rows of the same name; `null` if the paper has no such table. */
  readonly paper: Readonly<
    Record<string, { readonly mean: number; readonly topics: Readonly<Record<string, number>> }>
  > | null;
  /** One video per topic, as cvs ranks it with the other videos and without them; empty if either ranking is missing. */
  readonly examples: readonly Example[];
  readonly skipped: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  readonly notes: readonly string[];
};

/** What made the vectors. `sha256` and `layer` are those of a network; vectors made elsewhere have neither. */
export type FeatureFacts = {
  readonly name: string;
  readonly version: string;
  readonly dim: number;
  readonly sha256?: string | null;
  readonly layer?: string | null;
};

/** The first shots of two rankings of one video. */
export type Example = {
  readonly video: string;
  readonly topic: string;
  readonly rankings: readonly {
    readonly row: string;
    /** AP@5, textbook form. */
    readonly ap5: number;
    readonly shots: readonly {
      readonly shot: number;
      readonly startFrame: number;
      readonly endFrame: number;
      /** Share of the judges who have the shot in their reference. */
      readonly wantedBy: number;
    }[];
  }[];
};

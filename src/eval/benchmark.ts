import type { MethodChoice } from '../select/index.js';
import type { NestedRecord } from './nested.js';
import type { Scoreboard } from './scoreboard-record.js';
import type { TvsumGrid } from './datasets/index.js';
import type { Dataset } from './types.js';

/** The record of a benchmark, schema `benchmark.2`: what was read, what was done with it, and what came out. */
export type Benchmark = {
  readonly schema: 'benchmark.2';
  readonly throughline: string;
  /** What was compared: the methods of the paper, cvs without its parts, or kinds of features. */
  readonly kind: 'methods' | 'ablation' | 'features';
  readonly dataset: Pick<Dataset, 'name' | 'topics' | 'notes' | 'files'> & {
    /** Where the shots of TVSum begin; `null` for other data sets. */
    readonly grid: TvsumGrid | null;
    /** Number of labelled videos; some may have no file, no features or no ranking, and are not in the scoreboard. */
    readonly labelledVideos: number;
  };
  /** How shots, references and rankings were made, one sentence each. */
  readonly protocol: readonly string[];
  /** What each row of the scoreboard is made with; people, floors and nested rows have none. */
  readonly rows: readonly { readonly name: string; readonly choice: MethodChoice; readonly features: FeatureFacts }[];
  /** The rows whose settings were chosen on other topics than those they are scored on; `null` if there are none. */
  readonly nested: NestedRecord | null;
  /** The shots of every video and every row's rankings of them, from which all scores can be computed again. */
  readonly rankings: readonly VideoRankings[];
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

/** One video as it was ranked. */
export type VideoRankings = {
  readonly video: string;
  /** The first frame of each shot; a shot ends where the next begins, and the last at `endFrame`. */
  readonly starts: readonly number[];
  readonly endFrame: number;
  /** By row: one ranking for each seed. */
  readonly rows: Readonly<Record<string, readonly SavedRanking[]>>;
};

/** A ranking of the shots of one video: all shots, best first, and the score of each shot. */
export type SavedRanking = { readonly order: readonly number[]; readonly scores: readonly number[] | null };

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
    readonly p5: number;
    readonly shots: readonly {
      readonly shot: number;
      readonly startFrame: number;
      readonly endFrame: number;
      /** Share of the judges who have the shot in their reference. */
      readonly wantedBy: number;
    }[];
  }[];
};

/** Rows with the other videos and without. */
export const WITH_AND_WITHOUT: readonly (readonly [string, string])[] = [
  ['nested', 'nested-alone'],
  ['cvs', 'cvs-neighborhood'],
];

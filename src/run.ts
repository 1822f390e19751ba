import type { Kept, Scratch } from './analyse/index.js';
import type { Listener } from './base/index.js';
import type { Options } from './options/index.js';
import type { Solve } from './select/index.js';
import type { Budget, SummaryDocument, TopicsDocument } from './summary/index.js';

/** What a run needs of the disk. Handed in, so that the pipeline runs the same on one machine and on many. */
export type Shelf = {
  hash(path: string, signal?: AbortSignal): Promise<{ sha256: string; bytes: number }>;
  keyOf(record: unknown): string;
  find(key: string): Promise<Kept | null>;
  draft(key: string): Promise<Scratch>;
  /** Makes a folder for results, or makes sure that one is ours to write to. */
  openFolder(path: string): Promise<void>;
  /** What stands at `path` among the results; `null` where nothing does. */
  standing(path: string, signal?: AbortSignal): Promise<{ sha256: string; bytes: number } | null>;
  writeWhole(path: string, write: (draft: string) => Promise<void>): Promise<void>;
  writeParts(path: string, parts: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Promise<void>;
};

/** What every stage is given: the options, the disk, whom to tell, when to stop. */
export type Run = {
  readonly options: Options;
  /** `options.length`, understood. */
  readonly budget: Budget;
  /** `options.concept`, understood; `null` when no film of the topic is asked for. */
  readonly conceptBudget: Budget | null;
  /** Videos worked on at a time. */
  readonly jobs: number;
  /** Videos that are compared each with each, at most; `COMPARED_VIDEOS` where nothing else is said. */
  readonly comparedVideos?: number;
  readonly out: string;
  readonly shelf: Shelf;
  /** How problems are solved where it is asked again and again; else every stage starts threads of its own. */
  readonly solve?: Solve;
  readonly tell: Listener;
  readonly signal: AbortSignal | undefined;
  /** Inputs that could not be used, with their sentence; grows as the run goes on. */
  readonly skipped: SummaryDocument['skipped'];
  readonly notes: string[];
};

/** What a run over a folder of several topics leaves: which there are, and what became of each, then of videos alone. */
export type TopicsOutcome = {
  readonly record: TopicsDocument;
  /** Where `topics.json` stands. */
  readonly path: string;
  readonly outcomes: readonly Outcome[];
};

/** What a run leaves: the record, and where it stands. */
export type Outcome = { readonly document: SummaryDocument; readonly folder: string; readonly report: string };

import type { Kept, Scratch } from './analyse/index.js';
import type { Listener, Matrix, StoredMatrix } from './base/index.js';
import type { Budgets, Options } from './options/index.js';
import type { Solve } from './select/index.js';
import type { SummaryDocument, TopicsDocument } from './summary/index.js';

/** The disk as a run sees it. It is passed in, so that the pipeline works the same on one machine and on many. */
export type Shelf = {
  hash(path: string, signal?: AbortSignal): Promise<{ sha256: string; bytes: number }>;
  keyOf(record: unknown): string;
  find(key: string): Promise<Kept | null>;
  draft(key: string): Promise<Scratch>;
  /** Makes a folder for results, or makes sure that an existing one may be written to. */
  openFolder(path: string): Promise<void>;
  /** The same, and no other run may write to it until the shelf is closed; `sources` are the folders of the videos. */
  claim(path: string, sources: readonly string[]): Promise<void>;
  /** The content of the file at `path` among the results; `null` if there is none. */
  standing(path: string, signal?: AbortSignal): Promise<{ sha256: string; bytes: number } | null>;
  /** The text of a file among the results; `null` if there is none, or none of reasonable size. */
  readText(path: string): Promise<string | null>;
  /** Removes a file of the results; does nothing if it is not there. */
  remove(path: string): Promise<void>;
  writeWhole(path: string, write: (draft: string) => Promise<void>): Promise<void>;
  writeParts(path: string, parts: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Promise<void>;
  /** Keeps a matrix that is too tall for memory, and comes some rows at a time, on disk until the shelf is closed. */
  storeRows(rows: number, cols: number, blocks: AsyncIterable<Matrix> | Iterable<Matrix>): Promise<StoredMatrix>;
  close(): Promise<void>;
};

/** What every stage gets: the options, the disk, the listener, the signal to stop. */
export type Run = Budgets & {
  readonly options: Options;
  /** Number of videos processed at a time. */
  readonly jobs: number;
  /** The most videos that are compared with each other; default `COMPARED_VIDEOS`. */
  readonly comparedVideos?: number;
  /** The most numbers that the vectors of a topic have in memory; default `HELD_NUMBERS`. */
  readonly heldNumbers?: number;
  readonly out: string;
  readonly shelf: Shelf;
  /** Solves problems on threads that stay, for topics that are ranked again and again; by default each stage starts its own. */
  readonly solve?: Solve;
  readonly tell: Listener;
  readonly signal: AbortSignal | undefined;
  /** Inputs that could not be used, with the reason; grows during the run. */
  readonly skipped: SummaryDocument['skipped'];
  readonly notes: string[];
};

/** The result of a run over several topics: which there are, and the outcome of each, then of each video that is alone. */
export type TopicsOutcome = {
  readonly record: TopicsDocument;
  /** The path of `topics.json`. */
  readonly path: string;
  readonly outcomes: readonly Outcome[];
};

/** The result of a run: the record, the folder of results, and the path of the report. */
export type Outcome = { readonly document: SummaryDocument; readonly folder: string; readonly report: string };

import type { Listener } from './base/index.js';
import type { Kept, Scratch } from './analyse.js';
import { collectInputs } from './inputs.js';
import { resultOptions, type Options } from './options.js';
import { admitVideos } from './stages/admit.js';
import { analyseVideos } from './stages/analyse-videos.js';
import { publish } from './stages/publish.js';
import { rankShotsOfTopic } from './stages/rank.js';
import { renderVideos } from './stages/render.js';
import type { SummaryDocument } from './summary/index.js';

/** What a run needs of the disk. Handed in, so that the pipeline runs the same on one machine and on many. */
export type Shelf = {
  hash(path: string, signal?: AbortSignal): Promise<{ sha256: string; bytes: number }>;
  keyOf(record: unknown): string;
  find(key: string): Promise<Kept | null>;
  draft(key: string): Promise<Scratch>;
  writeWhole(path: string, write: (draft: string) => Promise<void>): Promise<void>;
  writeParts(path: string, parts: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Promise<void>;
};

/** What every stage is given: the options, the disk, whom to tell, when to stop. */
export type Run = {
  readonly options: Options;
  /** Videos worked on at a time. */
  readonly jobs: number;
  readonly out: string;
  readonly shelf: Shelf;
  readonly tell: Listener;
  readonly signal: AbortSignal | undefined;
  /** Inputs that could not be used, with their sentence; grows as the run goes on. */
  readonly skipped: SummaryDocument['skipped'];
  readonly notes: string[];
};

/** What a run leaves: the record, and where it stands. */
export type Outcome = { readonly document: SummaryDocument; readonly folder: string; readonly report: string };

/**
 * Throughline, from a folder of videos on one topic to a summary of each.
 * Records flow from stage to stage; a file that fails a stage is named and left behind, the others go on.
 */
export async function summarize(given: readonly string[], run: Run): Promise<Outcome> {
  const { topic, inputs } = await collectInputs(given, run.options);
  run.tell({ type: 'run-started', inputs: inputs.length });

  // Which files are videos, and different from each other?
  const videos = await admitVideos(inputs, run);

  // One pass over each video: where its shots are, and a vector and a picture for each. Kept by content.
  const analysed = await analyseVideos(videos, run);

  // The topic is the sum of what its videos show. Each video's shots are ranked against it, exactly.
  const ranked = await rankShotsOfTopic(analysed, run);

  // The best shots that fit the length, in film order: a film, a storyboard.
  const rendered = await renderVideos(ranked, run);

  // The record of the run, and the page that shows it.
  return publish({ topic, options: resultOptions(run.options), videos: rendered }, run);
}

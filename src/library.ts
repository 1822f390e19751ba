import { dirname, resolve } from 'node:path';

import { UsageError, type Matrix } from './base/index.js';
import {
  encodeBackground,
  findTopicsIn,
  summarizeByTopic,
  summarize,
  type Outcome,
  type TopicsOutcome,
  defaultOutFolder,
  withRun,
  type Run,
  type RunHooks,
  openAnalysedTopic,
  type RankedTopic,
  type AnalysedTopic,
  admitVideos,
  analyseVideos,
  collectInputs,
  sampleBackground,
} from './pipeline/index.js';
import type { DemoTopic } from './demo/index.js';
import type { Benchmark, BenchmarkRequest } from './eval/index.js';
import { locateFfmpeg } from './media/index.js';
import { budgetsOf, checkOptions, optionFacts, type OptionsInput } from './options/index.js';
import * as project from './pipeline/index.js';
import { openFolder } from './storage/index.js';
import type { SummaryDocument } from './summary/index.js';

/**
 * Summarises the videos of a topic: a folder, or files one by one. Writes films, storyboards, `summary.json` and
 * `report.html` to `options.out`, and returns the record. Files that cannot be used are in `document.skipped`; when
 * none can, it throws a `ThroughlineError` with the code `nothing-done`.
 */
export async function summarizeTopic(
  inputs: string | readonly string[],
  options: OptionsInput = {},
  hooks: RunHooks = {},
): Promise<Outcome> {
  const given = listOf(inputs);
  const checked = checkOptions(options);
  if (checked.autoTopics) {
    throw new UsageError(
      'several-topics',
      'Expected one topic, found the option autoTopics, which may find several. Call summarizeTopics, or leave it out.',
    );
  }
  if (checked.groups !== undefined) {
    throw new UsageError(
      'groups-of-one',
      `Expected autoTopics (--auto-topics) with groups (--groups), found groups alone. Add it, or leave groups out.`,
    );
  }
  return withRun(checked, resolve(checked.out ?? defaultOutFolder(given)), hooks, (run) => summarize(given, run));
}

/**
 * Sorts videos into topics by what they show, and writes `topics.json` to `options.out` (default: next to the folder, with
 * "-topics" added to its name). `options.groups` sets the number of topics.
 */
export async function findTopics(
  inputs: string | readonly string[],
  options: OptionsInput = {},
  hooks: RunHooks = {},
): Promise<TopicsOutcome> {
  const given = listOf(inputs);
  const checked = checkOptions(options);
  const out = resolve(checked.out ?? defaultOutFolder(given, 'topics'));
  return withRun(checked, out, hooks, (run) => findTopicsIn(given, run));
}

/** Like `findTopics`; then summarises each topic, and each video that is alone, in a folder of its own in `options.out`. */
export async function summarizeTopics(
  inputs: string | readonly string[],
  options: OptionsInput = {},
  hooks: RunHooks = {},
): Promise<TopicsOutcome> {
  const given = listOf(inputs);
  const checked = checkOptions({ ...options, autoTopics: true });
  return withRun(checked, resolve(checked.out ?? defaultOutFolder(given)), hooks, (run) =>
    summarizeByTopic(given, run),
  );
}

/**
 * Makes a background for evidence from varied footage that has nothing to do with the topics to come, and writes it to
 * `file`: raw vectors of some shots of each video. The option `background` names it in later runs with the same features.
 */
export async function makeBackground(
  inputs: string | readonly string[],
  file: string,
  options: OptionsInput & { readonly shotsPerVideo?: number } = {},
  hooks: RunHooks = {},
): Promise<{
  readonly path: string;
  readonly videos: number;
  readonly shots: number;
  readonly skipped: SummaryDocument['skipped'];
}> {
  const { shotsPerVideo, ...rest } = options;
  const path = resolve(file);
  return withRun(checkOptions(rest), dirname(path), hooks, async (run) => {
    const { inputs: found } = await collectInputs(listOf(inputs), { ...run.options, out: run.out });
    const analysed = await analyseVideos(await admitVideos(found, run), run);
    const background = await sampleBackground(analysed, shotsPerVideo);
    await run.workspace.writeParts(path, [encodeBackground(background)]);
    return { path, videos: analysed.length, shots: background.raw.rows, skipped: run.skipped };
  });
}

/** A topic that was analysed and stays open. Close it when done. */
export type Workbench = {
  readonly topic: string;
  /** The files that could not be used. */
  readonly skipped: SummaryDocument['skipped'];
  /**
   * Ranks every shot under these options and cuts to their length, as if the videos whose ids are in `without` were not in
   * the topic. Options of analysis stay as they were when it was opened. Returns the record that a run would write, without
   * films and pictures.
   */
  rank(options: OptionsInput, without?: ReadonlySet<string>): Promise<SummaryDocument>;
  /** The vectors of all shots, one row each, video after video. */
  vectors(): Promise<Matrix>;
  /** Ends its threads and frees its vectors. */
  close(): Promise<void>;
};

/** Analyses the videos of a topic once and keeps the result, to be ranked and cut under other options in milliseconds. */
export async function openWorkbench(
  inputs: string | readonly string[],
  options: OptionsInput = {},
  hooks: RunHooks = {},
): Promise<Workbench> {
  const { topic, skipped, vectors, close, rank, describe } = await openTopic(inputs, options, hooks);
  return {
    ...{ topic, skipped, vectors, close },
    rank: async (change, without) => describe(await rank(change, without)),
  };
}

/** The open topic of a workbench with all that is known of it, for the studio. */
export type OpenTopic = Omit<AnalysedTopic, 'rank'> & {
  rank(options: OptionsInput, without?: ReadonlySet<string>): Promise<RankedTopic>;
};

/** As `openWorkbench`; `onAnalysed` is called with each analysis as soon as it is there. */
export async function openTopic(
  inputs: string | readonly string[],
  options: OptionsInput = {},
  { onAnalysed, ...hooks }: RunHooks & Pick<Run, 'onAnalysed'> = {},
): Promise<OpenTopic> {
  const given = listOf(inputs);
  const checked = checkOptions(options);
  const out = resolve(checked.out ?? defaultOutFolder(given));
  const open = (run: Run): Promise<AnalysedTopic> =>
    openAnalysedTopic(given, onAnalysed ? { ...run, onAnalysed } : run);
  const bench = await withRun(checked, out, hooks, open, { staysOpen: true });
  return {
    ...bench,
    rank: async (change, without) => {
      const wanted = checkOptions({ ...options, ...change });
      return bench.rank({ options: wanted, ...budgetsOf(wanted) }, without);
    },
  };
}

/**
 * Adds videos (or folders of them) to the topic in `folder`, which is created if there is none, and summarises it again; only
 * new videos are analysed. The result tells how every summary changed. Options given are kept with the topic.
 */
export async function addToTopic(
  inputs: readonly string[],
  options: OptionsInput,
  { folder, ...hooks }: RunHooks & { readonly folder: string },
): Promise<project.Growth<Outcome>> {
  const { recursive } = checkOptions(options);
  const { inputs: found } = await collectInputs(inputs, { recursive, out: folder });
  const paths = found.map(({ path }) => path);
  return project.addVideos(folder, paths, keptOptions(options), summariseWith(hooks, options), {
    verify: options.verify,
  });
}

/** Removes videos from the topic in `folder`, by path or file name, and summarises the others again. */
export function removeFromTopic(
  videos: readonly string[],
  { folder, ...hooks }: RunHooks & { readonly folder: string },
): Promise<project.Growth<Outcome>> {
  return project.removeVideos(folder, videos, summariseWith(hooks, {}));
}

/** Summarises the topic in `folder` again; options given are kept with it. */
export function updateTopic(
  options: OptionsInput,
  { folder, ...hooks }: RunHooks & { readonly folder: string },
): Promise<project.Growth<Outcome>> {
  checkOptions(options);
  return project.updateTopic(folder, keptOptions(options), summariseWith(hooks, options));
}

/** The options that stay with a topic: those that can change a result, unlike the number of jobs. */
function keptOptions(options: OptionsInput): Record<string, unknown> {
  const lasting = new Set<string>(optionFacts.filter((fact) => fact.affectsResult).map((fact) => fact.name));
  return Object.fromEntries(Object.entries(options).filter(([name]) => lasting.has(name)));
}

function summariseWith(hooks: RunHooks, { jobs, verify }: OptionsInput) {
  const passing = { ...(jobs === undefined ? {} : { jobs }), ...(verify === undefined ? {} : { verify }) };
  return (videos: readonly string[], options: OptionsInput): Promise<Outcome> =>
    summarizeTopic(videos, { ...options, ...passing }, hooks);
}

/**
 * Compares methods on a labelled data set with each other, with people and with chance. Writes `benchmark.json` and
 * `report.html` to `options.out`, and returns the record with their paths; of the other options, `seed`, `jobs`, `cache` and those of features are used.
 */
export async function benchmark(
  request: BenchmarkRequest,
  options: OptionsInput = {},
  hooks: RunHooks = {},
): Promise<{
  readonly benchmark: Benchmark;
  readonly folder: string;
  readonly record: string;
  readonly report: string;
}> {
  const checked = checkOptions(options);
  const out = resolve(
    checked.out ?? `throughline-bench-${request.dataset}${request.kind === 'methods' ? '' : `-${request.kind}`}`,
  );
  return withRun(checked, out, hooks, async (run) => {
    // Rooms that few runs need are loaded when needed: that takes longer than a small run.
    const { publishBenchmark, runBenchmark } = await import('./eval/index.js');
    const outcome = await runBenchmark(request, run);
    return { benchmark: outcome.benchmark, ...(await publishBenchmark(outcome, run)) };
  });
}

/**
 * Draws the videos of the demo into `folder`: a small topic whose shared and private scenes are known. Returns what a good
 * summary must contain, which is also written there as `truth.json`.
 */
export async function drawDemo(folder: string, hooks: RunHooks = {}): Promise<DemoTopic> {
  const emit = hooks.onEvent ?? (() => undefined);
  const ffmpeg = await locateFfmpeg();
  await openFolder(resolve(folder));
  emit({ type: 'stage-started', stage: 'draw', total: 1 });
  const { drawTopic } = await import('./demo/index.js');
  const topic = await drawTopic({
    folder: resolve(folder),
    ffmpeg: ffmpeg.path,
    ...(hooks.signal ? { signal: hooks.signal } : {}),
    onProgress: (fraction, item) => emit({ type: 'progress', stage: 'draw', fraction, item, frames: 0 }),
  });
  emit({ type: 'stage-done', stage: 'draw' });
  return topic;
}

function listOf(inputs: string | readonly string[]): readonly string[] {
  return typeof inputs === 'string' ? [inputs] : inputs;
}

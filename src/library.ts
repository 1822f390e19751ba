import { resolve } from 'node:path';

import { UsageError } from './base/index.js';
import { findTopicsIn, summarizeByTopic } from './by-topic.js';
import type { DemoTopic } from './demo/index.js';
import type { Benchmark, BenchmarkFiles, BenchmarkRequest } from './eval/index.js';
import { locateFfmpeg } from './media/index.js';
import { checkOptions, optionFacts, type OptionsInput } from './options/index.js';
import { summarize } from './pipeline.js';
import * as project from './project/index.js';
import type { Outcome, TopicsOutcome } from './run.js';
import { collectInputs } from './stages/index.js';
import { openFolder } from './store/index.js';
import { budgetsOf, defaultOutFolder, withRun, type RunHooks } from './with-run.js';
import { holdTopic, type Judged, type HeldTopic } from './workbench.js';

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
      `Expected one topic, found the option groups, which asks for ${checked.groups}. Add autoTopics (--auto-topics), or leave it out.`,
    );
  }
  return withRun(checked, resolve(checked.out ?? defaultOutFolder(given)), hooks, (run) => summarize(given, run));
}

/**
 * Divides videos on several topics into these by what they show, and writes `topics.json` to `options.out` (default: the
 * folder's name with "-topics" added, beside it). `options.groups` asks for so many topics.
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

/** As `findTopics`, and summarises each topic in a folder of its own inside `options.out`, then each video left alone. */
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

/** A topic held open. */
export type Workbench = Omit<HeldTopic, 'judge'> & {
  /** Ranks every shot under these options and cuts to their length. Options of analysis stay as they were. */
  judge(options: OptionsInput): Promise<Judged>;
};

/** Looks at the videos of a topic and holds what was found, to be judged under any options, as often as one likes. */
export async function openWorkbench(
  inputs: string | readonly string[],
  options: OptionsInput = {},
  hooks: RunHooks = {},
): Promise<Workbench> {
  const given = listOf(inputs);
  const checked = checkOptions(options);
  const out = resolve(checked.out ?? defaultOutFolder(given));
  const bench = await withRun(checked, out, hooks, (run) => holdTopic(given, run));
  return {
    ...bench,
    judge: async (change) => {
      const wanted = checkOptions({ ...options, ...change });
      return bench.judge({ options: wanted, ...budgetsOf(wanted) });
    },
  };
}

/** The folder of a topic that grows, and whom to tell. */
export type TopicWork = RunHooks & { readonly folder: string };

/**
 * Adds videos (or folders of them) to the topic in `folder`, beginning one where there is none, and summarises it again:
 * only what is new is analysed. Says what became of every summary. Options given are kept with the topic.
 */
export async function addToTopic(
  inputs: readonly string[],
  options: OptionsInput,
  { folder, ...hooks }: TopicWork,
): Promise<project.Growth<Outcome>> {
  const { recursive } = checkOptions(options);
  const { inputs: found } = await collectInputs(inputs, { recursive, out: folder });
  const paths = found.map(({ path }) => path);
  return project.addVideos(folder, paths, keptOptions(options), summariseWith(hooks, options));
}

/** Takes videos out of the topic in `folder`, by path or file name, and summarises the others again. */
export function removeFromTopic(
  videos: readonly string[],
  { folder, ...hooks }: TopicWork,
): Promise<project.Growth<Outcome>> {
  return project.removeVideos(folder, videos, summariseWith(hooks, {}));
}

/** Summarises the topic in `folder` again; options given are kept with it. */
export function updateTopic(options: OptionsInput, { folder, ...hooks }: TopicWork): Promise<project.Growth<Outcome>> {
  checkOptions(options);
  return project.updateTopic(folder, keptOptions(options), summariseWith(hooks, options));
}

/** Options that can change a result stay with a topic; how many jobs run is a matter of the day. */
function keptOptions(options: OptionsInput): Record<string, unknown> {
  const lasting = new Set<string>(optionFacts.filter((fact) => fact.affectsResult).map((fact) => fact.name));
  return Object.fromEntries(Object.entries(options).filter(([name]) => lasting.has(name)));
}

function summariseWith(hooks: RunHooks, { jobs }: OptionsInput) {
  return (videos: readonly string[], options: OptionsInput): Promise<Outcome> =>
    summarizeTopic(videos, jobs === undefined ? options : { ...options, jobs }, hooks);
}

/** A benchmark's record, and where its files stand. */
export type BenchmarkResult = BenchmarkFiles & { readonly benchmark: Benchmark };

/**
 * Compares methods on a labelled data set, beside people and chance. Writes `benchmark.json` and `report.html` to
 * `options.out`; of the other options, `seed`, `jobs`, `cache` and those of features play a part.
 */
export async function benchmark(
  request: BenchmarkRequest,
  options: OptionsInput = {},
  hooks: RunHooks = {},
): Promise<BenchmarkResult> {
  const checked = checkOptions(options);
  const out = resolve(
    checked.out ?? `throughline-bench-${request.dataset}${request.kind === 'methods' ? '' : `-${request.kind}`}`,
  );
  return withRun(checked, out, hooks, async (run) => {
    // Rooms that few runs enter are opened by those that do: loading them takes longer than a small run.
    const { publishBenchmark, runBenchmark } = await import('./eval/index.js');
    const outcome = await runBenchmark(request, run);
    return { benchmark: outcome.benchmark, ...(await publishBenchmark(outcome, run)) };
  });
}

/**
 * Draws the demo's videos into `folder`: a small topic whose scenes, shared and private, are known. Returns what a good
 * summary must contain; the same is written there as `truth.json`.
 */
export async function drawDemo(folder: string, hooks: RunHooks = {}): Promise<DemoTopic> {
  const tell = hooks.onEvent ?? (() => undefined);
  const ffmpeg = await locateFfmpeg();
  await openFolder(resolve(folder));
  tell({ type: 'stage-started', stage: 'draw', total: 1 });
  const { drawTopic } = await import('./demo/index.js');
  const topic = await drawTopic({
    folder: resolve(folder),
    ffmpeg: ffmpeg.path,
    ...(hooks.signal ? { signal: hooks.signal } : {}),
    onProgress: (fraction, item) => tell({ type: 'progress', stage: 'draw', fraction, item, frames: 0 }),
  });
  tell({ type: 'stage-done', stage: 'draw' });
  return topic;
}

function listOf(inputs: string | readonly string[]): readonly string[] {
  return typeof inputs === 'string' ? [inputs] : inputs;
}

import { compareTexts, ThroughlineError, UsageError } from '../base/index.js';
import { FEATURE_NAMES, type FeatureName } from '../features/index.js';
import type { Run } from '../run.js';
import { type MethodChoice, type MethodName, METHOD_NAMES } from '../select/index.js';
import { VERSION } from '../version.js';
import type { Benchmark, Example } from './benchmark.js';
import { readCosum, readTvsum } from './datasets/index.js';
import { describeFromVectors, describeFromVideos, type Description } from './describe-videos.js';
import { paperAblation, paperFeatures, paperTables } from './paper-figures.js';
import { rankAll } from './rank-all.js';
import type { MethodResults } from './scoreboard.js';
import { scoreboard } from './scoreboard.js';
import type { Dataset } from './types.js';

/** What to compare, and on which data. */
export type BenchmarkRequest = {
  readonly kind: 'methods' | 'ablation' | 'features';
  readonly dataset: 'tvsum' | 'cosum';
  /** Folder of the official files. */
  readonly data: string;
  /** Folder of the videos. Without it and without `vectors`, only people and chance are scored. */
  readonly videos?: string | undefined;
  /** Vectors made elsewhere: an `.h5` file or a folder of `.npy` files. */
  readonly vectors?: string | undefined;
  /** All methods if not given. */
  readonly methods?: readonly MethodName[] | undefined;
  /** For `features`: the kinds to compare, with cvs; all whose network is available if not given. */
  readonly features?: readonly FeatureName[] | undefined;
  /** For `features`: ONNX files of the kinds that need weights; absent = those in the models folder. */
  readonly weights?: { readonly c3d?: string | undefined; readonly vgg?: string | undefined } | undefined;
  /** Codes of the topics to keep; all if not given. */
  readonly topics?: readonly string[] | undefined;
  /** Random orders per video, for the row of chance. */
  readonly draws: number;
};

/** The record of a benchmark, and the pictures of shots for its page. */
export type BenchmarkOutcome = { readonly benchmark: Benchmark; readonly picture: Description['picture'] };

const READERS = { tvsum: readTvsum, cosum: readCosum } as const;
const ABLATION: readonly MethodName[] = ['cvs', 'cvs-neighborhood', 'cvs-diversity'];

const PROTOCOL: Readonly<Record<BenchmarkRequest['dataset'], readonly string[]>> = {
  tvsum: [
    'Shots are the two-second pieces people scored.',
    'A judge’s mark of a shot is the mean of its frames’ scores; the better half of the shots is the judge’s reference, ties to the earlier shot.',
  ],
  cosum: ['Shots and references are those of the data set: each judge’s list of shots.'],
};

const COMMON_PROTOCOL = [
  'AP@k of a ranking against each judge, then the mean over judges, over videos, over topics. The textbook form divides by min(k, size of the reference), the other form by the hits among the k.',
  'Each judge is scored against the other judges; worst, mean and best are taken video by video.',
  'Intervals come from resampling the videos inside their topics; tests are paired over videos.',
];

/** Compares methods, or kinds of features, on a labelled data set. Same files, same request, same bytes. */
export async function runBenchmark(request: BenchmarkRequest, run: Run): Promise<BenchmarkOutcome> {
  const dataset = keepTopics(await READERS[request.dataset](request.data), request.topics);
  const notes: string[] = [];
  const trials =
    request.kind === 'features' ? featureTrials(request, dataset, run, notes) : methodTrials(request, dataset, run);
  const results: Record<string, MethodResults[string]> = {};
  const rows: Benchmark['rows'][number][] = [];
  const inputs = new Map<string, Benchmark['inputs'][number]>();
  let first: Description | null = null;
  for await (const { description, choices } of trials) {
    first ??= description;
    for (const input of description.inputs) inputs.set(input.video, input);
    notes.push(...description.notes);
    Object.assign(results, await rankWithProgress(description, choices, run));
    for (const [name, choice] of Object.entries(choices)) rows.push({ name, choice, features: description.features });
  }
  if (first === null) notes.push('Neither videos nor features were given: only people and chance are scored.');
  const scored = first ? first.videos.map(({ video }) => video) : dataset.videos;
  const subject = request.kind === 'features' ? (rows[0]?.name ?? 'default') : 'cvs';
  const board = scoreboard(scored, results, { seed: run.options.seed, draws: request.draws, subject });
  const benchmark: Benchmark = {
    schema: 'benchmark.1',
    throughline: VERSION,
    kind: request.kind,
    dataset: {
      name: dataset.name,
      topics: dataset.topics,
      notes: dataset.notes,
      files: dataset.files,
      labelledVideos: dataset.videos.length,
    },
    protocol: [...PROTOCOL[request.dataset], ...COMMON_PROTOCOL],
    rows,
    inputs: [...inputs.values()],
    scoreboard: board,
    paper: paperOf(request),
    examples: examplesOf(scored, results, board),
    // The same file is skipped again with every kind of features.
    skipped: [...new Map(run.skipped.map((each) => [each.path, each])).values()].sort((a, b) =>
      compareTexts(a.path, b.path),
    ),
    notes: [...new Set(notes)],
  };
  return { benchmark, picture: first?.picture ?? (() => Promise.resolve(null)) };
}

/** Videos described in one way, and the methods to try on them, by row. */
type Trial = { readonly description: Description; readonly choices: Record<string, MethodChoice> };

async function* methodTrials(request: BenchmarkRequest, dataset: Dataset, run: Run): AsyncGenerator<Trial> {
  const description = await describe(request, dataset, run);
  if (description) yield { description, choices: choicesOf(request, run.options.seed) };
}

/** cvs on each kind of features. Kinds whose network is missing are left out and named, unless they were asked for. */
async function* featureTrials(
  request: BenchmarkRequest,
  dataset: Dataset,
  run: Run,
  notes: string[],
): AsyncGenerator<Trial> {
  const choice: MethodChoice = { method: 'cvs', seed: run.options.seed };
  if (request.vectors !== undefined) {
    yield {
      description: await describeFromVectors(request.vectors, dataset.videos, run.options.normalise),
      choices: { given: choice },
    };
  }
  if (request.videos === undefined) return;
  for (const features of kindsOf(request, run.options)) {
    try {
      const options = optionsFor(features, request, run.options);
      const description = await describeFromVideos(request.videos, dataset, { ...run, options });
      yield { description, choices: { [features]: choice } };
    } catch (error) {
      const isMissing = error instanceof ThroughlineError && error.code === 'no-model';
      if (!isMissing || request.features !== undefined) throw error;
      notes.push(`Left out: ${features}. ${error.message.replace('--model', `--${features}`)}`);
    }
  }
}

/** The kinds to compare; every model file that was given must belong to one of them. */
function kindsOf({ features: asked, weights }: BenchmarkRequest, { model }: Run['options']): readonly FeatureName[] {
  const kinds = asked ?? FEATURE_NAMES.filter((name) => name !== 'onnx' || model !== undefined);
  const files: Partial<Record<FeatureName, string | undefined>> = { onnx: model, ...weights };
  const unused = FEATURE_NAMES.find((name) => files[name] !== undefined && !kinds.includes(name));
  if (unused === undefined) return kinds;
  throw new UsageError(
    'bad-option',
    `Expected files only for the kinds ${kinds.join(', ')}, found "${files[unused]}" for ${unused}. Add that kind, or leave out the file: --model is the file of onnx, --c3d of c3d, --vgg of vgg.`,
  );
}

/** The options for one kind of features, without those about the network of another. */
function optionsFor(features: FeatureName, { weights }: BenchmarkRequest, options: Run['options']): Run['options'] {
  if (features === 'onnx') return { ...options, features };
  const none = { layer: undefined, input: undefined, mean: undefined, std: undefined };
  const model = features === 'c3d' || features === 'vgg' ? weights?.[features] : undefined;
  return { ...options, ...none, features, model, device: features === 'shallow' ? 'cpu' : options.device };
}

function keepTopics(dataset: Dataset, wanted: readonly string[] | undefined): Dataset {
  if (wanted === undefined) return dataset;
  const known = dataset.topics.map(({ code }) => code);
  const unknown = wanted.find((code) => !known.includes(code));
  if (unknown !== undefined) {
    throw new UsageError('no-topic', `Expected topics among ${known.join(', ')}, found "${unknown}".`);
  }
  return {
    ...dataset,
    topics: dataset.topics.filter(({ code }) => wanted.includes(code)),
    videos: dataset.videos.filter(({ topic }) => wanted.includes(topic)),
  };
}

async function describe(request: BenchmarkRequest, dataset: Dataset, run: Run): Promise<Description | null> {
  if (request.vectors !== undefined) return describeFromVectors(request.vectors, dataset.videos, run.options.normalise);
  if (request.videos !== undefined) return describeFromVideos(request.videos, dataset, run);
  return null;
}

function choicesOf({ kind, methods }: BenchmarkRequest, seed: number): Record<string, MethodChoice> {
  // Chance has its own row, over many draws.
  const wanted = kind === 'ablation' ? ABLATION : (methods ?? METHOD_NAMES).filter((method) => method !== 'random');
  return Object.fromEntries(wanted.map((method) => [method, { method, seed }]));
}

async function rankWithProgress(
  { videos }: Description,
  choices: Record<string, MethodChoice>,
  run: Run,
): ReturnType<typeof rankAll<string>> {
  const total = videos.length * Object.keys(choices).length;
  run.tell({ type: 'stage-started', stage: 'select', total });
  let done = 0;
  const answers = await rankAll(videos, choices, {
    workers: run.jobs,
    signal: run.signal,
    onRanked: (method, video) =>
      run.tell({ type: 'progress', stage: 'select', fraction: ++done / total, item: `${method}: ${video}`, frames: 0 }),
  });
  run.tell({ type: 'stage-done', stage: 'select' });
  return answers;
}

function paperOf({ kind, dataset }: BenchmarkRequest): Benchmark['paper'] {
  if (kind !== 'methods') return dataset !== 'cosum' ? null : kind === 'ablation' ? paperAblation : paperFeatures;
  const { mean, topics } = paperTables[dataset];
  return Object.fromEntries(
    Object.entries(mean).map(([name, value]) => [
      name,
      {
        mean: value,
        topics: Object.fromEntries(Object.entries(topics).map(([code, row]) => [code, row[name as keyof typeof row]])),
      },
    ]),
  );
}

/** Shots of an example. */
const SHOWN = 5;

/**
 * One video per topic, with the other videos and without them: the one with the median gain from the other videos, so
 * that neither the best nor the worst is shown.
 */
function examplesOf(
  videos: readonly Dataset['videos'][number][],
  results: MethodResults,
  board: Benchmark['scoreboard'],
): Example[] {
  const names = ['cvs', 'cvs-neighborhood'];
  const rows = names.map((name) => board.rows.find((row) => row.name === name));
  if (rows.includes(undefined)) return [];
  const scoreOf = (row: number, video: number): number => rows[row]!.scores.ap5.perVideo[video] ?? 0;
  return board.topics.map((topic) => {
    const places = [...board.videos.keys()].filter((place) => board.videos[place]!.topic === topic);
    const gain = (place: number): number => scoreOf(0, place) - scoreOf(1, place);
    const middle = places.toSorted((a, b) => gain(a) - gain(b) || a - b)[places.length >> 1]!;
    const { id } = board.videos[middle]!;
    const { shots, judgements } = videos.find((video) => video.id === id)!;
    return {
      video: id,
      topic,
      rankings: names.map((row, at) => ({
        row,
        ap5: scoreOf(at, middle),
        shots: results[row]!.get(id)!
          .order.slice(0, SHOWN)
          .map((shot) => ({
            shot,
            ...shots[shot]!,
            wantedBy: judgements.filter(({ reference }) => reference.has(shot)).length / judgements.length,
          })),
      })),
    };
  });
}

import { join } from 'node:path';
import { compareTexts, ThroughlineError, UsageError } from '../base/index.js';
import { FEATURE_NAMES, type FeatureName } from '../features/index.js';
import type { Run } from '../pipeline/index.js';
import { METHOD_NAMES, type MethodChoice, type MethodName, methods } from '../select/index.js';
import { VERSION } from '../version.js';
import { type Benchmark, type BenchmarkRequest, examplesOf, type VideoRankings } from './benchmark.js';
import { readCosum } from './datasets/mat-labels.js';
import { readTvsum, type TvsumGrid } from './datasets/tvsum.js';
import { describeFromVectors, describeFromVideos, type Description } from './describe-videos.js';
import type { Contender, Ties } from './jury.js';
import {
  type Candidate,
  candidateKey,
  type CandidateLists,
  chooseNested,
  type NestedRecord,
  nestedResults,
  requireOtherTopics,
  scoreboard,
} from './scoreboard.js';
import { paperAblation, paperFeatures, paperTables } from './paper-figures.js';
import { FLOORS, rankAll, type RowChoice } from './rank-all.js';
import { renderBenchmark } from './report/page/page.js';
import { serialiseBenchmark } from './report/text-table.js';
import type { Dataset } from './types.js';

/** The record of a benchmark, and the pictures of shots for its page. */
type BenchmarkOutcome = { readonly benchmark: Benchmark; readonly picture: Description['picture'] };

const ABLATION: readonly MethodName[] = ['cvs', 'cvs-neighborhood', 'cvs-diversity'];
/** Methods that draw random numbers. */
const SEEDED: readonly MethodName[] = ['kmeans', 'spectral', 'cocluster'];
const SEEDS = 5;

const SHOTS: Readonly<Record<TvsumGrid, string>> = {
  scored: 'Shots are the two-second pieces people scored.',
  frames: 'Shots begin every 2·round(fps) frames.',
};

const TIED: Readonly<Record<Ties, string>> = {
  fraction:
    'Ties count by fraction: shots that a judge marks alike share the places they take in the judge’s reference, and in the judge’s own ranking, so that every figure is the expectation over all ways to break them.',
  earlier: 'Of shots that a judge marks alike the earlier comes first, as in most published figures.',
};

const COMMON_PROTOCOL = [
  'P@5 and P@15 % are the share of the first five shots, and of the first 15 % (rounded to the nearest, at least one), that are in a judge’s reference. Lift is the mean over those 15 % of the judges’ mean mark, in standard deviations of the mean marks of the video. ρ is Spearman’s, with ties as ties. All but lift are means over judges; then means over videos, then over topics.',
  'AP@k is divided by min(k, size of the reference) in the textbook form, by the hits among the k in the other.',
  'Each judge is scored against the other judges, whose mean mark lift takes; worst, mean and best are taken video by video.',
  'Floors look at no picture: random orders, uniform (spread evenly), middle (nearest to the middle first), run (five neighbours from a random place, then the rest at random) and first (film order).',
  'Intervals resample topics, then the videos in them. Tests are exact sign flips of the topics’ mean differences, and paired t-tests over videos; both are corrected by Holm’s method for all rows of the table, measure by measure.',
];

/** How shots, references and scores are made, one sentence each. */
export function protocolOf({ grid }: Pick<Benchmark['dataset'], 'grid'>, ties: Ties): readonly string[] {
  const shots =
    grid === null
      ? ['Shots and references are those of the data set: each judge’s list of shots.']
      : [
          SHOTS[grid],
          'A judge’s mark of a shot is the mean of its frames’ scores; the better half of the shots, rounded down, is the judge’s reference.',
        ];
  return [...shots, TIED[ties], ...COMMON_PROTOCOL];
}

/** Compares methods, or kinds of features, on a labelled data set. Same files, same request, same bytes. */
export async function runBenchmark(request: BenchmarkRequest, run: Run): Promise<BenchmarkOutcome> {
  const read = request.dataset === 'tvsum' ? readTvsum(request.data, request.grid) : readCosum(request.data);
  const dataset = keepTopics(await read, request.topics);
  const grid = request.dataset === 'tvsum' ? (request.grid ?? 'scored') : null;
  const notes: string[] = [];
  const settings = { seed: run.options.seed, draws: request.draws, ties: request.ties ?? 'fraction' };
  const inputs = new Map<string, Benchmark['inputs'][number]>();
  const nesting = request.nested && (await nest(request.nested, request, dataset, run, settings, notes));
  const results: Record<string, Map<string, readonly Contender[]>> = { ...nesting?.results };
  const rows: Benchmark['rows'][number][] = [];
  let first: Description | null = null;
  const trials =
    request.kind === 'features' ? featureTrials(request, dataset, run, notes) : methodTrials(request, dataset, run);
  for await (const { description, choices } of trials) {
    first ??= description;
    for (const input of description.inputs) inputs.set(input.video, input);
    notes.push(...description.notes);
    Object.assign(results, await rankWithSeeds(description, choices, request.seeds ?? SEEDS, run));
    for (const [name, choice] of Object.entries(choices)) rows.push({ name, choice, features: description.features });
  }
  if (first === null) notes.push('Neither videos nor features were given: only people and floors are scored.');
  const scored = first ? first.videos.map(({ video }) => video) : dataset.videos;
  const subject = subjectOf(Object.keys(results), request);
  const board = scoreboard(scored, results, { ...settings, subject });
  const benchmark: Benchmark = {
    schema: 'benchmark.2',
    throughline: VERSION,
    kind: request.kind,
    dataset: {
      name: dataset.name,
      topics: dataset.topics,
      notes: dataset.notes,
      files: dataset.files,
      labelledVideos: dataset.videos.length,
      grid,
    },
    protocol: protocolOf({ grid }, settings.ties),
    rows,
    nested: nesting?.record ?? null,
    rankings: rankingsOf(scored, results),
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

/** The row that all others are compared with. */
function subjectOf(rows: readonly string[], { kind, nested }: BenchmarkRequest): string {
  return kind !== 'features' && !nested && rows.includes('cvs') ? 'cvs' : (rows[0] ?? 'cvs');
}

/**
 * Ranks every candidate on every topic, and chooses for each topic on the others. Candidates whose network is missing are
 * left out and named.
 */
async function nest(
  lists: CandidateLists,
  request: BenchmarkRequest,
  dataset: Dataset,
  run: Run,
  settings: { seed: number; draws: number; ties: Ties },
  notes: string[],
): Promise<{ record: NestedRecord; results: Record<string, Map<string, readonly Contender[]>> }> {
  requireOtherTopics(dataset.topics.map(({ code }) => code));
  const ranked: Record<string, Map<string, readonly Contender[]>> = {};
  let videos: readonly Dataset['videos'][number][] = [];
  // Candidates with the same options are ranked together; analyses are in the cache after the first.
  const textOf = ({ options = {} }: Candidate): string => JSON.stringify(options);
  for (const text of new Set(Object.values(lists).flat().map(textOf))) {
    const same = Object.entries(lists).flatMap(([row, list]) =>
      list.filter((each) => textOf(each) === text).map((each) => ({ key: candidateKey(row, each), ...each })),
    );
    const description = await describeCandidate(same[0]!, request, dataset, run, notes);
    if (description === null) continue;
    notes.push(...description.notes);
    videos = description.videos.map(({ video }) => video);
    const choices = Object.fromEntries(same.map(({ key, choice }) => [key, choice]));
    Object.assign(ranked, await rankWithSeeds(description, choices, request.seeds ?? SEEDS, run));
  }
  const board = scoreboard(videos, ranked, { ...settings, resamples: 1, subject: '' });
  const there = Object.entries(lists).map(
    ([row, list]) => [row, list.filter((each) => candidateKey(row, each) in ranked)] as const,
  );
  const record = chooseNested(Object.fromEntries(there), board);
  const results = Object.fromEntries(record.rows.map((row) => [row.name, nestedResults(row, videos, ranked)]));
  return { record, results };
}

/** The videos with the vectors of a candidate; `null` if its network is missing, with a note. */
async function describeCandidate(
  { options: own = {} }: Candidate,
  request: BenchmarkRequest,
  dataset: Dataset,
  run: Run,
  notes: string[],
): Promise<Description | null> {
  if (own.features !== undefined && request.vectors !== undefined) {
    notes.push(`Left out: ${own.features}. Vectors were given, so no network is a candidate.`);
    return null;
  }
  const network = own.features === undefined ? {} : { ...OF_NO_NETWORK, model: undefined, background: undefined };
  try {
    const described = await describe(request, dataset, { ...run, options: { ...run.options, ...network, ...own } });
    if (described !== null) return described;
  } catch (error) {
    if (own.features === undefined) throw error;
    notes.push(leftOut(own.features, error));
    return null;
  }
  throw new UsageError('no-videos', 'Expected videos or vectors to choose settings on, found neither. Name --videos.');
}

/** Names features whose network is missing; any other error is thrown again. */
function leftOut(features: FeatureName, error: unknown): string {
  if (!(error instanceof ThroughlineError) || error.code !== 'no-model') throw error;
  return `Left out: ${features}. ${error.message.replace('--model', `--${features}`)}`;
}

/** Videos described in one way, and the methods to try on them, by row. */
type Trial = { readonly description: Description; readonly choices: Record<string, RowChoice> };

async function* methodTrials(request: BenchmarkRequest, dataset: Dataset, run: Run): AsyncGenerator<Trial> {
  const choices = Object.entries(choicesOf(request, run.options.seed));
  // A method may normalise vectors in its own way; analyses are in the cache after the first.
  const ways = new Set(choices.map(([, { method }]) => methods[method].normalise ?? run.options.normalise));
  for (const normalise of ways) {
    const description = await describe(request, dataset, { ...run, options: { ...run.options, normalise } });
    const own = choices.filter(([, { method }]) => (methods[method].normalise ?? run.options.normalise) === normalise);
    if (description) yield { description, choices: Object.fromEntries(own) };
  }
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
      if (request.features !== undefined) throw error;
      notes.push(leftOut(features, error));
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

/** Options that describe one network. */
const OF_NO_NETWORK = { layer: undefined, input: undefined, mean: undefined, std: undefined };

/** The options for one kind of features, without those about the network of another. */
function optionsFor(features: FeatureName, { weights }: BenchmarkRequest, options: Run['options']): Run['options'] {
  if (features === 'onnx') return { ...options, features };
  const model = features === 'c3d' || features === 'vgg' ? weights?.[features] : undefined;
  return { ...options, ...OF_NO_NETWORK, features, model, device: features === 'shallow' ? 'cpu' : options.device };
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

function choicesOf({ kind, methods: asked }: BenchmarkRequest, seed: number): Record<string, MethodChoice> {
  // Floors have rows of their own.
  const wanted = kind === 'ablation' ? ABLATION : (asked ?? METHOD_NAMES).filter((method) => !(method in FLOORS));
  return Object.fromEntries(wanted.map((method) => [method, { method, seed }]));
}

/** The rankings of each row, video by video: one, or one for each seed of a method that draws random numbers. */
async function rankWithSeeds(
  { videos }: Description,
  choices: Record<string, RowChoice>,
  seeds: number,
  run: Run,
): Promise<Record<string, Map<string, readonly Contender[]>>> {
  const trials = Object.entries(choices).flatMap(([name, choice]) =>
    Array.from({ length: SEEDED.includes(choice.method) ? seeds : 1 }, (_, at) => ({
      name,
      key: `${name}, seed ${at}`,
      choice: { ...choice, seed: (choice.seed ?? run.options.seed) + at },
    })),
  );
  const total = videos.length * trials.length;
  run.emit({ type: 'stage-started', stage: 'select', total });
  let done = 0;
  const answers = await rankAll(videos, Object.fromEntries(trials.map(({ key, choice }) => [key, choice])), {
    workers: run.jobs,
    signal: run.signal,
    onRanked: (method, video) =>
      run.emit({ type: 'progress', stage: 'select', fraction: ++done / total, item: `${method}: ${video}`, frames: 0 }),
  });
  run.emit({ type: 'stage-done', stage: 'select' });
  return Object.fromEntries(
    Object.keys(choices).map((name) => {
      const own = trials.filter((trial) => trial.name === name).map(({ key }) => answers[key]!);
      return [name, new Map(videos.map(({ video: { id } }) => [id, own.map((rankings) => rankings.get(id)!)]))];
    }),
  );
}

function rankingsOf(
  videos: readonly Dataset['videos'][number][],
  results: Readonly<Record<string, ReadonlyMap<string, readonly Contender[]>>>,
): VideoRankings[] {
  return videos.map(({ id, shots }) => ({
    video: id,
    starts: shots.map(({ startFrame }) => startFrame),
    endFrame: shots.at(-1)?.endFrame ?? 0,
    rows: Object.fromEntries(
      Object.entries(results).flatMap(([name, ranked]) => {
        const rankings = ranked
          .get(id)
          ?.map(({ order, scores }) => ({ order, scores: scores ? Array.from(scores) : null }));
        return rankings ? [[name, rankings]] : [];
      }),
    ),
  }));
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

/** Writes the record of a benchmark and the page that shows it to the run's folder. */
export async function publishBenchmark({ benchmark, picture }: BenchmarkOutcome, run: Run): Promise<BenchmarkFiles> {
  await run.workspace.openFolder(run.out);
  const [record, report] = [join(run.out, 'benchmark.json'), join(run.out, 'report.html')];
  await run.workspace.writeParts(record, [serialiseBenchmark(benchmark)]);
  run.emit({ type: 'wrote', path: record });
  await run.workspace.writeParts(report, renderBenchmark(benchmark, picture));
  run.emit({ type: 'wrote', path: report });
  return { folder: run.out, record, report };
}

/** Where the results of a benchmark are. */
type BenchmarkFiles = { readonly folder: string; readonly record: string; readonly report: string };

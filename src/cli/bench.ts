import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';

import { benchmark, type Benchmark, type BenchmarkRequest } from '../index.js';
import { FEATURE_NAMES, type FeatureName } from '../features/index.js';
import { METHOD_NAMES, type MethodName } from '../select/index.js';
import { counted, EXIT, type OutputOptions, withReporter } from './reporters.js';
import { readCount, addRunOptions, optionsOf, type Dialect } from './run-options.js';

type Dataset = BenchmarkRequest['dataset'];
type BenchFlags = OutputOptions & {
  data: string;
  videos?: string;
  vectors?: string;
  methods?: MethodName[];
  kinds?: FeatureName[];
  c3d?: string;
  vgg?: string;
  topics?: string[];
  draws: number;
  seeds: number;
  ties?: BenchmarkRequest['ties'];
  grid?: BenchmarkRequest['grid'];
  nested?: boolean;
};

const TIES = ['fraction', 'earlier'] as const satisfies readonly BenchmarkRequest['ties'][];
const GRIDS = ['scored', 'frames'] as const satisfies readonly BenchmarkRequest['grid'][];

/** Loaded only by the commands that need it, so that the others start faster. */
const openEval = () => import('../eval/index.js');

const TITLES: Readonly<Record<Dataset, string>> = { tvsum: 'TVSum', cosum: 'CoSum' };

/** `bench features` compares several kinds of features; these options describe the network of one, onnx. */
const OF_ONNX: Dialect['called'] = {
  model: { name: 'model', description: 'The network of onnx: an .onnx file, or the name of one in the models folder.' },
  layer: { name: 'layer', description: 'Tensor of that network that is the feature. Default: its first output.' },
};

/** Adds `bench` and what belongs to it. `end` is called with the exit code. */
export function addBench(program: Command, end: (code: number) => void): void {
  const bench = program
    .command('bench')
    .description(
      'Compare methods on labelled data sets with people, with orders that look at no picture, and with the paper.',
    );

  for (const dataset of ['tvsum', 'cosum'] as const) {
    addBenchOptions(
      bench
        .command(dataset)
        .description(`Run every method of the paper on ${TITLES[dataset]} and print the paper’s table.`)
        .addOption(
          new Option(
            '--methods <NAMES>',
            `Methods to compare, separated by commas: ${METHOD_NAMES.join(', ')}. Default: all.`,
          ).argParser(readNames(METHOD_NAMES)),
        )
        .addOption(
          new Option(
            '--nested',
            'Add rows whose settings are chosen for each topic on the other topics, and print what was chosen.',
          ),
        ),
    ).action(async (_flags: unknown, command: Command) => end(await run('methods', dataset, command)));
  }

  addBenchOptions(
    bench
      .command('ablation')
      .description('Compare cvs with cvs without the other videos and without diversity.')
      .addArgument(new Argument('[dataset]', 'the data set').choices(['tvsum', 'cosum']).default('tvsum')),
  ).action(async (dataset: Dataset, _flags: unknown, command: Command) => end(await run('ablation', dataset, command)));

  addBenchOptions(
    bench
      .command('features')
      .description('Compare cvs on each kind of features.')
      .addArgument(new Argument('[dataset]', 'the data set').choices(['tvsum', 'cosum']).default('tvsum'))
      .addOption(
        new Option(
          '--kinds <NAMES>',
          `Kinds of features, separated by commas: ${FEATURE_NAMES.join(', ')}. Default: all whose network is installed.`,
        ).argParser(readNames(FEATURE_NAMES)),
      )
      .addOption(new Option('--c3d <FILE>', 'ONNX file of c3d (default: the one imported into the models folder)'))
      .addOption(new Option('--vgg <FILE>', 'ONNX file of vgg (default: the one imported into the models folder)')),
    { comparesFeatures: true },
  ).action(async (dataset: Dataset, _flags: unknown, command: Command) => end(await run('features', dataset, command)));

  addScore(bench, end);
  addRescore(bench, end);
}

function addBenchOptions(command: Command, { comparesFeatures = false } = {}): Command {
  command
    .requiredOption('--data <FOLDER>', 'Folder with the official files of the data set.')
    .addOption(
      new Option(
        '--videos <FOLDER>',
        'Folder with the videos, named by id. Default: "videos" in the data folder, if it exists.',
      ),
    )
    .addOption(
      new Option('--vectors <PATH>', 'Features computed elsewhere: an .h5 file, or a folder of .npy files.').conflicts(
        'videos',
      ),
    )
    .addOption(new Option('--topics <CODES>', 'Use only these topics, for example VT,GA.').argParser(readList))
    .addOption(
      new Option('--draws <COUNT>', 'Number of orders averaged for each floor that is drawn.')
        .default(100)
        .argParser(readCount(1, 1_000_000)),
    )
    .addOption(
      new Option('--seeds <COUNT>', 'Number of seeds averaged for each method that draws random numbers.')
        .default(5)
        .argParser(readCount(1, 1000)),
    )
    .addOption(tiesOption())
    .addOption(
      new Option(
        '--grid <GRID>',
        'Where shots of TVSum begin: scored (where people’s scores change, the default) or frames (every 2·round(fps) frames).',
      ).choices(GRIDS),
    );
  command.addOption(
    new Option('--out <FOLDER>', 'Folder for benchmark.json and report.html. Default: throughline-bench-DATASET.'),
  );
  const network = ['model', 'layer', 'input', 'mean', 'std', 'device'] as const;
  const others = ['normalise', 'blocks', 'whiten', 'seed', 'jobs', 'cache'] as const;
  // Only `bench features` compares kinds of features; the other commands take one.
  return comparesFeatures
    ? addRunOptions(command, [...network, ...others], { called: OF_ONNX })
    : addRunOptions(command, ['features', ...network, ...others]);
}

async function run(kind: BenchmarkRequest['kind'], dataset: Dataset, command: Command): Promise<number> {
  const { data, vectors, methods, kinds: features, c3d, vgg, nested, ...flags } = command.opts<BenchFlags>();
  const { topics, draws, seeds, ties, grid } = flags;
  const inside = join(data, 'videos');
  const isInside = await access(inside).then(
    () => true,
    () => false,
  );
  const videos = flags.videos ?? (vectors === undefined && isInside ? inside : undefined);
  return withReporter(
    flags,
    async (onEvent, signal) => {
      const weights = { c3d, vgg };
      const asked = { methods, features, weights, topics, draws, seeds, ties, grid };
      const lists = nested ? { nested: (await openEval()).CANDIDATES } : {};
      const request = { kind, dataset, data, videos, vectors, ...asked, ...lists };
      const result = await benchmark(request, await optionsOf(command), { onEvent, signal });
      return { ...result, table: await tableOf(result) };
    },
    (result, isShown) => {
      if (isShown)
        process.stdout.write(`${result.table}\nThe report: ${result.report}\nAll figures: ${result.record}\n`);
      return result.benchmark.skipped.length > 0 ? EXIT.someSkipped : EXIT.done;
    },
  );
}

function tiesOption(): Option {
  return new Option(
    '--ties <RULE>',
    'Shots that a person marks alike: fraction (they share the places they take, the default) or earlier (as in most published figures).',
  ).choices(TIES);
}

async function tableOf({ benchmark }: { benchmark: Benchmark }): Promise<string> {
  const { benchmarkTable } = await openEval();
  return benchmarkTable(benchmark, { width: Math.max(80, process.stdout.columns ?? 80), color: process.stdout.isTTY });
}

/** Reads names separated by commas, each one of `known`. */
function readNames<Name extends string>(known: readonly Name[]): (text: string) => Name[] {
  return (text) =>
    readList(text).map((given) => {
      const name = known.find((each) => each === given);
      if (name === undefined) throw new InvalidArgumentError(`Expected some of ${known.join(', ')}.`);
      return name;
    });
}

function readList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.some((item) => item === '')) throw new InvalidArgumentError('Expected names separated by commas.');
  return items;
}

/** Adds `bench score`, which scores any result against any references. */
function addScore(bench: Command, end: (code: number) => void): void {
  bench
    .command('score')
    .description('Score your own ranking or summary against your own references.')
    .argument('<result>', 'a list of shots, a record with "order" and "chosen", or a summary.json')
    .requiredOption('--references <FILE>', 'References: JSON [[0, 4], [1, 9]], or one list of shots per line.')
    .addOption(new Option('--video <ID>', 'Which video, if the summary.json has several.'))
    .addOption(new Option('--json', 'Print the scores as JSON.'))
    .addHelpText('after', '\nShots are numbered from 0.')
    .exitOverride()
    .action(async (path: string, flags: { references: string; video?: string; json?: boolean }) => {
      const { METRICS, readOwnResult, readReferences, scoreOwnRanking, scoreOwnSummary } = await openEval();
      const { order, chosen, lengths } = await readOwnResult(path, flags.video);
      const references = await readReferences(flags.references);
      const scores: Record<string, { readonly value: number | null }> = {
        ...(order ? scoreOwnRanking(order, references, lengths ? { shotCount: lengths.length } : {}) : {}),
        ...(chosen ? scoreOwnSummary(chosen, references, lengths ? { lengths } : {}) : {}),
      };
      const text = flags.json
        ? JSON.stringify(scores, null, 2)
        : Object.entries(scores).map(([name, { value }]) => scoreLine(METRICS[name as keyof typeof METRICS] ?? name, value, references.length)).join('\n'); // prettier-ignore
      process.stdout.write(`${text}\n`);
      end(EXIT.done);
    });
}

/** Adds `bench rescore`, which scores the rankings of a benchmark.json again. */
function addRescore(bench: Command, end: (code: number) => void): void {
  bench
    .command('rescore')
    .description('Score the rankings in a benchmark.json again, and print its table.')
    .argument('<record>', 'the benchmark.json')
    .requiredOption('--data <FOLDER>', 'Folder with the official files of the data set.')
    .addOption(tiesOption())
    .exitOverride()
    .action(async (path: string, { data, ties }: { data: string; ties?: (typeof TIES)[number] }) => {
      const { rescore } = await openEval();
      process.stdout.write(await tableOf({ benchmark: await rescore(path, data, ties) }));
      end(EXIT.done);
    });
}

function scoreLine(title: string, value: number | null, references: number): string {
  return `${title.padEnd(16)} ${value === null ? '–' : value.toFixed(4)}   ${counted(references, 'reference')}`;
}

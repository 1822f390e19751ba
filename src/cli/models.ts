import { type Command, Option } from 'commander';

import {
  checkModel,
  importNetwork,
  listModels,
  modelsFolder,
  removeStored,
  type Asked,
  type Device,
  type FileFeatures,
  type ImportChoice,
  type ListedModel,
  type ModelCheck,
} from '../features/index.js';
import { writeParts } from '../storage/index.js';
import { printable, counted, show, EXIT, type OutputOptions, withReporter } from './reporters.js';
import { addDeclared, readCount, addRunOptions, optionsOf } from './run-options.js';
import { makeBackground } from '../index.js';

type CheckFlags = OutputOptions & Asked & { device?: Device; features?: FileFeatures };

/** Adds `models` and what belongs to it. `end` is called with the exit code. */
export function addModels(program: Command, end: (code: number) => void): void {
  const models = program
    .command('models')
    .description('List, check, import and remove the networks that describe shots.')
    .addHelpText('after', `\nThe models folder is ${modelsFolder()}; set $THROUGHLINE_MODELS to use another.`);

  models
    .command('list')
    .description('List networks: bundled, and in the models folder.')
    .addOption(new Option('--json', 'Print the list as JSON.'))
    .action(async (flags: OutputOptions) => {
      const listed = await listModels();
      print(flags, listed, listText);
      end(EXIT.done);
    });

  addDeclared(
    models
      .command('check')
      .description('Read a network, run one black sample through it, and show its inputs and outputs.')
      .argument('<model>', 'an .onnx file, or a name from the list')
      .addOption(
        new Option('--features <NAME>', 'What a file without a record will be used for.').choices([
          'c3d',
          'vgg',
          'onnx',
        ]),
      )
      .addOption(new Option('--json', 'Print the findings as JSON.')),
    ['layer', 'input', 'mean', 'std', 'device'],
  ).action(async (model: string, { device, ...flags }: CheckFlags) => {
    print(flags, await checkModel(model, flags, device), checkText);
    end(EXIT.done);
  });

  addDeclared(
    models
      .command('import')
      .description(
        'Put an ONNX file into the models folder. Published weights of C3D and VGG-16 are converted first (tools/README.md).',
      )
      .argument('<file>', 'an .onnx file')
      .addOption(
        new Option('--network <NAME>', 'Which network it is; onnx for any other.')
          .choices(['c3d', 'vgg16', 'onnx'])
          .makeOptionMandatory(),
      )
      .addOption(
        new Option('--name <NAME>', 'Name in the models folder. Default: that of the network; for onnx, of the file.'),
      )
      .addOption(new Option('--licence <TEXT>', 'What its source says about using it; kept with it.'))
      .addOption(
        new Option('--channel-order <ORDER>', 'Channel order the network was trained on.').choices(['rgb', 'bgr']),
      )
      .addOption(new Option('--json', 'Print the result as JSON.')),
    ['layer', 'input', 'mean', 'std'],
  ).action(async (file: string, { json, ...choice }: OutputOptions & ImportChoice) => {
    const stored = await importNetwork(file, choice, writeParts);
    print(
      { json },
      stored,
      ({ name, dim, path }) => `"${name}" gives ${dim} numbers per sample. It was saved as ${path}.`,
    );
    end(EXIT.done);
  });

  models
    .command('remove')
    .description('Remove a network from the models folder.')
    .argument('<name>', 'a name from the list')
    .action(async (name: string) => {
      await removeStored(name);
      process.stdout.write(`Removed "${name}".\n`);
      end(EXIT.done);
    });

  for (const command of models.commands) command.exitOverride();
}

function print<T>({ json, quiet }: OutputOptions, value: T, textOf: (value: T) => string): void {
  if (json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  else if (!quiet) process.stdout.write(`${textOf(value)}\n`);
}

function listText(models: readonly ListedModel[]): string {
  const rows = models.map(({ name, state, dim, bytes, sha256, licence, problem }) => [
    printable(name),
    state,
    dim === null ? '?' : String(dim),
    megabytes(bytes),
    sha256?.slice(0, 16) ?? '',
    printable(problem ?? licence),
  ]);
  const table = [['name', 'state', 'numbers', 'size', 'sha256', 'licence'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ').trimEnd()); // prettier-ignore
  return [...lines, '', `The models folder is ${modelsFolder()}.`].join('\n');
}

function checkText(check: ModelCheck): string {
  const { record } = check;
  const facts: Readonly<Record<string, string>> = {
    file: `${check.path ?? 'shipped with Throughline'}, ${megabytes(check.bytes)}`,
    sha256: check.sha256,
    graph: `${check.nodeCount} operations, opset ${check.opset}`,
    inputs: check.inputs.map(valueText).join('; '),
    outputs: check.outputs.map(valueText).join('; '),
    feature: `${check.output}, ${check.dim} numbers per sample`,
    ...(record && { layers: record.layers.map(({ name, dim }) => `${name} (${dim})`).join(', ') }),
    sees: seesText(check.input),
    from: fromText(check),
    licence: check.licence,
    runs: `yes: a black sample gives finite numbers; the first took ${Math.round(check.firstMs)} ms, the next ${Math.round(check.nextMs)} ms`,
  };
  return Object.entries(facts).map(([name, text]) => `${name.padEnd(8)} ${printable(text)}`).join('\n'); // prettier-ignore
}

function fromText({ record, presumed }: ModelCheck): string {
  if (record) return `${record.network}${record.origin ? `, ${record.origin}` : ''}`;
  if (presumed === null) return 'the TensorFlow team; models/README.md tells more';
  return `no record next to the file: read as --features ${presumed} takes it; --features c3d, vgg or onnx says otherwise`;
}

function seesText({ width, height, frames, scaleTo, channelOrder, mean, std }: ModelCheck['input']): string {
  const scaled =
    'shorterSide' in scaleTo ? `shorter side ${scaleTo.shorterSide}` : `${scaleTo.width} × ${scaleTo.height}`;
  const size = `${width} × ${height}`;
  const what = frames === undefined ? 'pictures' : `windows of ${frames} frames`;
  const cut = scaled === size ? `whole frames scaled to ${size}` : `the ${size} centre of frames scaled to ${scaled}`;
  return `${what}, ${cut}; ${channelOrder.toUpperCase()}, minus ${mean.join(', ')}, divided by ${std.join(', ')}`;
}

function valueText({ name, dtype, shape }: ModelCheck['inputs'][number]): string {
  return `${name} ${shape?.map((size) => size ?? '?').join(' × ') ?? 'of unknown shape'} ${dtype}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The options that the vectors of a background depend on. */
const OPTIONS = [
  ...([
    'recursive',
    'segmenter',
    'shotsBy',
    'minShot',
    'maxShot',
    'features',
    'model',
    'layer',
    'input',
    'mean',
    'std',
  ] as const),
  ...(['device', 'jobs', 'cache'] as const),
];

type Flags = OutputOptions & { readonly file: string; readonly perVideo: number };

/** Adds `background`. `end` is called with the exit code. */
export function addBackground(program: Command, end: (code: number) => void): void {
  addRunOptions(
    program
      .command('background')
      .description('Make a background of unrelated footage, for evidence with another network than the included one.')
      .argument('<videos...>', 'folders of varied videos, none of them about the topics to come')
      .addOption(new Option('--file <FILE>', 'File to write.').default('background.bin'))
      .addOption(
        new Option('--per-video <COUNT>', 'Shots taken of each video.').argParser(readCount(1, 1000)).default(20),
      ),
    OPTIONS,
  )
    .addHelpText('after', '\nUse it with "throughline summarize FOLDER --features NAME --background FILE".')
    .action(async (videos: string[], _flags: unknown, command: Command) => {
      const { file, perVideo } = command.opts<Flags>();
      end(
        await withReporter(
          command.opts<OutputOptions>(),
          async (onEvent, signal) =>
            makeBackground(
              videos,
              file,
              { ...(await optionsOf(command)), shotsPerVideo: perVideo },
              { onEvent, signal },
            ),
          (made, isShown) => {
            if (isShown) {
              const taken = `${counted(made.shots, 'shot')} of ${counted(made.videos, 'video')}`;
              process.stdout.write(`${taken} written to ${show(made.path)}\n`);
              for (const { message } of made.skipped) process.stdout.write(`skipped: ${printable(message)}\n`);
            }
            return made.skipped.length > 0 ? EXIT.someSkipped : EXIT.done;
          },
        ),
      );
    });
}

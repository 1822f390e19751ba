import { type Command, Option } from 'commander';

import { makeBackground } from '../index.js';
import { counted, show } from './outcome.js';
import { printable } from './printable.js';
import { readCount } from './read-count.js';
import { addRunOptions, optionsOf } from './run-options.js';
import { EXIT, type OutputOptions, withReporter } from './running.js';

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

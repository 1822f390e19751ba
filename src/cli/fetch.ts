import { type Command, Option } from 'commander';
import { resolve } from 'node:path';

import { fetchResults, topicNamed } from '../jobs/index.js';
import { openObjects } from '../store/index.js';
import { addFleetOptions, required, SCRATCH, withoutSecrets, type FleetFlags } from './fleet-options.js';
import { counted, show } from './outcome.js';
import { EXIT, type OutputOptions, withReporter } from './running.js';

type FetchFlags = FleetFlags & OutputOptions & { out: string };

/** Adds `fetch`. `end` is called with the exit code. */
export function addFetch(program: Command, end: (code: number) => void): void {
  addFleetOptions(
    program
      .command('fetch')
      .description('Copy the results of a finished topic from the store into a folder.')
      .argument('<topic>', 'its id, as printed by submit, or a beginning of it that no other topic has'),
    ['store'],
  )
    .addOption(new Option('--out <FOLDER>', 'Folder for the results.').makeOptionMandatory())
    .addOption(new Option('--json', 'Print one JSON event per line, for programs.').conflicts('quiet'))
    .addOption(new Option('--quiet', 'Print nothing but errors.'))
    .addHelpText(
      'after',
      '\nExample:\n  throughline fetch 4f0c2d9a17be… --store s3://films/throughline --out ./paris-summary',
    )
    .exitOverride()
    .action(async (topic: string, flags: FetchFlags) => {
      end(await withoutSecrets(flags, () => runFetch(topic, flags)));
    });
}

function runFetch(topic: string, flags: FetchFlags): Promise<number> {
  return withReporter(
    flags,
    async (tell, signal) => {
      const objects = await openObjects(required(flags, 'store'));
      const desk = { objects, scratch: SCRATCH, jobs: 4, tell, signal };
      return fetchResults(await topicNamed(topic, objects), resolve(flags.out), desk);
    },
    ({ files }, isShown) => {
      if (isShown) process.stdout.write(`${counted(files.length, 'file')} in ${show(resolve(flags.out))}\n`);
      return EXIT.done;
    },
  );
}

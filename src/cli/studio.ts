import { once } from 'node:events';
import { type Command, Option } from 'commander';
import pc from 'picocolors';

import { openBrowser } from './open-browser.js';
import { readCount } from './read-count.js';
import { addDeclared } from './run-options.js';
import { EXIT } from './running.js';

type StudioFlags = { port: number; open: boolean; jobs?: number };

/** Adds `studio`. `end` is called with the exit code. */
export function addStudio(program: Command, end: (code: number) => void): void {
  const studio = program
    .command('studio')
    .description(
      'Open a topic in the browser: see, adjust and compare its summaries. Runs on this machine only, until Ctrl-C.',
    )
    .argument(
      '[folder]',
      'a folder of videos, or the folder of a topic (default: choose a folder or drop videos on the page)',
    )
    .addOption(
      new Option('--port <NUMBER>', 'Port to listen on; 0 takes any free port.')
        .default(0)
        .argParser(readCount(0, 65_535)),
    )
    .addOption(new Option('--no-open', 'Print the address, but do not open a browser.'));
  addDeclared(studio, ['jobs'])
    .addHelpText(
      'after',
      '\nExamples:\n  throughline studio\n  throughline studio ./paris\n  throughline studio ./paris-topic --port 8080 --no-open',
    )
    .exitOverride()
    .action(async (folder: string | undefined, flags: StudioFlags) => end(await runStudio(folder, flags)));
}

async function runStudio(folder: string | undefined, { port, open, jobs }: StudioFlags): Promise<number> {
  const { startStudio } = await import('../studio/index.js');
  const server = await startStudio(folder, { port, jobs });
  process.stdout.write(`The studio is open at ${pc.bold(server.address)}\nPress Ctrl-C to stop it.\n`);
  if (open && process.stdout.isTTY) openBrowser(server.address);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await server.close();
  return EXIT.done;
}

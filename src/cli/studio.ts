import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import pc from 'picocolors';

import { readCount, addDeclared } from './run-options.js';
import { EXIT } from './reporters.js';

type StudioFlags = { port: number; open: boolean; share?: boolean; jobs?: number };

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
    .addOption(
      new Option(
        '--share',
        'Also let others on this network watch the film, comment and rate, at a second address. They can change nothing else.',
      ),
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

async function runStudio(folder: string | undefined, { port, open, share, jobs }: StudioFlags): Promise<number> {
  const { startStudio } = await import('../studio/index.js');
  const server = await startStudio(folder, { port, jobs, share: share === true });
  process.stdout.write(`The studio is open at ${pc.bold(server.address)}\n`);
  if (server.review !== null) process.stdout.write(`Others on this network review at ${pc.bold(server.review)}\n`);
  process.stdout.write('Press Ctrl-C to stop it.\n');
  if (open && process.stdout.isTTY) openBrowser(server.address);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await server.close();
  return EXIT.done;
}

/**
 * Opens an address in the browser. Every user of a machine can read the arguments of all programs, and the address holds a
 * secret; so the browser gets a page in a folder that only this user may enter, which leads there. Gives the function that
 * removes the page. Without a browser nothing happens: the address was printed.
 */
export function openBrowser(address: string): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-studio-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const page = join(folder, 'open.html');
  writeFileSync(page, leadTo(address), { mode: 0o600 });
  const [command, ...args] = {
    darwin: ['open', page],
    win32: ['rundll32', 'url.dll,FileProtocolHandler', page],
  }[process.platform as 'darwin' | 'win32'] ?? ['xdg-open', page];
  spawn(command!, args, { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
  return remove;
}

/** The address is our own: it has no characters that mean something in HTML. */
function leadTo(address: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Throughline</title>
<a href="${address}">Open the studio</a>
`;
}

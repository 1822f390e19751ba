#!/usr/bin/env node
// Any version of Node must be able to read this file: no static imports and no top-level await before the version is checked.
const oldest = [20, 19];
/** The program needs this many open files to load; with less address space, V8 aborts without a message. */
const FEWEST_FILES = 256;
const LEAST_BYTES = 2.5 * 2 ** 30;

/** Prints one sentence and exits. */
function giveUp(sentence: string): never {
  process.stderr.write(`throughline: ${sentence}\n`);
  process.exit(1);
}

// A closed pipe (EPIPE), as with `head`, is not an error. Errors of stderr cannot be reported.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  const why = error.code === 'ENOSPC' ? 'its disk is full' : (error.code ?? error.message);
  giveUp(`Could not write to standard output: ${why}. Free some space or print elsewhere, and run again.`);
});

/** Exits with a sentence if the limits of this process (ulimit) are too low. Not all systems report them. */
async function checkLimits(): Promise<void> {
  const { readFileSync } = await import('node:fs');
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return;
  }
  const limit = (name: string): number => Number(new RegExp(`^${name} +(\\d+)`, 'm').exec(limits)?.[1] ?? Infinity);
  const [files, bytes] = [limit('Max open files'), limit('Max address space')];
  if (files < FEWEST_FILES) {
    giveUp(`Expected to open ${FEWEST_FILES} files or more at a time, found a limit of ${files}. Raise it (ulimit -n), and run again.`); // prettier-ignore
  }
  if (bytes < LEAST_BYTES) {
    const found = `${(bytes / 2 ** 30).toFixed(1)} GB`;
    giveUp(`Expected 2.5 GB of memory or more, found a limit of ${found}. Raise it (ulimit -v), and run again.`);
  }
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major! < oldest[0]! || (major === oldest[0] && minor! < oldest[1]!)) {
  process.stderr.write(
    `throughline: Expected Node ${oldest.join('.')} or newer, found ${process.versions.node}. Install a newer one (https://nodejs.org) and run again.\n`,
  );
  process.exitCode = 1;
} else {
  void checkLimits()
    .then(() => import('./program.js'))
    .then(async ({ runCli }) => {
      process.exitCode = await runCli(process.argv.slice(2));
    });
}

export {};

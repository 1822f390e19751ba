#!/usr/bin/env node
// Any version of Node must be able to read this file: no static imports and no top-level await before the version is checked.
const oldest = [20, 19];

// The reader of a pipe may stop early, as `head` does; that is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major! < oldest[0]! || (major === oldest[0] && minor! < oldest[1]!)) {
  process.stderr.write(
    `throughline: Expected Node ${oldest.join('.')} or newer, found ${process.versions.node}. Install a newer one (https://nodejs.org) and run again.\n`,
  );
  process.exitCode = 1;
} else {
  void import('./program.js').then(async ({ runCli }) => {
    process.exitCode = await runCli(process.argv.slice(2));
  });
}

export {};

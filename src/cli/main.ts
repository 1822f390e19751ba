#!/usr/bin/env node
// This file is read by whatever Node there is: it imports nothing before the version is known, and waits for nothing at its top.
const oldest = 20;

// Whoever reads may stop reading, as `head` does; that is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

if (Number(process.versions.node.split('.')[0]) < oldest) {
  process.stderr.write(
    `throughline: Expected Node ${oldest} or newer, found ${process.versions.node}. Install a newer one (https://nodejs.org) and run again.\n`,
  );
  process.exitCode = 1;
} else {
  void import('./program.js').then(async ({ runCli }) => {
    process.exitCode = await runCli(process.argv.slice(2));
  });
}

export {};

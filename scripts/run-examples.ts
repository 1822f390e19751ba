/** Runs every example as a user would, in a folder of its own; the first that fails ends the run. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const home = resolve(import.meta.dirname, '..');
const tsx = join(home, 'node_modules', 'tsx', 'dist', 'cli.mjs');
for (const name of readdirSync(join(home, 'examples'))
  .filter((file) => file.endsWith('.ts'))
  .sort()) {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-example-'));
  process.stdout.write(`examples/${name}\n`);
  try {
    execFileSync(
      process.execPath,
      [tsx, '--tsconfig', join(home, 'tsconfig.examples.json'), join(home, 'examples', name)],
      {
        cwd: folder,
        stdio: 'inherit',
        env: { ...process.env, THROUGHLINE_CACHE: join(folder, 'cache') },
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the examples one after the other in one folder, as a user would: the topic is drawn and analysed once. The first
 * that fails ends the run. `npm run examples -- 05 07` runs only those.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const home = resolve(import.meta.dirname, '..');
const tsx = join(home, 'node_modules', 'tsx', 'dist', 'cli.mjs');
const asked = process.argv.slice(2);
const names = readdirSync(join(home, 'examples'))
  .filter((file) => file.endsWith('.ts'))
  .filter((file) => asked.length === 0 || asked.some((start) => file.startsWith(start)))
  .sort();
if (names.length === 0) throw new Error(`Expected the beginning of an example's name, found "${asked.join(' ')}".`);
const folder = mkdtempSync(join(tmpdir(), 'throughline-examples-'));
try {
  for (const name of names) {
    const began = Date.now();
    process.stdout.write(`examples/${name}\n`);
    execFileSync(
      process.execPath,
      [tsx, '--tsconfig', join(home, 'tsconfig.examples.json'), join(home, 'examples', name)],
      {
        cwd: folder,
        stdio: 'inherit',
        env: { ...process.env, THROUGHLINE_CACHE: join(folder, 'cache') },
      },
    );
    process.stdout.write(`  (${((Date.now() - began) / 1000).toFixed(1)} s)\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

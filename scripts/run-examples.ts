/**
 * Runs the examples one after the other in one folder, as a user would: the topic is drawn and analysed once. The first
 * that fails ends the run. `npm run examples -- 05 07` runs only those. Those in Python run if the system has one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const home = resolve(import.meta.dirname, '..');
const tsx = join(home, 'node_modules', 'tsx', 'dist', 'cli.mjs');
const asked = process.argv.slice(2);
const names = readdirSync(join(home, 'examples'))
  .filter((file) => /\.(ts|py)$/.test(file))
  .filter((file) => asked.length === 0 || asked.some((start) => file.startsWith(start)))
  .sort();
if (names.length === 0) throw new Error(`Expected the beginning of an example's name, found "${asked.join(' ')}".`);
const folder = mkdtempSync(join(tmpdir(), 'throughline-examples-'));
try {
  for (const name of names) {
    const began = Date.now();
    process.stdout.write(`examples/${name}\n`);
    if (name.endsWith('.py')) runPython(name);
    else run(process.execPath, [tsx, '--tsconfig', join(home, 'tsconfig.examples.json'), join(home, 'examples', name)]);
    process.stdout.write(`  (${((Date.now() - began) / 1000).toFixed(1)} s)\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(program: string, args: readonly string[]): void {
  const env = { ...process.env, THROUGHLINE_CACHE: join(folder, 'cache') };
  execFileSync(program, args, { cwd: folder, stdio: 'inherit', env });
}

/** Runs a reader of scores on those of the demo, as its first lines say. */
function runPython(name: string): void {
  if (spawnSync('python3', ['--version']).status !== 0)
    return void process.stdout.write('  not run: no python3 here\n');
  const throughline = (...args: string[]): void => run(process.execPath, [tsx, join(home, 'src/cli/main.ts'), ...args]);
  if (!existsSync(join(folder, 'harbour-town'))) throughline('demo', 'harbour-town', '--quiet', '--no-films');
  throughline('score', 'harbour-town', '--json', 'shots.jsonl', '--tables', 'tables', '--quiet');
  run('python3', [join(home, 'examples', name), 'shots.jsonl']);
}

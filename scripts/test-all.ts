/**
 * `npm run test:all` runs every test; `npm run test:all -- studio fleet` runs parts (test/parts.ts). At its end it says what
 * was skipped, and why. CI calls it with `--require-programs` (a missing program is an error) and `--after-fast` (leave out
 * what `npm test` has just run).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { redisPath } from '../test/fixtures/redis.js';
import { fastParts, LONG, slowParts, type Needed } from '../test/parts.js';
import { footage } from '../test/real/folder.js';
import { browserPath } from '../test/studio/browser.js';

const words = process.argv.slice(2);
const isStrict = words.includes('--require-programs');
const isAfterFast = words.includes('--after-fast');
const asked = words.filter((word) => !word.startsWith('--'));
const names = [LONG.name, ...slowParts.map(({ name }) => name)];
const unknown = asked.find((word) => !names.includes(word));
if (unknown !== undefined) fail(`Expected parts of ${names.join(', ')}, found "${unknown}".`);

const wanted = slowParts.filter(({ name }) => asked.length === 0 || asked.includes(name));
const hasFootage = existsSync(footage);
const projects = wanted.map(({ name }) => name).filter((name) => name !== 'real' || hasFootage);
const missing = wanted.flatMap(({ name, needs = [] }) => needs.filter((needed) => !isThere(needed)).map((needed) => ({ name, ...needed }))); // prettier-ignore
const unexcused = missing.filter(({ variable }) => variable === undefined || process.env[variable] !== 'none');
if (isStrict && unexcused.length > 0)
  fail(unexcused.map(({ name, program, debian }) => `${name} needs ${program}: apt-get install ${debian}`).join('\n'));

const fast = fastParts.map(({ name }) => name);
let status = 0;
if (asked.length === 0 && !isAfterFast) status = vitest([...fast, ...projects]);
else {
  if (asked.length === 0 || asked.includes(LONG.name))
    status = vitest(fast, '--tags-filter', LONG.tag, ...filesWithTag(LONG.tag));
  if (projects.length > 0) status = vitest(projects) || status;
}
for (const { name, program, debian } of missing)
  process.stdout.write(`Skipped: tests of ${name} that need ${program}. To run them: apt-get install ${debian}\n`);
if (wanted.some(({ name }) => name === 'real') && !hasFootage)
  process.stdout.write(`Skipped: real, no footage in "${footage}". Set THROUGHLINE_REAL_VIDEOS to its folder.\n`);
process.exitCode = status;

function vitest(parts: readonly string[], ...more: string[]): number {
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...parts.flatMap((name) => ['--project', name]), ...more];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}

/** Test files that name a tag. The others need not be loaded to find that they have no test with it. */
function filesWithTag(tag: string): string[] {
  return ['src', 'test']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => new RegExp(`tags: '${tag}'|@module-tag ${tag}`).test(readFileSync(file, 'utf8')));
}

function isThere({ program, variable }: Needed): boolean {
  if (variable !== undefined && process.env[variable] === 'none') return false;
  if (program === 'chromium') return browserPath() !== undefined;
  if (program === 'redis-server') return redisPath() !== undefined;
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

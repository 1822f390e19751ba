/**
 * npx tsx scripts/measures.ts [--single] [--frame VIDEO]     the size of the house; test/house.test.ts holds its limits
 * `--single` lists files that one other file imports and no test covers; `--frame` runs an analysis of VIDEO and lists the
 * files with a function that was called at least once for every frame.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { allPages } from './figures.js';

const home = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(home, file), 'utf8');

/** Source files without tests and suites of tests. */
export function sourceFiles(): string[] {
  return readdirSync(join(home, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|case)\.tsx?$/.test(name))
    .map((name) => join('src', name))
    .sort();
}

/** Words of all pages but the changelog: what is between spaces and has a letter or a digit. */
export function documentedWords(): number {
  const pages = [...allPages(), 'tools/README.md', 'fonts/README.md', 'skills/throughline/SKILL.md'];
  const words = pages.filter((page) => page !== 'CHANGELOG.md').map((page) => read(page).match(/\S*[\p{L}\p{N}]\S*/gu)!.length); // prettier-ignore
  return words.reduce((sum, each) => sum + each, 0);
}

/** Files that exactly one other imports, and that have no test of their own. */
export function singleFiles(): string[] {
  const files = sourceFiles();
  const importers = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [, from] of read(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const path = join(dirname(file), from!);
      const target = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((each) => files.includes(each));
      if (target) importers.set(target, (importers.get(target) ?? new Set()).add(file));
    }
  }
  const tests = readdirSync(join(home, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => /\.test\.tsx?$/.test(name)); // prettier-ignore
  const isTested = (file: string): boolean => tests.some((test) => join('src', test).startsWith(file.replace(/\.tsx?$/, '.'))); // prettier-ignore
  return files.filter((file) => importers.get(file)?.size === 1 && !isTested(file) && basename(file) !== 'index.ts').map((file) => `${file} ${read(file).split('\n').length} <- ${[...importers.get(file)!][0]!}`); // prettier-ignore
}

/** Files with a function that was called for every frame of a video, while it was analysed and summarised. */
function frameFiles(video: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-measures-'));
  try {
    const args = ['--import', 'tsx', 'src/cli/main.ts', 'summarize', resolve(video), '--no-films', '--out', join(folder, 'out'), '--cache', join(folder, 'cache'), '--quiet']; // prettier-ignore
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: home, encoding: 'utf8', env: { ...process.env, NODE_V8_COVERAGE: join(folder, 'calls') } }); // prettier-ignore
    if (status !== 0) throw new Error(stderr);
    const { videos } = JSON.parse(readFileSync(join(folder, 'out', 'summary.json'), 'utf8')) as { videos: { frames: number }[] }; // prettier-ignore
    type Coverage = { result: { url: string; functions: { ranges: { count: number }[] }[] }[] };
    const crossed = readdirSync(join(folder, 'calls')).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(folder, 'calls', name), 'utf8')) as Coverage;
      const often = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count >= videos[0]!.frames)); // prettier-ignore
      return often
        .filter(({ url }) => url.includes('/src/'))
        .map(({ url }) => fileURLToPath(url).slice(home.length + 1));
    });
    return [...new Set(crossed)].filter((file) => file.startsWith('src/')).sort();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const files = sourceFiles();
  const single = singleFiles();
  const video = process.argv[process.argv.indexOf('--frame') + 1];
  const crossed = process.argv.includes('--frame') && video ? frameFiles(video) : null;
  const measures = {
    'files without tests': files.length,
    'lines of them': files.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0),
    rooms: new Set(files.map((file) => file.split('/')[1]!).filter((name) => !name.includes('.'))).size,
    'files with one importer and no test': single.length,
    'words of documentation': documentedWords(),
    'public names':
      read('docs/reference/public-types.txt').match(/^\d+|^# \d+/m)?.[0] ?? 'see docs/reference/public-types.txt',
    ...(crossed && { 'files with a call for every frame': crossed.length }),
  };
  for (const [name, value] of Object.entries(measures)) console.log(`${name.padEnd(40)} ${value}`);
  if (process.argv.includes('--single')) console.log(single.join('\n'));
  if (crossed) console.log(crossed.join('\n'));
}

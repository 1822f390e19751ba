import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const home = resolve(import.meta.dirname, '..');

/** Footage and data sets that are not part of the package, where a checkout has them. */
export const shared = resolve(home, '../shared/data');

/** What the words of `args` stand for. */
const MATERIAL: Readonly<Record<string, string>> = {
  DATA: shared,
  TVSUM: join(shared, 'tvsum'),
  VIDEOS: join(shared, 'videos'),
  SURFING: join(shared, 'videos/surfing'),
  TRAFFIC: join(shared, 'videos/traffic'),
  ODD: join(shared, 'videos/odd'),
  MARKS: join(shared, 'marks'),
};

/** A command `npm run bench:NAME -- ARGS` whose figures the table leaves out. What it prints is kept in `bench/NAME/`. */
type Longer = { readonly name: string; readonly args: string; readonly measures: string; readonly page: string };

/** Each takes minutes but the last, which takes hours. */
export const LONGER: readonly Longer[] = [
  { name: 'paper', args: 'DATA', measures: 'TVSum and CoSum with every measure', page: 'benchmarks.md#tvsum-five-topics' },
  { name: 'solver', args: '', measures: 'products of matrices, long videos, large topics', page: 'method.md' },
  { name: 'scale', args: 'all SURFING', measures: 'a million simulated videos, Redis, one worker and two', page: 'scale.md' },
  { name: 'shots', args: 'VIDEOS', measures: 'cuts, dissolves and flashes found, beside scdet', page: 'decisions/0035-takes-and-shots.md' },
  { name: 'coverage', args: 'TVSUM', measures: 'what summaries leave out, beside uniform and random', page: 'decisions/0037-clips-and-views.md' },
  { name: 'film', args: 'TVSUM', measures: 'the film of a topic beside other methods', page: 'decisions/0038-the-film-by-moments.md' },
  { name: 'same', args: 'TVSUM SURFING TRAFFIC', measures: 'from when on two shots show the same thing', page: 'decisions/0048-the-same-thing-in-this-topic.md' },
  { name: 'features', args: '', measures: 'CPU time of each network, one by one and in batches', page: 'features.md' },
  { name: 'strays', args: 'TVSUM SURFING TRAFFIC', measures: 'planted videos found, good videos accused', page: 'decisions/0039-belonging.md' },
  { name: 'topics', args: 'TVSUM SURFING TRAFFIC', measures: 'mixed folders divided into topics', page: 'decisions/0015-topics-of-a-folder.md' },
  { name: 'cosum', args: 'TVSUM', measures: 'edges, centring and CPU time of the method cosum', page: 'methods/baselines.md#cosum' },
  { name: 'sync', args: 'SURFING TRAFFIC ODD', measures: 'cameras aligned by their sound', page: 'decisions/0041-order-and-clocks.md' },
  { name: 'marks', args: 'MARKS SURFING TRAFFIC', measures: 'real footage against sanity marks made by models', page: 'benchmarks.md#sanity-marks-on-real-footage' },
  { name: 'studio', args: '', measures: 'frames per second of the map', page: 'studio.md' },
  { name: 'load', args: '', measures: 'ten hours, a thousand videos', page: 'limits.md' },
]; // prettier-ignore

const lineOf = ({ name, args }: Longer): string => `npm run bench:${name}${args === '' ? '' : ` -- ${args}`}`;

/** What a command last printed, by file. */
function printedBy({ name }: Longer): { file: string; text: string }[] {
  const files = readdirSync(join(home, 'bench', name)).filter((file) => /\.(?:txt|md)$/.test(file));
  return files.sort().map((file) => ({
    file: `bench/${name}/${file}`,
    text: readFileSync(join(home, 'bench', name, file), 'utf8').trimEnd(),
  }));
}

/** Measures it again. Returns why not, where that failed. */
export function measureAgain(longer: Longer): string | null {
  const args = longer.args.split(' ').map((word) => MATERIAL[word] ?? word).filter(Boolean); // prettier-ignore
  const missing = args.find((arg) => arg.startsWith(shared) && !existsSync(arg));
  if (missing !== undefined) return `"${lineOf(longer)}" was left out: there is no ${missing}.`;
  const { status } = spawnSync('npm', ['run', '--silent', `bench:${longer.name}`, '--', ...args], { cwd: home, stdio: 'inherit' }); // prettier-ignore
  return status === 0 ? null : `"${lineOf(longer)}" failed.`;
}

/** What all of them last printed; each says on what machine and when. */
export function longerText(): string {
  return LONGER.flatMap((longer) => [
    `== ${lineOf(longer)}`,
    ...printedBy(longer).map(({ file, text }) => `${file}\n${text}`),
  ]).join('\n\n');
}

/** The commands as a table of docs/benchmarks.md. */
export function longerTable(): string {
  const rows = LONGER.map((longer) => {
    const printed = printedBy(longer);
    const dates = new Set(printed.flatMap(({ text }) => text.match(/\b20\d\d-\d\d-\d\d\b/g) ?? ['not dated']));
    const links = printed.map(({ file }) => `[${file.split('/').at(-1)}](../${file})`);
    return `| \`${lineOf(longer)}\` | [${longer.measures}](${longer.page}) | ${[...dates].sort().join(', ')} | ${links.join(', ')} |`;
  });
  return ['| command | measures | last run | printed |', '|---|---|---|---|', ...rows].join('\n');
}

/**
 * Writes the tables of docs/benchmarks.md: `npm run bench:paper -- FOLDER`, where FOLDER holds `tvsum` (official files and
 * `videos`) and `cosum` (official files). What stands between the marks of a table is replaced, the reading around it is not.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { benchmark, type BenchmarkRequest, type OptionsInput } from '../src/index.js';
import { benchmarkMarkdown } from '../src/eval/index.js';

const page = resolve(import.meta.dirname, '../docs/benchmarks.md');
const folder = process.argv[2];
if (folder === undefined) throw new Error('Expected the folder that holds tvsum and cosum. Name it.');

/** Topics on which defaults were chosen: the only ones whose videos could be had. */
const topics = ['VT', 'GA', 'PK', 'FM', 'BT'];
const tvsum = { dataset: 'tvsum', data: join(folder, 'tvsum'), videos: join(folder, 'tvsum', 'videos'), topics, draws: 100 } as const; // prettier-ignore
const requests: Readonly<Record<string, BenchmarkRequest & { options?: OptionsInput }>> = {
  'tvsum methods': { kind: 'methods', ...tvsum },
  'tvsum length': { kind: 'methods', ...tvsum, options: { normalise: 'length' } },
  'tvsum ablation': { kind: 'ablation', ...tvsum },
  // Networks that `throughline models add` did not fetch are left out, and named.
  'tvsum features': { kind: 'features', ...tvsum },
  'cosum people': { kind: 'methods', dataset: 'cosum', data: join(folder, 'cosum'), draws: 100 },
};

let text = readFileSync(page, 'utf8');
// One table only, where it is named: `npm run bench:paper -- FOLDER 'tvsum length'`.
for (const [name, { options: special, ...request }] of Object.entries(requests)) {
  if (process.argv[3] !== undefined && process.argv[3] !== name) continue;
  const options: OptionsInput = { ...special, out: join('bench-results', name.replace(' ', '-')) };
  const result = await benchmark(request, options);
  const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`Expected the marks "${begin}" and "${end}" in docs/benchmarks.md.`);
  text = `${text.slice(0, from)}${begin}\n\n${benchmarkMarkdown(result.benchmark)}\n${text.slice(to)}`;
  console.log(`${name}: ${result.report}`);
}
writeFileSync(page, text);

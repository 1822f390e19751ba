// npm run bench:paper -- FOLDER [TABLE]     the long tables of docs/benchmarks.md; FOLDER holds tvsum (official files, videos) and cosum (official files)
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { UsageError } from '../../src/base/index.js';
import { benchmark, type BenchmarkRequest } from '../../src/index.js';
import { benchmarkMarkdown, CANDIDATES } from '../../src/eval/index.js';
import { fillPages } from '../../scripts/figures.js';
import { machineFacts } from '../machine.js';
import { DEVELOPMENT_TOPICS } from '../tvsum.js';

const [folder, only] = process.argv.slice(2);
if (folder === undefined) throw new UsageError('no-data', 'Expected the folder that holds tvsum and cosum. Name it.');

const tvsum = { dataset: 'tvsum', data: join(folder, 'tvsum'), videos: join(folder, 'tvsum', 'videos'), topics: DEVELOPMENT_TOPICS, draws: 100 } as const; // prettier-ignore
const requests: Readonly<Record<string, BenchmarkRequest>> = {
  'tvsum-methods': { kind: 'methods', ...tvsum, nested: CANDIDATES },
  // The default alone, in a minute.
  'tvsum-default': { kind: 'methods', ...tvsum, methods: ['cvs', 'cvs-neighborhood'] },
  // People and floors where shots begin every 2·round(fps) frames.
  'tvsum-grid': { kind: 'methods', ...tvsum, videos: undefined, grid: 'frames' },
  // With the tie rule of published figures, to compare with the paper's people.
  'cosum-people': { kind: 'methods', dataset: 'cosum', data: join(folder, 'cosum'), draws: 100, ties: 'earlier' },
};

const names = Object.keys(requests);
if (only !== undefined && !names.includes(only))
  throw new UsageError('no-table', `Expected a table (${names.join(', ')}), found "${only}". Name one of these.`);

for (const [name, request] of Object.entries(requests)) {
  if (only !== undefined && only !== name) continue;
  const facts = (await machineFacts()).join(', ');
  const result = await benchmark(request, { out: join('bench-results', name) });
  const text = `${benchmarkMarkdown(result.benchmark).trimEnd()}\n\nMeasured on: ${facts}.\n`;
  writeFileSync(join(import.meta.dirname, `${name}.md`), text);
  console.log(text);
}
fillPages();

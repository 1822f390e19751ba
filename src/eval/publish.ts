import { join } from 'node:path';
import type { Run } from '../pipeline/index.js';
import { renderBenchmark, serialiseBenchmark } from './report/index.js';
import type { BenchmarkOutcome } from './run-benchmark.js';

/** Writes the record of a benchmark and the page that shows it to the run's folder. */
export async function publishBenchmark({ benchmark, picture }: BenchmarkOutcome, run: Run): Promise<BenchmarkFiles> {
  await run.workspace.openFolder(run.out);
  const [record, report] = [join(run.out, 'benchmark.json'), join(run.out, 'report.html')];
  await run.workspace.writeParts(record, [serialiseBenchmark(benchmark)]);
  run.emit({ type: 'wrote', path: record });
  await run.workspace.writeParts(report, renderBenchmark(benchmark, picture));
  run.emit({ type: 'wrote', path: report });
  return { folder: run.out, record, report };
}

/** Where the results of a benchmark are. */
export type BenchmarkFiles = { readonly folder: string; readonly record: string; readonly report: string };

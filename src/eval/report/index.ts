/** eval/report: the faces of a benchmark. One record as text, markdown, JSON and a web page; it computes no scores. */
export { benchmarkMarkdown } from './columns.js';
export { renderBenchmark } from './page/page.js';
export { serialiseBenchmark } from './text-table.js';
export { benchmarkTable } from './columns.js';

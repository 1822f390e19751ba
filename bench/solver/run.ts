// npm run bench:solver [-- --quick]     products of matrices, long videos, large topics; writes results.txt and docs/method/*.svg
import { mkdirSync, writeFileSync } from 'node:fs';
import { cholesky, type Matrix, outerGram, random, zeros } from '../../src/base/index.js';
import { multiplyAddPlain } from '../../src/base/kernels/multiply-add-plain.js';
import { hasSimd, multiplyAdd } from '../../src/base/kernels/multiply-add.js';
import { onnxGraph } from '../../tools/onnx-graph.js';
import { openOnnx } from '../../src/features/onnx.js';
import { cvs } from '../../src/select/index.js';
import { problemOf } from '../../src/topic/index.js';
import { machineFacts } from '../machine.js';
import { cpuSeconds } from './against-literal.js';
import { makeMoment, makeShots } from './data.js';
import { drawPanels, type Line } from './figure.js';

const quick = process.argv.includes('--quick');
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};

/** The network runtime's product, in single precision: what a native library makes of this machine. */
async function runtimeRate(size: number, repeats: number): Promise<string> {
  const { normal } = random(size);
  const values = Float32Array.from({ length: size * size }, normal);
  const graph = onnxGraph('product');
  graph.output('c', [size, size]);
  graph.node('MatMul', [graph.input('a', [size, size]), graph.constant('b', [size, size], values)], 'c');
  const session = await openOnnx(graph.build(), 'a', 'c');
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const start = process.cpuUsage();
    for (let k = 0; k < repeats; k++) await session.run(values, [size, size]);
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1e6);
  }
  await session.close();
  return ((2 * size ** 3 * repeats) / best / 1e9).toFixed(1).padStart(6);
}

async function kernels(): Promise<void> {
  say(`\nProducts of square matrices, GFLOPS (SIMD ${hasSimd ? 'on' : 'not available'})`);
  for (const size of quick ? [64, 256] : [16, 64, 256, 512, 1024]) {
    const { normal } = random(size);
    const make = (): Matrix => ({ rows: size, cols: size, data: Float64Array.from({ length: size * size }, normal) });
    const [A, B, C] = [make(), make(), zeros(size, size)];
    const repeats = Math.ceil(1e8 / size ** 3);
    const rate = (kernel: typeof multiplyAdd): string => {
      const seconds = cpuSeconds(() => {
        for (let k = 0; k < repeats; k++) kernel(C, A, B, 1);
      });
      return ((2 * size ** 3 * repeats) / seconds / 1e9).toFixed(1).padStart(6);
    };
    say(
      `  ${String(size).padStart(5)}   plain ${rate(multiplyAddPlain)}   AssemblyScript SIMD128 ${rate(multiplyAdd)}   onnxruntime, single precision ${await runtimeRate(size, repeats)}`,
    );
  }
  const size = quick ? 200 : 1000;
  const A = outerGram(makeShots(1, size, size + 8));
  for (let i = 0; i < size; i++) A.data[i * size + i]! += 1;
  say(`  Cholesky ${size}: ${(size ** 3 / 3 / cpuSeconds(() => cholesky(A)) / 1e9).toFixed(1)} GFLOPS`);
}

function growthInTopic(): Line[] {
  const dim = 256;
  const X = makeShots(1, 200, dim);
  say(`\nOne video of 200 shots, ${dim} features, against ever more other shots (moment known)`);
  const lines: [number, number][] = [];
  for (const others of quick ? [100, 1000, 10_000] : [100, 1000, 10_000, 100_000, 1_000_000]) {
    const problem = problemOf(X, makeMoment(3, others, dim));
    const seconds = cpuSeconds(() => cvs().select(problem), 5);
    const { iterations, converged } = cvs().select(problem).certificate;
    lines.push([others, seconds]);
    say(
      `  ${String(others).padStart(8)} others   ${seconds.toFixed(3)} CPU-s   ${iterations} iterations, ${(seconds / iterations).toFixed(4)} each${converged ? '' : ', NOT converged'}`,
    );
  }
  return [{ name: 'to the certificate', points: lines }];
}

function growthInShots(): Line[] {
  const dim = 256;
  const context = makeMoment(3, 20_000, dim);
  say(`\nEver longer videos, r × r form, r = ${dim}, 20 000 other shots`);
  const [smooth, exact]: [number, number][][] = [[], []];
  for (const shots of quick ? [100, 300, 1000] : [100, 300, 1000, 3000, 10_000]) {
    const problem = problemOf(makeShots(1, shots, dim), context);
    for (const [name, smoothing, line] of [
      ['default', undefined, smooth!],
      ['exact zeros', 0, exact!],
    ] as const) {
      let certificate = cvs().select(problemOf(zeros(1, dim), null)).certificate;
      const seconds = cpuSeconds(
        () =>
          (certificate = cvs({ ...(smoothing === undefined ? {} : { smoothing }), form: 'features' }).select(
            problem,
          ).certificate),
        shots > 2000 ? 1 : 3,
      );
      line.push([shots, seconds]);
      const { iterations, residual, gap, active } = certificate;
      say(
        `  ${String(shots).padStart(6)} shots  ${name.padEnd(11)} ${seconds.toFixed(3).padStart(8)} CPU-s  ${String(iterations).padStart(3)} iterations  ` +
          `residual ${residual.toExponential(1)}  gap ${gap?.toExponential(1)}  ${active} active`,
      );
    }
  }
  say(`  peak memory of the whole bench so far: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
  return [
    { name: 'default', points: smooth! },
    { name: 'exact zeros (ε = 0)', points: exact! },
  ];
}

function convergence(): [Line[], Line[]] {
  const problem = problemOf(makeShots(1, 150, 256), makeMoment(3, 3000, 256));
  const runs = [
    {
      name: 'half-quadratic',
      knobs: { solver: 'halfQuadratic', smoothing: 0.3, maxIterations: 100, tolerance: 1e-6 },
    },
    { name: 'accelerated', knobs: { smoothing: 0.3, maxIterations: 100, tolerance: 1e-6 } },
  ] as const;
  const traces = runs.map(({ name, knobs }) => ({ name, trace: cvs(knobs).select(problem).trace }));
  const lowest = Math.min(...traces.map(({ trace }) => trace.at(-1)!.objective));
  return [
    traces.map(({ name, trace }) => ({
      name,
      points: trace.map(
        ({ iteration, objective }) => [iteration, Math.max(1e-14, (objective - lowest) / lowest)] as const,
      ),
    })),
    traces.map(({ name, trace }) => ({
      name,
      points: trace.map(({ iteration, residual }) => [iteration, residual] as const),
    })),
  ];
}

say(`One thread. ${(await machineFacts()).join(', ')}`);
await kernels();
const byShots = growthInShots();
const byTopic = growthInTopic();
const [objectives, residuals] = convergence();
if (!quick) {
  const docs = new URL('../../docs/method/', import.meta.url);
  mkdirSync(docs, { recursive: true });
  const iteration = { x: 'iteration', linearX: true };
  writeFileSync(
    new URL('convergence.svg', docs),
    drawPanels([
      { title: 'Objective above the lowest seen', y: 'relative', ...iteration, lines: objectives },
      { title: 'KKT residual', y: 'relative', ...iteration, lines: residuals },
    ]),
  );
  writeFileSync(
    new URL('growth.svg', docs),
    drawPanels([
      { title: 'More other videos', x: 'other shots', y: 'CPU seconds', lines: byTopic },
      { title: 'Longer video', x: 'shots', y: 'CPU seconds', lines: byShots },
    ]),
  );
  writeFileSync(new URL('results.txt', import.meta.url), report.join('\n') + '\n');
}

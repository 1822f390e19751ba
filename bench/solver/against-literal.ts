import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Matrix } from '../../src/base/index.js';
import { algorithm1 } from '../../src/select/algorithm1.case.js';
import { cvs } from '../../src/select/index.js';
import { momentOf, problemOf } from '../../src/topic/index.js';
import { makeShots } from './data.js';
import { literalWithOurKernels } from './literal.js';

/** One way to the same scores: CPU seconds, and how many times those of the paper's steps in our form. */
export type Way = { readonly name: string; readonly seconds: number; readonly times: number; readonly total: number };

/** CPU seconds of the fastest of a few runs: other work on the machine then matters least. */
export function cpuSeconds(run: () => void, times = 3): number {
  let best = Infinity;
  for (let k = 0; k < times; k++) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
}

/** Our solvers and the paper's algorithm written down literally, on one video; all but the exact one give the same scores. */
export function measureAgainstLiteral(quick: boolean): { head: string; rows: Way[]; remark: string | null } {
  const [n, others, dim] = quick ? [60, 800, 128] : [200, 8000, 256];
  const [X, Xt] = [makeShots(1, n, dim), makeShots(2, others, dim)];
  const problem = problemOf(X, momentOf(Xt));
  const knobs = { solver: 'halfQuadratic', form: 'shots' } as const;
  const { certificate, scores } = cvs(knobs).select(problem);
  const { lambda, epsilon, iterations } = certificate;
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const literalKnobs = { alpha: 0.5, lambdaS: lambda, lambdaD: 0.01, beta: lambda, epsilon };
  const own = cpuSeconds(() => cvs(knobs).select(problem));
  const rows: Way[] = [];
  const row = (name: string, seconds: number, total: number): void =>
    void rows.push({ name, seconds, times: seconds / own, total });
  row('ours, the steps of the paper', own, sum(scores));
  const accelerated = cvs().select(problem);
  row(
    `ours, default (${accelerated.certificate.iterations} iterations)`,
    cpuSeconds(() => cvs().select(problem)),
    sum(accelerated.scores),
  );
  const exact = cvs({ smoothing: 0 }).select(problem);
  row(
    `ours, exact zeros (${exact.certificate.active} shots)`,
    cpuSeconds(() => cvs({ smoothing: 0 }).select(problem)),
    sum(exact.scores),
  );
  let literal = { own: scores, shared: scores };
  const plain = cpuSeconds(() => (literal = algorithm1(X, Xt, literalKnobs, iterations, { objective: false })), 1);
  row(
    'Algorithm 1 literally, plain loops',
    plain,
    sum(literal.own.map((value, i) => Math.hypot(value, literal.shared[i]!))),
  );
  let fast = scores;
  row(
    'Algorithm 1 literally, our SIMD kernels',
    cpuSeconds(() => (fast = literalWithOurKernels(X, Xt, lambda, epsilon, iterations)), 2),
    sum(fast),
  );
  const twins = numpy(X, Xt, lambda, epsilon, iterations);
  for (const [name, seconds, total] of twins ?? []) row(`NumPy, one thread: ${name}`, seconds, total);
  return {
    head: `One video of ${n} shots against ${others} others, ${dim} features: ${iterations} iterations to residual 1e-4`,
    rows,
    remark: twins === null ? 'Python with NumPy is not present: its rows are left out.' : null,
  };
}

function numpy(
  X: Matrix,
  Xt: Matrix,
  lambda: number,
  epsilon: number,
  iterations: number,
): [string, number, number][] | null {
  const folder = mkdtempSync(join(tmpdir(), 'solver-bench-'));
  try {
    for (const [name, { data }] of [
      ['x', X],
      ['others', Xt],
    ] as const) {
      writeFileSync(join(folder, `${name}.f64`), new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    }
    writeFileSync(join(folder, 'shape.txt'), `${X.rows} ${Xt.rows} ${X.cols}`);
    const script = new URL('numpy_twin.py', import.meta.url).pathname;
    const one = { OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1' };
    const args = [script, folder, String(lambda), String(epsilon), String(iterations)];
    const { stdout, status } = spawnSync('python3', args, { encoding: 'utf8', env: { ...process.env, ...one } });
    if (status !== 0) return null;
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name, seconds, total]) => [name!, Number(seconds), Number(total)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

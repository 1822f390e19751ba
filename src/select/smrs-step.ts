import { cholesky, type Matrix, multiply, solveCholesky, takeColumns, takeRows } from '../base/index.js';

/** Most sets of held entries that are tried; if that works at all, a few are enough. */
const MAX_SETS = 8;

/** Most bounds that are met or left one at a time, if it does not. Any step that lowers the model is good enough. */
const MAX_TURNS = 100;

/** Added to H at unit diagonal: above its roundings, too small to change a result. */
const RIDGE = 1e-9;

/** A quadratic model around t: slope g, curvature H (positive semidefinite). */
type Quadratic = { readonly t: Float64Array; readonly gradient: Float64Array; readonly hessian: Matrix };

/**
 * The step s that minimises gᵀs + ½sᵀHs subject to t + s ≥ 0, by the primal-dual active set method (Hintermüller, Ito
 * and Kunisch 2002): entries held at zero that are pulled off it are let go, those that would fall below zero are held.
 * Where the sets do not settle, the best step met is improved bound by bound. The model never rises.
 */
export function boundedStep(quadratic: Quadratic): Float64Array {
  const { t, gradient } = quadratic;
  let best = { step: new Float64Array(t.length), value: 0 };
  let isHeld = Array.from(t, (entry, i) => entry === 0 && gradient[i]! >= 0);
  for (let set = 0; set < MAX_SETS; set++) {
    const step = lowestOnFace(quadratic, isHeld);
    const within = step.map((entry, i) => Math.max(-t[i]!, entry));
    const { value } = look(quadratic, within);
    if (value < best.value) best = { step: within, value };
    const { slope } = look(quadratic, step);
    const next = isHeld.map((held, i) => (held ? slope[i]! >= 0 : t[i]! + step[i]! < 0));
    if (next.every((held, i) => held === isHeld[i])) return best.step;
    isHeld = next;
  }
  return boundByBound(quadratic, best.step);
}

/** The primal active set method: to the lowest point of the face, or to the first bound on the way, which is then held. */
function boundByBound(quadratic: Quadratic, start: Float64Array): Float64Array {
  const { t } = quadratic;
  let step = start;
  const isHeld = Array.from(t, (entry, i) => entry + step[i]! <= 0);
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const lowest = lowestOnFace(quadratic, isHeld);
    let [share, bound] = [1, -1];
    for (let i = 0; i < t.length; i++) {
      if (isHeld[i] || t[i]! + lowest[i]! >= 0) continue;
      const reach = (t[i]! + step[i]!) / (step[i]! - lowest[i]!);
      if (reach < share) [share, bound] = [reach, i];
    }
    step = step.map((entry, i) => (i === bound ? -t[i]! : Math.max(-t[i]!, entry + share * (lowest[i]! - entry))));
    if (bound >= 0) {
      isHeld[bound] = true;
      continue;
    }
    const { slope } = look(quadratic, step);
    const pulled = slope.reduce((most, pull, i) => (isHeld[i] && pull < (slope[most] ?? 0) ? i : most), -1);
    if (pulled < 0) break;
    isHeld[pulled] = false;
  }
  return step;
}

/** What the model says of a step: what it changes, and the slope at its end. */
function look({ gradient, hessian }: Quadratic, step: Float64Array): { value: number; slope: Float64Array } {
  const bend = multiply(hessian, { rows: step.length, cols: 1, data: step }).data;
  let value = 0;
  for (let i = 0; i < step.length; i++) value += step[i]! * (gradient[i]! + bend[i]! / 2);
  return { value, slope: bend.map((entry, i) => entry + gradient[i]!) };
}

/** s = −t where held; elsewhere H_FF·s_F = −(g + H·s_held)_F, brought to unit diagonal, for sizes differ by orders. */
function lowestOnFace(quadratic: Quadratic, isHeld: readonly boolean[]): Float64Array {
  const { t, hessian } = quadratic;
  const free = [...t.keys()].filter((i) => !isHeld[i]);
  const step = t.map((entry, i) => (isHeld[i] ? -entry : 0));
  const { slope } = look(quadratic, step);
  const A = takeColumns(takeRows(hessian, free), free);
  const scale = Float64Array.from(free, (_, row) => 1 / Math.sqrt(A.data[row * (A.cols + 1)]! || 1));
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < A.cols; j++) A.data[i * A.cols + j]! *= scale[i]! * scale[j]!;
    A.data[i * (A.cols + 1)]! += RIDGE;
  }
  const downhill = scale.map((factor, row) => -factor * slope[free[row]!]!);
  const solved = solveCholesky(cholesky(A), { rows: free.length, cols: 1, data: downhill }).data;
  free.forEach((i, row) => (step[i] = solved[row]! * scale[row]!));
  return step;
}

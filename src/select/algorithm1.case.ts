import { type Matrix, random, zeros } from '../base/index.js';

/*
 * The paper's Algorithm 1 letter by letter, with X and X̃ in hand and naive loops: slow, and only an oracle.
 * It shares no kernel with the solvers it is held against.
 */

type LiteralKnobs = { alpha: number; lambdaS: number; lambdaD: number; beta: number; epsilon: number };

type Similarity = (x: Float64Array, y: Float64Array) => number;

/**
 * What the paper does not have: rows without penalty, rows held at zero, prices of rows, weights of the halves, other
 * features for the own half.
 */
export type LiteralWishes = {
  pinned?: readonly number[];
  vetoed?: readonly number[];
  prices?: ArrayLike<number>;
  weights?: readonly [number, number];
  ownFeatures?: Matrix;
};

/** X and X̃ with shots as rows. Runs the number of iterations asked for, from row norms of one. */
export function algorithm1(
  X: Matrix,
  Xt: Matrix,
  knobs: LiteralKnobs,
  iterations: number,
  {
    similarity = dot as Similarity,
    start = (_i: number): [number, number] => [1, Xt.rows > 0 ? 1 : 0],
    objective = true,
    pinned = [],
    vetoed = [],
    prices = new Float64Array(X.rows).fill(1),
    weights: [w, wt] = [1, 1],
    ownFeatures = X,
  }: LiteralWishes & {
    similarity?: Similarity;
    start?: (i: number) => [number, number];
    objective?: boolean;
  } = {},
): { own: Float64Array; shared: Float64Array; objectives: number[]; Z: Matrix; Zt: Matrix } {
  const { alpha, lambdaS, lambdaD, beta, epsilon } = knobs;
  const [G, Gt, C] = [table(ownFeatures, ownFeatures, dot), table(X, X, dot), table(X, Xt, dot)];
  const [D, Dt] = [table(ownFeatures, ownFeatures, similarity), table(X, Xt, similarity)];
  const n = X.rows;
  const free = [...Array(n).keys()].filter((i) => !vetoed.includes(i));
  let own2: Float64Array = Float64Array.from({ length: n }, (_, i) => start(i)[0]);
  let shared2: Float64Array = Float64Array.from({ length: n }, (_, i) => start(i)[1]);
  let [Z, Zt] = [zeros(n, n), zeros(n, Xt.rows)];
  const objectives: number[] = [];
  for (let t = 0; t < iterations; t++) {
    const [A, At] = [zeros(n, n), zeros(n, n)];
    for (let i = 0; i < n; i++) {
      const price = pinned.includes(i) ? 0 : prices[i]!;
      const p = price / (2 * Math.sqrt(own2[i]! + epsilon));
      const q = price / (2 * Math.sqrt(shared2[i]! + epsilon));
      const r = price / (2 * Math.sqrt(own2[i]! + shared2[i]! + epsilon));
      for (let j = 0; j < n; j++) {
        A.data[i * n + j] = w * G.data[i * n + j]! + (i === j ? 2 * w * lambdaS * p + 2 * beta * r : 0);
        At.data[i * n + j] = wt * alpha * Gt.data[i * n + j]! + (i === j ? 2 * wt * lambdaS * q + 2 * beta * r : 0);
      }
    }
    Z = eliminateOn(free, A, combine(G, w, D, -w * lambdaD));
    Zt = eliminateOn(free, At, combine(C, wt * alpha, Dt, -wt * lambdaD));
    own2 = squaresOfRows(Z);
    shared2 = squaresOfRows(Zt);
    if (objective)
      objectives.push(
        objectiveOf(X, Xt, Z, Zt, D, Dt, knobs, { pinned, vetoed, prices, weights: [w, wt], ownFeatures }),
      );
  }
  return { own: own2.map(Math.sqrt), shared: shared2.map(Math.sqrt), objectives, Z, Zt };
}

/** Eq. 5 with √(‖z‖² + ε) for ‖z‖, from its definition. */
function objectiveOf(
  X: Matrix,
  Xt: Matrix,
  Z: Matrix,
  Zt: Matrix,
  D: Matrix,
  Dt: Matrix,
  knobs: LiteralKnobs,
  {
    pinned = [],
    vetoed = [],
    prices = new Float64Array(X.rows).fill(1),
    weights: [w, wt] = [1, 1],
    ownFeatures = X,
  }: LiteralWishes = {},
): number {
  const { alpha, lambdaS, lambdaD, beta, epsilon } = knobs;
  let sum = (w / 2) * misfit(ownFeatures, ownFeatures, Z) + wt * (alpha / 2) * misfit(Xt, X, Zt);
  Z.data.forEach((z, at) => (sum += w * lambdaD * D.data[at]! * z));
  Zt.data.forEach((z, at) => (sum += wt * lambdaD * Dt.data[at]! * z));
  const [own2, shared2] = [squaresOfRows(Z), squaresOfRows(Zt)];
  own2.forEach((a, i) => {
    if (pinned.includes(i) || vetoed.includes(i)) return;
    const b = shared2[i]!;
    const norms =
      lambdaS * (w * Math.sqrt(a + epsilon) + wt * Math.sqrt(b + epsilon)) + beta * Math.sqrt(a + b + epsilon);
    sum += prices[i]! * norms;
  });
  return sum;
}

/** Shots like a video's: a few scenes, shots near their scene, non-negative features of unit length. */
export function scenes(
  seed: number,
  shots: number,
  dim: number,
  { sceneCount = 6, unit = true, topic = 99 } = {},
): Matrix {
  const { next, below, normal } = random(seed);
  const shared = random(topic);
  const centres = Array.from({ length: sceneCount }, () =>
    Float64Array.from({ length: dim }, () => Math.abs(shared.normal())),
  );
  const X = zeros(shots, dim);
  for (let i = 0; i < shots; i++) {
    const centre = centres[below(sceneCount)]!;
    const row = centre.map((value) => Math.max(0, value + 0.5 * normal()));
    const length = unit ? Math.hypot(...row) || 1 : 0.5 + next();
    X.data.set(
      row.map((value) => value / length),
      i * dim,
    );
  }
  return X;
}

export function dot(x: Float64Array, y: Float64Array): number {
  return x.reduce((sum, value, k) => sum + value * y[k]!, 0);
}

export function table(X: Matrix, Y: Matrix, f: Similarity): Matrix {
  const T = zeros(X.rows, Y.rows);
  const row = (M: Matrix, i: number): Float64Array => M.data.subarray(i * M.cols, (i + 1) * M.cols);
  for (let i = 0; i < X.rows; i++) for (let j = 0; j < Y.rows; j++) T.data[i * Y.rows + j] = f(row(X, i), row(Y, j));
  return T;
}

function combine(A: Matrix, a: number, B: Matrix, b: number): Matrix {
  return { ...A, data: A.data.map((value, at) => a * value + b * B.data[at]!) };
}

/** The system of the rows named; the other rows are zero. */
function eliminateOn(rows: readonly number[], A: Matrix, B: Matrix): Matrix {
  const part = zeros(rows.length, rows.length);
  const right = zeros(rows.length, B.cols);
  rows.forEach((i, k) => {
    rows.forEach((j, l) => (part.data[k * rows.length + l] = A.data[i * A.cols + j]!));
    right.data.set(B.data.subarray(i * B.cols, (i + 1) * B.cols), k * B.cols);
  });
  const solved = eliminate(part, right);
  const Z = zeros(A.rows, B.cols);
  rows.forEach((i, k) => Z.data.set(solved.data.subarray(k * B.cols, (k + 1) * B.cols), i * B.cols));
  return Z;
}

/** X with A·X = B: Gaussian elimination with row exchange. */
export function eliminate(A: Matrix, B: Matrix): Matrix {
  const [n, m] = [A.rows, B.cols];
  const rows = Array.from({ length: n }, (_, i) =>
    Float64Array.from([...A.data.subarray(i * n, (i + 1) * n), ...B.data.subarray(i * m, (i + 1) * m)]),
  );
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i]![k]!) > Math.abs(rows[best]![k]!)) best = i;
    [rows[k], rows[best]] = [rows[best]!, rows[k]!];
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i]![k]! / rows[k]![k]!;
      if (factor !== 0) for (let j = k; j < n + m; j++) rows[i]![j]! -= factor * rows[k]![j]!;
    }
  }
  const X = zeros(n, m);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = 0; j < m; j++) {
      let sum = rows[i]![n + j]!;
      for (let k = i + 1; k < n; k++) sum -= rows[i]![k]! * X.data[k * m + j]!;
      X.data[i * m + j] = sum / rows[i]![i]!;
    }
  }
  return X;
}

function squaresOfRows(A: Matrix): Float64Array {
  return Float64Array.from({ length: A.rows }, (_, i) =>
    A.data.subarray(i * A.cols, (i + 1) * A.cols).reduce((sum, value) => sum + value * value, 0),
  );
}

/** ‖Y − XZ‖², Y and X with shots as rows, Z rows by shots of X and columns by shots of Y. */
function misfit(Y: Matrix, X: Matrix, Z: Matrix): number {
  let sum = 0;
  for (let j = 0; j < Y.rows; j++) {
    const rest = Y.data.slice(j * Y.cols, (j + 1) * Y.cols);
    for (let i = 0; i < X.rows; i++) {
      const z = Z.data[i * Z.cols + j]!;
      for (let k = 0; k < X.cols; k++) rest[k]! -= z * X.data[i * X.cols + k]!;
    }
    sum += dot(rest, rest);
  }
  return sum;
}

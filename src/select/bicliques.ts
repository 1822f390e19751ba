import { type Matrix, transpose } from '../base/index.js';

/*
 * Bicliques of a weighted bipartite graph (Chu, Song and Jaimes, CVPR 2015). C_ij > 0 weighs an edge, C_ij = 0 is no edge.
 *   maximise  f(u, v) = uᵀCv − λ(1ᵀu + 1ᵀv)    with  0 ≤ u, v ≤ 1  and  u_i + v_j ≤ 1 where C_ij = 0
 * For a v of zeros and ones f is linear in each u_i by itself, so the best u has a closed form, and v for u likewise:
 *   u_i = 1 where C_ij > 0 for every j with v_j = 1 and (Cv)_i > λ,    u_i = 0 elsewhere
 * f never falls from update to update; where both repeat, no set of shots of one side can enter or leave with gain.
 */

/** Shots of one video (rows) that all match the same shots of another (columns), both in rising order. */
export type Biclique = {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  /** f of the block. */
  readonly objective: number;
};

export type BicliqueKnobs = {
  /** λ: the edge weight that a shot must bring to be worth its place. */
  readonly sparsity: number;
  /** At most this many bicliques are taken out of one graph. */
  readonly maxBicliques: number;
  /** Each search starts from this many rows, those with the most edge weight. */
  readonly starts: number;
};

/**
 * Bicliques with f > 0, the best found first; each loses its edges in C when the next one is asked for.
 * When none of the strongest rows leads to one, the others are tried, so the end means that no row does.
 */
export function* takeBicliques(
  C: Matrix,
  { sparsity, maxBicliques, starts }: BicliqueKnobs,
): Generator<Biclique, void> {
  const Ct = transpose(C);
  for (let taken = 0; taken < maxBicliques; taken++) {
    let best: Biclique | null = null;
    for (const [place, row] of rowsByWeight(C).entries()) {
      if (place >= starts && best !== null) break;
      const found = settle(C, Ct, grow(C, Ct, row, sparsity), sparsity);
      if (found.objective > (best?.objective ?? 0)) best = found;
    }
    if (best === null) return;
    yield best;
    for (const i of best.rows) {
      for (const j of best.columns) C.data[i * C.cols + j] = Ct.data[j * C.rows + i] = 0;
    }
  }
}

/** Block coordinate ascent: the columns that answer the rows, the rows that answer those, until the rows repeat. */
export function settle(C: Matrix, Ct: Matrix, start: readonly number[], lambda: number): Biclique {
  for (let rows = start; ;) {
    const columns = answer(Ct, rows, lambda);
    const next = answer(C, columns, lambda);
    if (next.length === rows.length && next.every((row, at) => row === rows[at])) {
      return { rows, columns, objective: objectiveOf(C, rows, columns, lambda) };
    }
    rows = next;
  }
}

/** The closed form: the rows with an edge to every column chosen and more than λ of weight there. With Cᵀ, the columns. */
export function answer({ rows: n, cols: m, data }: Matrix, chosen: readonly number[], lambda: number): number[] {
  const answering: number[] = [];
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let k = 0; k < chosen.length && sum >= 0; k++) {
      const c = data[i * m + chosen[k]!]!;
      sum = c > 0 ? sum + c : -1;
    }
    if (sum > lambda) answering.push(i);
  }
  return answering;
}

/** f(u, v) for the shots named. */
export function objectiveOf(C: Matrix, rows: readonly number[], columns: readonly number[], lambda: number): number {
  let sum = 0;
  for (const i of rows) for (const j of columns) sum += C.data[i * C.cols + j]!;
  return sum - lambda * (rows.length + columns.length);
}

/**
 * Where the updates start. From one row alone they would stop at the block of its own edges, so columns are given up for
 * rows, step by step: the row with the most of the columns left (then the most weight on them) is let in, the columns it
 * lacks go, and all rows that have every column left join. The rows with the best f on the way are the start.
 * A column goes once and a row joins once: rows × columns in all.
 */
function grow({ rows: n, cols: m, data }: Matrix, Ct: Matrix, start: number, lambda: number): number[] {
  const columns = new Int32Array(m);
  const [shared, overlap] = [new Int32Array(n), new Float64Array(n)];
  const count = (j: number, sign: 1 | -1): void => {
    for (let i = 0, at = j * n; i < n; i++, at++) {
      const c = Ct.data[at]!;
      if (c === 0) continue;
      shared[i]! += sign;
      overlap[i]! += sign * c;
    }
  };
  let left = 0;
  for (let j = 0; j < m; j++) {
    if (data[start * m + j] === 0) continue;
    columns[left++] = j;
    count(j, 1);
  }

  const rows: number[] = [];
  let [best, size] = [-Infinity, 0];
  for (let next = start; next >= 0;) {
    let kept = 0;
    for (let k = 0; k < left; k++) {
      const j = columns[k]!;
      if (data[next * m + j]! > 0) columns[kept++] = j;
      else count(j, -1);
    }
    left = kept;
    next = -1;
    let [inside, reach] = [0, 0];
    for (let i = 0; i < n; i++) {
      if (shared[i] === left) {
        rows.push(i);
        // Below zero from now on, whatever columns go later: the row has joined.
        shared[i] = -1;
      }
      reach += overlap[i]!;
      if (shared[i]! < 0) inside += overlap[i]!;
      else if (shared[i]! > 0 && (next < 0 || comesFirst(i, next))) next = i;
    }
    const objective = inside - lambda * (rows.length + left);
    if (objective > best) [best, size] = [objective, rows.length];
    // No later step can gather more than the weight that is left on the columns.
    if (reach - lambda * rows.length <= best) break;
  }
  return rows.slice(0, size).sort((i, j) => i - j);

  function comesFirst(i: number, j: number): boolean {
    return shared[i]! > shared[j]! || (shared[i] === shared[j] && overlap[i]! > overlap[j]!);
  }
}

/** The rows with edges, by the weight of their edges, largest first. */
function rowsByWeight(C: Matrix): number[] {
  const weights = new Float64Array(C.rows);
  for (let i = 0, at = 0; i < C.rows; i++) for (let j = 0; j < C.cols; j++, at++) weights[i]! += C.data[at]!;
  return Array.from(weights.keys())
    .filter((i) => weights[i]! > 0)
    .sort((i, j) => weights[j]! - weights[i]! || i - j);
}

import { cholesky, dot, type Matrix, multiply, rowOf, solveCholesky, takeColumns, takeRows } from '../base/index.js';

/*
 * min  ½‖X − XZ‖² + λ‖Z‖₂,₁   s.t.  1ᵀZ = 1ᵀ where `affine`        (Elhamifar, Sapiro and Vidal 2012)
 * G = XᵀX is enough. With the constraint X may be moved freely, so it is centred:  G1 = 0.
 * Optimal iff for some μ and  H = G − GZ − 1μᵀ :   h_i = λ z_i/‖z_i‖ where z_i ≠ 0,   ‖h_i‖ ≤ λ elsewhere.
 */
export type SmrsProblem = { readonly G: Matrix; readonly lambda: number; readonly affine: boolean };

/** A feasible Z, and how far it is from the optimum. */
export type SmrsPoint = {
  /** Row lengths the point was made from; zero = the row is zero. */
  readonly t: Float64Array;
  /** ‖z_i‖. */
  readonly norms: Float64Array;
  /** ‖h_i‖/λ: 1 at the optimum where the row is not zero, at most 1 elsewhere. */
  readonly pull: Float64Array;
  readonly objective: number;
  /** The largest distance of an h_i/λ from what optimality asks for. */
  readonly residual: number;
};

/** Rows of H made at a time. */
const BAND = 256;

/**
 * The best Z when ‖z_i‖ is replaced by (‖z_i‖²/t_i + t_i)/2, which it equals at t_i = ‖z_i‖:
 *   (G_SS + diag(λ/t)) Z = G_S − 1μᵀ,   S = { i : t_i > 0 }
 */
export function pointAt({ G, lambda, affine }: SmrsProblem, t: Float64Array): SmrsPoint {
  const n = G.rows;
  const S = [...t.keys()].filter((i) => t[i]! > 0);
  const GS = takeRows(G, S);
  const K = takeColumns(GS, S);
  S.forEach((i, row) => (K.data[row * S.length + row]! += lambda / t[i]!));
  const { Z, mu } = solveFeasible(K, GS, affine);
  const [norms, pull] = [new Float64Array(n), new Float64Array(n)];
  let [smooth, penalty, worst] = [0, 0, 0];
  const place = new Int32Array(n).fill(-1);
  S.forEach((i, row) => (place[i] = row));
  for (let start = 0; start < n; start += BAND) {
    const rows = Math.min(BAND, n - start);
    const band: Matrix = { rows, cols: n, data: G.data.subarray(start * n, (start + rows) * n) };
    const GZ = multiply(takeColumns(band, S), Z);
    for (let k = 0, i = start; k < rows; k++, i++) {
      const norm = place[i]! < 0 ? 0 : Math.sqrt(dot(rowOf(Z, place[i]!), rowOf(Z, place[i]!)));
      const z = norm > 0 ? rowOf(Z, place[i]!) : null;
      // r = (G − GZ)_i, and ½‖X − XZ‖² = ½ tr (I − Z)ᵀ(G − GZ).
      let [square, apart, zr] = [0, 0, 0];
      for (let j = 0; j < n; j++) {
        const r = G.data[i * n + j]! - GZ.data[k * n + j]!;
        const h = r - mu[j]!;
        square += h * h;
        if (i === j) smooth += r / 2;
        if (z === null) continue;
        zr += z[j]! * r;
        apart += (h - (lambda * z[j]!) / norm) ** 2;
      }
      [norms[i], pull[i]] = [norm, Math.sqrt(square) / lambda];
      smooth -= zr / 2;
      penalty += lambda * norm;
      worst = Math.max(worst, norm > 0 ? Math.sqrt(apart) / lambda : pull[i]! - 1);
    }
  }
  return { t, norms, pull, objective: smooth + penalty, residual: worst };
}

/** Z and μ with K·Z = T − 1μᵀ and, where `affine`, 1ᵀZ = 1ᵀ. */
function solveFeasible(K: Matrix, T: Matrix, affine: boolean): { Z: Matrix; mu: Float64Array } {
  const R = cholesky(K);
  const Z = solveCholesky(R, T);
  const mu = new Float64Array(T.cols);
  if (!affine) return { Z, mu };
  const p = solveCholesky(R, { rows: K.rows, cols: 1, data: new Float64Array(K.rows).fill(1) }).data;
  const sigma = p.reduce((sum, value) => sum + value, 0);
  for (let i = 0; i < Z.rows; i++) for (let j = 0; j < Z.cols; j++) mu[j]! += Z.data[i * Z.cols + j]!;
  for (let j = 0; j < Z.cols; j++) mu[j] = (mu[j]! - 1) / sigma;
  for (let i = 0; i < Z.rows; i++) for (let j = 0; j < Z.cols; j++) Z.data[i * Z.cols + j]! -= p[i]! * mu[j]!;
  return { Z, mu };
}

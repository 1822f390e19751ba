import { type Matrix, trace, zeros } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import type { CvsKnobs } from './types.js';

/*
 * Eq. 5 in small matrices. Up to a constant its smooth part has two halves of one shape, ½s tr ZᵀGZ − tr BᵀZ:
 *     own      s = w,     G = XᵀX (or XᵀT²X, balance.ts),   B = w(G − λd D)
 *     shared   s = w̃α,    G = XᵀX,                          B̃ = w̃(αXᵀX̃ − λd D̃)
 * Rotating the columns of B and Z together changes nothing that matters, so any B with the same BBᵀ can be used;
 * so can any B̃, which therefore never needs more than n columns, however many other shots there are.
 */

/** What certificates need to know about a half besides its solutions. */
export type Constants = {
  /** Value at Z = 0, constant included: ½w‖X‖² or ½w̃α‖X̃‖², less what the pinned shots rebuild. */
  readonly atZero: number;
  /** A bound of tr Bᵀ(sG)⁺B, for the dual; `null` where B leaves the span of the features. */
  readonly dualTrace: number | null;
};

/** One half of the problem, on the rows that may be chosen (pinned.ts). */
export type Half = Constants & {
  /** s */
  readonly scale: number;
  /** ‖B_i‖ for every row. */
  readonly targetNorms: Float64Array;
  /** The named rows of B (n × m): what Z must meet, columns rotated together; no columns when there is nothing to meet. */
  targets(rows: readonly number[]): Matrix;
  /** Z = (sG + diag L)⁻¹ B. */
  solve(L: Float64Array): Solved;
  /** sG between the rows named. */
  gramAmong(rows: readonly number[]): Matrix;
  /** sGZ − B (n × m), for a Z that is zero outside the rows named. */
  gradient(rows: readonly number[], Z: Matrix): Matrix;
  /** The rows of the pinned shots that go with those of the candidates, given in order, some at a time; zero where s is. */
  pinned(Z: Iterable<Matrix>): Matrix;
};

/** The Z of one half for one choice of L. */
export type Solved = {
  /** ⟨B,Z⟩ */
  readonly linear: number;
  /** The rows of Z in order, some at a time: Z may be larger than everything else. */
  rows(): Iterable<Matrix>;
  /** diag sG(sG + diag L)⁻¹, between 0 and 1: how much of its own row each row decides. */
  leverages(): Float64Array;
};

/** The problem reduced to what a solver needs, in one of two forms that give the same numbers. */
export type Reduced = {
  readonly form: 'shots' | 'features';
  /** The shots that may be chosen: row i of both halves is shot candidates[i]. */
  readonly candidates: readonly number[];
  readonly own: Half;
  readonly shared: Half;
  /** α */
  readonly alpha: number;
  /** Whether there are other videos, and they count. */
  readonly hasContext: boolean;
  /** max_i ‖x_iᵀX‖ over all shots. */
  readonly lambdaZero: number;
  /** Share of ‖X‖² kept by the basis; below 1 only when a rank was asked for. */
  readonly kept: number;
};

/** The rows of a problem with wishes: those already chosen, and those that may be. */
export type Rows = { readonly pinned: readonly number[]; readonly candidates: readonly number[] };

/** ‖X̃‖², from the moment of the others and ‖X‖². */
export function contextEnergyOf(
  { context, ownWeight }: Pick<Problem, 'context' | 'ownWeight'>,
  ownEnergy: number,
): number {
  return context === null ? 0 : trace(context.matrix) - ownWeight * ownEnergy;
}

/** A bound of tr B̃ᵀ(w̃αG)⁺B̃; `energy` is w̃‖X̃‖² or the part of it that counts. */
export function sharedBound(
  { context }: Pick<Problem, 'context'>,
  { contextWeight: alpha, diversity: lambdaD }: CvsKnobs,
  inSpan: boolean,
  energy: number,
): number | null {
  if (context === null || energy === 0) return 0;
  if (!inSpan || (alpha === 0 && lambdaD > 0)) return null;
  return alpha > 0 ? ((alpha - lambdaD) ** 2 / alpha) * energy : 0;
}

/** The Z of a half that has nothing to meet. */
export function nothingToMeet(rowCount: number): Solved {
  return { linear: 0, rows: () => [zeros(rowCount, 0)], leverages: () => new Float64Array(rowCount) };
}

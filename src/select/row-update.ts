import type { Penalty } from './penalty.js';

/**
 * The best row (u, v), all other rows held:
 *   min  ½ℓ‖u‖² − c·u + ½ℓ̃‖v‖² − c̃·v + λ‖u‖ + λ̃‖v‖ + β‖(u, v)‖
 * Its halves point along c and c̃, and with s = (‖c‖−λ)₊, s̃ = (‖c̃‖−λ̃)₊, ρ = ‖(u, v)‖ their lengths are
 *   ‖u‖ = sρ/(ℓρ+β),   ‖v‖ = s̃ρ/(ℓ̃ρ+β),   where ρ solves  s²/(ℓρ+β)² + s̃²/(ℓ̃ρ+β)² = 1;   zero if s² + s̃² ≤ β².
 * Returns the factors that take c to u and c̃ to v, or `null` if there is no best row (the function falls for ever).
 */
export function bestRow(
  norm: number,
  normShared: number,
  curvature: number,
  curvatureShared: number,
  { own, shared, joint: beta }: Pick<Penalty, 'own' | 'shared' | 'joint'>,
): readonly [number, number] | null {
  const s = Math.max(0, norm - own);
  const st = Math.max(0, normShared - shared);
  if (s * s + st * st <= beta * beta) return [0, 0];
  const endless = (s > 0 && curvature <= 0) || (st > 0 && curvatureShared <= 0);
  if (beta === 0) {
    if (endless) return null;
    return [s > 0 ? s / curvature / norm : 0, st > 0 ? st / curvatureShared / normShared : 0];
  }
  const flat = (curvature <= 0 ? s * s : 0) + (curvatureShared <= 0 ? st * st : 0);
  if (flat >= beta * beta) return null;
  // The left side falls and is convex, so Newton's steps from zero rise to the root and never pass it.
  let rho = 0;
  for (let step = 0; step < 100; step++) {
    const [left, right] = [curvature * rho + beta, curvatureShared * rho + beta];
    const [x, y] = [(s / left) ** 2, (st / right) ** 2];
    const slope = 2 * ((x * curvature) / left + (y * curvatureShared) / right);
    const change = (x + y - 1) / slope;
    rho += change;
    if (!(change > 1e-15 * rho)) break;
  }
  return [
    s > 0 ? (s * rho) / (curvature * rho + beta) / norm : 0,
    st > 0 ? (st * rho) / (curvatureShared * rho + beta) / normShared : 0,
  ];
}

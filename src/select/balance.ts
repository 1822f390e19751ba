/*
 * Own against shared, s from 0 to 1. Both halves of eq. 5 get a weight, penalties included:
 *     w·(½‖X − XZ‖² + λs‖Z‖₂,₁ + λd tr DᵀZ) + w̃·((α/2)‖X̃ − XZ̃‖² + λs‖Z̃‖₂,₁ + λd tr D̃ᵀZ̃) + β‖[Z | Z̃]‖₂,₁,
 *     w = min(1, q⁻¹),   w̃ = min(1, q),   q = (s/(1−s))².
 * At ½ it is the paper's. As a weight goes to 0, the β term alone is left of its half and takes it to zero with it; the
 * other half ends as a problem by itself, with the penalty (λs + β)‖·‖₂,₁.
 *
 * Rebuilding a video from itself likes what the topic shares as much as what only this video has. Below ½ the others may
 * therefore help to rebuild it, for a price ρ: what they can show needs no shot of this video,
 *     min over C   ½‖X − XZ − X̃C‖² + (ρ/2)‖C‖²   =   ½ tr (X−XZ)ᵀ(I + M̃/ρ)⁻¹(X−XZ).
 * So the own half sees the features through T, T² = (I + θ·M̃/tr M̃)⁻¹: a direction that fills a share p of what the others
 * show is left with 1/(1+θp) of its square. X̃ is seen as far as this video's own shots reach, so that T² is r × r (n × n).
 */

/** w, w̃ and θ. */
export type Balance = { readonly own: number; readonly shared: number; readonly discount: number };

/** θ at s = 0: what fills a hundredth of the other videos counts half. */
const FULL_DISCOUNT = 100;

/** The balance for a knob between 0 (what only this video has) and 1 (what the topic shares). */
export function balanceOf(shared: number): Balance {
  const odds = (shared / (1 - shared)) ** 2;
  return {
    own: Math.min(1, 1 / odds),
    shared: Math.min(1, odds),
    discount: FULL_DISCOUNT * Math.max(0, 1 - 2 * shared) ** 2,
  };
}

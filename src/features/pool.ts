import type { FeatureMatrix } from './types.js';

/** Frames of one shot, `[startFrame, endFrame)`. */
type FrameSpan = { readonly startFrame: number; readonly endFrame: number };

/** Collects the vectors of a video's sampled pictures, in film order, into one vector a shot. */
export type ShotPool = {
  add(frame: number, vector: Float32Array): void;
  end(): FeatureMatrix;
};

/**
 * x_shot = u / ‖u‖,  u = (1/m) Σ vectors of the m sampled pictures in the shot   (paper, section 3.1: mean pooling).
 * Unit length makes the inner product of two shots their cosine, so that no shot weighs more for being high in contrast.
 * A zero sum stays zero. The sampling step must not exceed the shortest shot, or a shot could go without a picture.
 */
export function poolShots(shots: readonly FrameSpan[], dim: number): ShotPool {
  const sums = new Float64Array(shots.length * dim);
  let cursor = 0;
  return {
    add(frame, vector) {
      while (cursor < shots.length - 1 && (shots[cursor]?.endFrame ?? 0) <= frame) cursor++;
      const shot = shots[cursor];
      if (!shot || frame < shot.startFrame || frame >= shot.endFrame) return;
      for (let k = 0; k < dim; k++) sums[cursor * dim + k]! += vector[k]!;
    },
    end() {
      const data = new Float32Array(shots.length * dim);
      for (let shot = 0; shot < shots.length; shot++) {
        const sum = sums.subarray(shot * dim, (shot + 1) * dim);
        const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
        if (length > 0)
          data.set(
            sum.map((value) => value / length),
            shot * dim,
          );
      }
      return { shotCount: shots.length, dim, data };
    },
  };
}

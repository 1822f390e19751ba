import type { FrameBounds } from './bounds.js';

/**
 * Moves each start, by at most `reach` frames, to where the picture changes most:
 *
 *     maximise  Σ 64 · change(t_i) − |t_i − s_i|     over |t_i − s_i| ≤ reach, within the bounds on every length
 *
 * by dynamic programming from start to start. `starts` begin with 0, which stays, and are within the bounds themselves.
 */
export function refineStarts(
  starts: readonly number[],
  change: Uint16Array,
  reach: number,
  { minFrames, maxFrames }: FrameBounds,
): number[] {
  const width = 2 * reach + 1;
  const frames = change.length;
  const places = starts.length;
  // Value of the best way to place starts 0..i with start i moved by k − reach, and the move of the start before it.
  let value = new Float64Array(width).fill(-Infinity);
  value[reach] = 0;
  const before: Int16Array[] = [];
  for (let i = 1; i < places; i++) {
    const next = new Float64Array(width).fill(-Infinity);
    const from = new Int16Array(width);
    for (let k = 0; k < width; k++) {
      const t = (starts[i] as number) + k - reach;
      if (t <= 0 || t >= frames) continue;
      const worth = 64 * (change[t] as number) - Math.abs(k - reach);
      for (let j = 0; j < width; j++) {
        const length = t - ((starts[i - 1] as number) + j - reach);
        if (length < minFrames || length > maxFrames) continue;
        const total = (value[j] as number) + worth;
        if (total > (next[k] as number)) {
          next[k] = total;
          from[k] = j;
        }
      }
    }
    before.push(from);
    value = next;
  }

  let move = reach;
  let best = -Infinity;
  for (let k = 0; k < width; k++) {
    const length = frames - ((starts[places - 1] as number) + k - reach);
    if (places > 1 && (length < minFrames || length > maxFrames)) continue;
    if ((value[k] as number) > best) {
      best = value[k] as number;
      move = k;
    }
  }
  const refined: number[] = [];
  for (let i = places - 1; i >= 0; i--) {
    refined.push((starts[i] as number) + move - reach);
    if (i > 0) move = (before[i - 1] as Int16Array)[move] as number;
  }
  return refined.reverse();
}

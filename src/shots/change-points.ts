import type { FrameBounds } from './bounds.js';
import type { ScatterRow } from './scatter.js';

/**
 * Kernel temporal segmentation (Potapov, Douze, Harchaoui, Schmid, ECCV 2014) of one window of samples, one every
 * `step` frames: with J_m the least total scatter of m + 1 segments within the bounds,
 *
 *     minimise over m   J_m / n  +  m / (2N) · (log(N/m) + 1),      n samples, N frames      (their code's penalty, v = 1)
 *
 * J_m by dynamic programming over (number of segments, end of the last). Returns the first samples of the segments.
 * The window holds `frames` frames, at least `minFrames`; equal costs take the longer last segment.
 */
export function changePoints(
  scatter: readonly ScatterRow[],
  { frames, step, minFrames, maxFrames }: FrameBounds & { readonly frames: number; readonly step: number },
): number[] {
  const samples = scatter.length;
  const frameOf = (sample: number): number => Math.min(frames, sample * step);
  const mostSegments = Math.floor(frames / minFrames);
  const longest = Math.ceil(maxFrames / step);

  let least = new Float64Array(samples + 1).fill(Infinity);
  least[0] = 0;
  const lengths: Uint16Array[] = [];
  let best = { cost: Infinity, segments: 0 };
  for (let segments = 1; segments <= mostSegments; segments++) {
    const next = new Float64Array(samples + 1).fill(Infinity);
    const lastLength = new Uint16Array(samples + 1);
    for (let end = segments; end <= samples; end++) {
      for (let l = Math.min(longest, end); l >= 1; l--) {
        const span = frameOf(end) - frameOf(end - l);
        if (span > maxFrames) continue;
        if (span < minFrames) break;
        const total = (least[end - l] as number) + ((scatter[end - 1] as ScatterRow)[l - 1] as number);
        if (total < (next[end] as number)) {
          next[end] = total;
          lastLength[end] = l;
        }
      }
    }
    lengths.push(lastLength);
    least = next;
    const cost = (least[samples] as number) / samples + penalty(segments - 1, frames);
    if (cost < best.cost) best = { cost, segments };
  }

  const starts: number[] = [];
  let end = samples;
  for (let segments = best.segments; segments > 0; segments--) {
    end -= (lengths[segments - 1] as Uint16Array)[end] as number;
    starts.push(end);
  }
  return starts.reverse();
}

function penalty(changes: number, frames: number): number {
  return changes === 0 ? 0 : (changes / (2 * frames)) * (Math.log(frames / changes) + 1);
}

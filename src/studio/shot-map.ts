import { type Matrix, random } from '../base/index.js';

/** Enough for two directions to settle on every topic tried; a map is looked at, not computed with. */
const ROUNDS = 60;

/**
 * Rows as points of the plane: their two leading principal directions, V ← orth(XᵀXV) with X centred, scaled to [0, 1].
 * Same rows, same points; the signs are those that make the largest entry of each direction positive.
 */
export async function mapRows(rows: Matrix): Promise<{ x: number; y: number }[]> {
  const { rows: count, cols, data } = rows;
  const mean = new Float64Array(cols);
  for (let i = 0; i < data.length; i++) mean[i % cols]! += data[i]! / count;
  const { normal } = random(1);
  let directions: Float64Array[] = [0, 1].map(() => Float64Array.from({ length: cols }, normal));
  const along = (direction: Float64Array): Float64Array => {
    const offset = mean.reduce((sum, value, k) => sum + value * direction[k]!, 0);
    return Float64Array.from({ length: count }, (_, i) => {
      let sum = -offset;
      for (let k = 0; k < cols; k++) sum += data[i * cols + k]! * direction[k]!;
      return sum;
    });
  };
  for (let round = 0; round < ROUNDS; round++) {
    // A turn of the event loop: thousands of shots take seconds in all.
    await new Promise(setImmediate);
    directions = orthonormal(directions.map((each) => pull(rows, mean, along(each))));
  }
  const [xs, ys] = directions.map((each) => unitScale(along(each)));
  return Array.from({ length: count }, (_, i) => ({ x: xs![i]!, y: ys![i]! }));
}

/** Xᵀp for centred X. */
function pull({ rows, cols, data }: Matrix, mean: Float64Array, p: Float64Array): Float64Array {
  const sum = new Float64Array(cols);
  for (let i = 0; i < rows; i++) for (let k = 0; k < cols; k++) sum[k]! += p[i]! * (data[i * cols + k]! - mean[k]!);
  return sum;
}

function orthonormal([first, second]: Float64Array[]): Float64Array[] {
  const u = unit(first!);
  const overlap = u.reduce((sum, value, k) => sum + value * second![k]!, 0);
  return [u, unit(second!.map((value, k) => value - overlap * u[k]!))];
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector);
  const largest = vector.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
  return length > 0 ? vector.map((value) => (value * Math.sign(largest)) / length) : vector;
}

function unitScale(values: Float64Array): Float64Array {
  const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
  return values.map((value) => (high > low ? (value - low) / (high - low) : 0.5));
}

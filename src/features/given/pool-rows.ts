import { type Matrix, NumericError, rowOf, zeros } from '../../base/index.js';
import type { RowPlaces } from './place-rows.js';
import type { RowTable } from './types.js';

/** Numbers in memory at a time. */
const PIECE = 1 << 20;

/**
 * One vector per shot: the mean of the rows inside it. A shot without rows uses the row nearest to its middle; `bare` counts
 * those shots. `name` is the video's name in errors.
 */
export async function poolRows(
  name: string,
  table: RowTable,
  shotCount: number,
  places: RowPlaces,
): Promise<{ vectors: Matrix; bare: number }> {
  const vectors = zeros(shotCount, table.cols);
  const counts = new Float64Array(shotCount);
  const extra = places ? nearestToBare(places) : new Map<number, number[]>();
  const add = (values: ArrayLike<number>, at: number, shot: number): void => {
    const sum = rowOf(vectors, shot);
    for (let col = 0; col < table.cols; col++) sum[col]! += values[at + col]!;
    counts[shot]!++;
  };
  const step = Math.max(1, Math.floor(PIECE / table.cols));
  for (let from = 0; from < table.rows; from += step) {
    const to = Math.min(from + step, table.rows);
    const values = await table.read(from, to);
    for (let row = from; row < to; row++) {
      const at = (row - from) * table.cols;
      requireFiniteRow(values, at, table.cols, name, row);
      const shot = places ? shotAt(places.shots, places.rows[row]!) : row;
      if (shot !== null) add(values, at, shot);
      for (const bare of extra.get(row) ?? []) add(values, at, bare);
    }
  }
  counts.forEach((count, shot) => rowOf(vectors, shot).forEach((sum, col, means) => (means[col] = sum / count)));
  return { vectors, bare: [...extra.values()].reduce((sum, shots) => sum + shots.length, 0) };
}

/** For each shot without a row of its own, the row nearest to its middle: shots by row. */
function nearestToBare({ rows, shots }: NonNullable<RowPlaces>): Map<number, number[]> {
  const held = new Uint8Array(shots.length);
  for (const position of rows) {
    const shot = shotAt(shots, position);
    if (shot !== null) held[shot] = 1;
  }
  const byRow = new Map<number, number[]>();
  shots.forEach(({ start, end }, shot) => {
    if (held[shot]) return;
    const middle = (start + end) / 2;
    let best = 0;
    rows.forEach((position, row) => {
      if (Math.abs(position - middle) < Math.abs(rows[best]! - middle)) best = row;
    });
    byRow.set(best, [...(byRow.get(best) ?? []), shot]);
  });
  return byRow;
}

/** The shot that a position is in, by bisection; `null` if it is in none. */
function shotAt(shots: NonNullable<RowPlaces>['shots'], position: number): number | null {
  let [low, high] = [0, shots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shots[middle]!.end <= position) low = middle + 1;
    else high = middle;
  }
  const shot = shots[low];
  return shot && shot.start <= position ? low : null;
}

function requireFiniteRow(values: ArrayLike<number>, at: number, cols: number, name: string, row: number): void {
  for (let col = 0; col < cols; col++) {
    if (Number.isFinite(values[at + col]!)) continue;
    throw new NumericError(
      'not-finite',
      `Expected finite numbers in the vectors of "${name}", found ${values[at + col]} in row ${row}, column ${col}.`,
    );
  }
}

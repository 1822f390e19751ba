import { NumericError } from '../../base/index.js';
import type { Neighbor, Problem } from '../../topic/index.js';

/** The other videos' shots, for a method that compares shot with shot; a moment alone is refused. */
export function neighborsOf({ context, neighbors }: Problem, method: string): readonly Neighbor[] {
  if (neighbors !== undefined || context === null) return neighbors ?? [];
  throw new NumericError(
    'needs-neighbors',
    `Method "${method}" compares shot with shot, and only the moment of the other videos was given. Give their features as neighbours.`,
  );
}

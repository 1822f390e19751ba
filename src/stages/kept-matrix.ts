import { bytesOf, filledFrom } from '../base/index.js';
import type { FeatureMatrix } from '../features/index.js';
import type { Run } from '../run.js';
import { keepForLater } from './keep.js';

/** Numbers of a video's shots, and what a reader should know of how they came to be. */
export type NotedMatrix = FeatureMatrix & { readonly note: string | null };

/** Such numbers, made once and kept by what they were made from. */
export async function keptMatrix(
  run: Run,
  record: Record<string, unknown>,
  shotCount: number,
  make: () => Promise<NotedMatrix>,
): Promise<NotedMatrix> {
  const key = run.shelf.keyOf(record);
  const kept = await run.shelf.find(key);
  const header = kept?.header as { dim: number; note: string | null } | undefined;
  if (kept && header) {
    const bytes = await kept.read('rows');
    if (bytes.length === shotCount * header.dim * Float32Array.BYTES_PER_ELEMENT) {
      const data = filledFrom(new Float32Array(shotCount * header.dim), bytes);
      return { shotCount, dim: header.dim, data, note: header.note };
    }
  }
  const made = await make();
  await keepForLater(run, key, { schema: 'rows.1', dim: made.dim, note: made.note }, { rows: bytesOf(made.data) });
  return made;
}

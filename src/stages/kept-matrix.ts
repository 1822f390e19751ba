import { z } from 'zod';

import { bytesOf, filledFrom } from '../base/index.js';
import type { FeatureMatrix } from '../features/index.js';
import type { Run } from '../run.js';
import { keepForLater } from './keep.js';

/** Numbers of a video's shots, with a note for the reader if something was odd when they were made. */
export type NotedMatrix = FeatureMatrix & { readonly note: string | null };

const headerSchema = z.object({
  schema: z.literal('rows.1'),
  dim: z.int().nonnegative(),
  note: z.string().nullable(),
});

/** Such numbers from the cache, else made and cached under what they are made from. */
export async function keptMatrix(
  run: Run,
  record: Record<string, unknown>,
  shotCount: number,
  make: () => Promise<NotedMatrix>,
): Promise<NotedMatrix> {
  const key = run.shelf.keyOf(record);
  const kept = await run.shelf.find(key);
  const { data: header } = headerSchema.safeParse(kept?.header);
  if (kept && header) {
    const bytes = await kept.read('rows');
    if (bytes.length === shotCount * header.dim * Float32Array.BYTES_PER_ELEMENT) {
      const data = filledFrom(new Float32Array(shotCount * header.dim), bytes);
      return { shotCount, dim: header.dim, data, note: header.note };
    }
  }
  const made = await make();
  const { dim, note } = made;
  const seal: z.infer<typeof headerSchema> = { schema: 'rows.1', dim, note };
  await keepForLater(run, key, seal, { rows: bytesOf(made.data) });
  return made;
}

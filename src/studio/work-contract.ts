import { z } from 'zod';

/** What the server is doing. `fraction` is `null` if the share of finished work is unknown. */
export const workSchema = z.object({
  state: z.enum(['idle', 'analysing', 'rendering', 'failed']),
  /** The work that failed, which can be tried again; `null` unless it did. */
  failed: z.enum(['analysing', 'rendering']).nullable(),
  stage: z.string().nullable(),
  fraction: z.number().min(0).max(1).nullable(),
  /** Estimated from what is done; `null` if it is too early to say. */
  secondsLeft: z.number().nonnegative().nullable(),
  item: z.string().nullable(),
  message: z.string().nullable(),
  /** Videos of this stage that were started, and the progress of each. */
  items: z.array(z.object({ name: z.string(), fraction: z.number().min(0).max(1) })),
  /** Why videos were left out. */
  reasons: z.array(z.string()),
});
/** Long work, and how far it is. */
export type Work = z.output<typeof workSchema>;

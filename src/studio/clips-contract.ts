import { z } from 'zod';

/** A video file of the topic as the page lists it, before and after it is analysed. */
export const clipSchema = z.object({
  /** Names the clip in addresses; the same as its id in the selection. */
  id: z.string(),
  name: z.string(),
  /** Length by its header; `null` until it was read, or if it does not say. */
  seconds: z.number().nullable(),
  /** `failed`: it cannot be used; `problem` says why. */
  state: z.enum(['waiting', 'analysing', 'analysed', 'failed']),
  /** Share of its analysis that is done. */
  fraction: z.number().min(0).max(1),
  /**
   * How a browser gets it: the file as it is, or a proxy in H.264. `making` is a proxy under way, `none` a file that cannot be
   * shown, `unknown` one whose header was not read yet.
   */
  playback: z.enum(['unknown', 'original', 'making', 'proxy', 'none']),
  /** Share of the proxy that is made. */
  made: z.number().min(0).max(1),
  /** Why it cannot be used or shown; `null` if it can. */
  problem: z.string().nullable(),
});
export type Clip = z.output<typeof clipSchema>;

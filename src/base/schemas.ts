/** Separate from `index.ts` because it loads zod, which threads that solve or describe pictures need not wait for. */
import { z } from 'zod';

/** A fraction, as stored in every record. */
export const rationalSchema = z.object({ num: z.int().positive(), den: z.int().positive() });

/** A half-open range of ticks, as stored in every record. */
export const rangeSchema = z.object({ start: z.int(), end: z.int(), base: rationalSchema });

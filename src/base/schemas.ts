/** A door of its own beside `index.ts`: it loads zod, which threads that solve or look at pictures need not wait for. */
import { z } from 'zod';

/** A fraction, as every stored record has it. */
export const rationalSchema = z.object({ num: z.int().positive(), den: z.int().positive() });

/** A half-open range of ticks, as every stored record has it. */
export const rangeSchema = z.object({ start: z.int(), end: z.int(), base: rationalSchema });

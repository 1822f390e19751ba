import type { FeatureMatrix } from '../types.js';

/** The blocks that can describe a shot besides its pictures. */
export const BLOCK_NAMES = ['motion', 'sound'] as const;
/** One of `BLOCK_NAMES`. */
export type BlockName = (typeof BLOCK_NAMES)[number];

/** A block that is wanted, and its share of the square of a shot's vector. */
export type BlockChoice = { readonly name: BlockName; readonly weight: number };

/** A block of a video: one row of length one per shot. */
export type ShotBlock = BlockChoice & { readonly rows: FeatureMatrix };

/** Changes when the same video would get other rows: part of the cache key. */
export const BLOCK_VERSIONS: Readonly<Record<BlockName, string>> = { motion: 'motion.1', sound: 'sound.1' };

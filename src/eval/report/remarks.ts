import type { Reading } from './read.js';

/** Why videos that were read are not in the tables. */
export function leftOutNotes({ board }: Reading): readonly string[] {
  return board.leftOut.map(({ video, missing }) => `Left out ${video}: no ranking by ${missing.join(', ')}.`);
}

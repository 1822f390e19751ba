import type { Stretch } from './types.js';
import { MediaError } from '../base/index.js';

/** A stored picture. In storing order, pictures that are predicted from later ones come after them. */
export type StoredPicture = { readonly ticks: number; readonly isKey: boolean };

/** A part of a film: pictures that are copied, or encoded again. `filmTicks` is where it begins in the film. */
export type Run = {
  readonly kind: 'copy' | 'encode';
  readonly stretch: Stretch;
  readonly filmTicks: number;
};

/**
 * Divides stretches into parts that can be copied and parts that must be encoded. A stretch is copied from its first to its
 * last *clean* key picture: one where all pictures stored before it are shown before it, and all stored after it later. The
 * rest is encoded. `isWhole`: the pictures reach to the end of the file, where a copied part may end too.
 */
export function planCopy(pictures: readonly StoredPicture[], stretches: readonly Stretch[], isWhole: boolean): Run[] {
  const keys = cleanKeys(pictures);
  const last = pictures.reduce((latest, { ticks }) => Math.max(latest, ticks), -Infinity);
  let before = 0;
  return stretches.flatMap(({ start, end }) => {
    const inside = keys.filter((ticks) => ticks >= start && ticks <= end);
    const from = inside[0] ?? end;
    const to = isWhole && last < end ? end : (inside.at(-1) ?? from);
    const edges = from < to ? [start, from, to, end] : [start, end];
    const kinds = from < to ? (['encode', 'copy', 'encode'] as const) : (['encode'] as const);
    const runs = kinds.map((kind, index) => ({
      kind,
      stretch: { start: edges[index]!, end: edges[index + 1]! },
      filmTicks: before + edges[index]! - start,
    }));
    before += end - start;
    return runs.filter(({ stretch }) => stretch.start < stretch.end);
  });
}

/** Times of the key pictures that divide the pictures in the same way in storing order and in showing order. */
function cleanKeys(pictures: readonly StoredPicture[]): number[] {
  const earliestBehind = new Array<number>(pictures.length + 1).fill(Infinity);
  for (let at = pictures.length - 1; at >= 0; at--) {
    earliestBehind[at] = Math.min(earliestBehind[at + 1]!, pictures[at]!.ticks);
  }
  let latestBefore = -Infinity;
  const clean: number[] = [];
  for (const [at, { ticks, isKey }] of pictures.entries()) {
    if (isKey && latestBefore < ticks && earliestBehind[at + 1]! > ticks) clean.push(ticks);
    latestBefore = Math.max(latestBefore, ticks);
  }
  return clean;
}

/** Where each picture of a film is stored and shown, in storing order. */
export type Timing = { readonly decodeTicks: number; readonly showTicks: number; readonly durationTicks: number };

/**
 * Storing times for pictures shown at `shown` (in storing order): the k-th stored picture gets the k-th smallest showing
 * time, and all showing times move by `delay`, the least for which no picture is shown before it is stored.
 */
export function timePictures(shown: readonly number[], endTicks: number): { timings: Timing[]; delay: number } {
  const sorted = shown.toSorted((a, b) => a - b);
  const delay = shown.reduce((most, ticks, place) => Math.max(most, sorted[place]! - ticks), 0);
  const timings = shown.map((ticks, place) => ({
    decodeTicks: sorted[place]!,
    showTicks: ticks + delay,
    durationTicks: (sorted[place + 1] ?? endTicks) - sorted[place]!,
  }));
  return { timings, delay };
}

/** A film cannot be made by copying; `reason` is the end of a sentence such as "it was encoded, not copied: …". */
export class CopyRefused extends MediaError {
  constructor(readonly reason: string) {
    super('copy-refused', `Expected pictures that can be copied, but ${reason}.`);
  }
}

/** The error for a film that cannot be made by copying. */
export function refuse(reason: string): CopyRefused {
  return new CopyRefused(reason);
}

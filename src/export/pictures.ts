/** The pictures that a run can draw besides its films. */
export const PICTURES = ['storyboard', 'svg', 'sheet', 'stills'] as const;
/** One of `PICTURES`. */
export type PictureKind = (typeof PICTURES)[number];

/** Reads which pictures are wanted: names separated by commas, or `none`; `null` if it is neither. */
export function parsePictures(text: string): ReadonlySet<PictureKind> | null {
  const names = text.split(',').map((name) => name.trim());
  if (names.length === 1 && names[0] === 'none') return new Set();
  const known = PICTURES.filter((kind) => names.includes(kind));
  return new Set(names).size === known.length ? new Set(known) : null;
}

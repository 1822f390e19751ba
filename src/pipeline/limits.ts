import { findMissingGlyphs } from '../render/index.js';
import type { Run } from './run.js';

/**
 * The most videos that are compared with each other: finding doubles among them, and supporters of their shots, costs the
 * square of their number (decision 22).
 */
export const COMPARED_VIDEOS = 1000;

/** The same for one run, which may set another number. */
export function maxCompared({ comparedVideos = COMPARED_VIDEOS }: { readonly comparedVideos?: number }): number {
  return comparedVideos;
}

/** The most shots that the film of a topic is chosen from: they are solved as one video, at a cost that grows with their square. */
export const POOLED_SHOTS = 2000;

/** The most videos that the report and the contact sheets show: no browser lays out more in a reasonable time. */
export const SHOWN_VIDEOS = 2000;

/** Numbers that the vectors of a topic may have in memory, 48 MB; the vectors of a larger one are kept in a file. */
export const HELD_NUMBERS = 6e6;

/** The most videos in which counterparts of each chosen shot are searched: that compares every chosen shot with all shots. */
export const SEARCHED_VIDEOS = 200;

/** A clip has at least this length, or that of its take: time enough to see what it shows. In seconds. */
export const READABLE_S = 2;
/** A clip has at least this length, even across cuts: less is a flash. */
export const VISIBLE_S = 0.5;
/** A clip grows to this length where the film is too short; a longer one is a take that nobody edited. */
export const LONG_S = 6;
/** A film may be off the length asked for by this much. */
export const TOLERANCE_S = 0.5;

/** Records something that a reader of the result should know. */
export function note(run: Run, code: string, message: string): void {
  run.notes.push(message);
  run.emit({ type: 'note', code, message });
}

/** Characters that a note about missing glyphs lists. */
const LISTED = 8;

/** Notes, once per text, which of its characters no font on this machine can draw. Called before the text is drawn. */
export async function noteMissingGlyphs(texts: Iterable<string>, run: Run): Promise<void> {
  for (const text of new Set(texts)) {
    const missing = await findMissingGlyphs(text);
    if (missing.length === 0) continue;
    const listed = missing.slice(0, LISTED).map((character) => `"${character}"`);
    const more = missing.length > LISTED ? ` and ${missing.length - LISTED} more` : '';
    const message = `No font on this machine has ${listed.join(', ')}${more} of "${text}": boxes are drawn instead. Install a font for that script, such as one of the Noto fonts.`;
    if (!run.notes.includes(message)) note(run, 'missing-glyphs', message);
  }
}

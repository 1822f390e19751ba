import { findMissingGlyphs } from '../export/index.js';
import type { Run } from '../run.js';

/** Records something that a reader of the result should know. */
export function note(run: Run, code: string, message: string): void {
  run.notes.push(message);
  run.tell({ type: 'note', code, message });
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

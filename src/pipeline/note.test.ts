import { expect, it } from 'vitest';

import type { Run } from './run.js';
import { noteMissingGlyphs } from './limits.js';

it('names the characters that no font has, once per text', async () => {
  const codes: string[] = [];
  const run = { notes: [], emit: (event: { code: string }) => codes.push(event.code) } as unknown as Run;
  const texts = ['Прибой, κύματα, waves', 'a\u{e1234}b\u{f8fe}', 'a\u{e1234}b\u{f8fe}'];
  await noteMissingGlyphs(texts, run);
  await noteMissingGlyphs(texts.slice(1), run);
  expect(codes).toEqual(['missing-glyphs']);
  expect(run.notes).toEqual([
    'No font on this machine has "\u{e1234}", "\u{f8fe}" of "a\u{e1234}b\u{f8fe}": boxes are drawn instead. Install a font for that script, such as one of the Noto fonts.',
  ]);
});

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { drawText, findMissingGlyphs, fitText, inkWidth, measureText, paintShapes } from './text.js';

const style = { x: 4, y: 6, heightPx: 14, color: '#fff' };
const WIDTH = 600;

const paint = (text: string): Promise<Buffer> => paintShapes(drawText(text, style), WIDTH, 32);

/** The columns in which something is drawn. */
function columnsOf(rgba: Buffer): number[] {
  const columns = new Set<number>();
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at]! > 64) columns.add((at >> 2) % WIDTH);
  return [...columns].toSorted((a, b) => a - b);
}

describe('drawText', () => {
  it('draws Latin, Greek and Cyrillic as typed, composed or not', async () => {
    const letters = ['e', 'é', 'ё', 'ж', 'Ω', 'ἄ', 'ế', '0', '№', '…'];
    const drawn = await Promise.all(letters.map(paint));
    expect(new Set(drawn.map((rgba) => rgba.toString('latin1'))).size).toBe(letters.length);
    expect((await paint('e\u0301')).equals(await paint('é'))).toBe(true);
  });

  it('gives the same bytes whatever the font settings of the system are', { tags: 'slow' }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-fonts-'));
    try {
      const edit = (name: string, value: string): string =>
        `<match target="font"><edit name="${name}" mode="assign">${value}</edit></match>`;
      const settings = ['', edit('hintstyle', '<const>hintfull</const>'), edit('hinting', '<bool>false</bool>'), edit('antialias', '<bool>false</bool>') + edit('autohint', '<bool>true</bool>')]; // prettier-ignore
      const program = `import { drawText, paintShapes } from ${JSON.stringify(new URL('text.ts', import.meta.url).href)};
        process.stdout.write((await paintShapes(drawText('Wave, волна, κῦμα 12', ${JSON.stringify(style)}), ${WIDTH}, 32)).toString('base64'));`;
      const drawn = settings.map((rules, index) => {
        const config = join(folder, `${index}.conf`);
        writeFileSync(config, `<?xml version="1.0"?><fontconfig>${rules}</fontconfig>`);
        const env = { ...process.env, FONTCONFIG_FILE: config };
        const args = ['--import', 'tsx', '--input-type=module', '-e', program];
        return createHash('sha256')
          .update(execFileSync(process.execPath, args, { env }))
          .digest('hex');
      });
      expect(new Set(drawn).size).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('escapes text, and draws control characters as something that can be seen', async () => {
    expect(drawText('"><script>&\n\u0001', style)).toContain('>&quot;&gt;&lt;script&gt;&amp; \uFFFD</text>');
    expect(columnsOf(await paint('\u0001')).length).toBeGreaterThan(3);
  });
});

describe('measureText', () => {
  it.each(['0:12.345', 'Waves at Nazaré', 'Прибой', 'Κύματα'])('agrees with what is drawn: %s', async (text) => {
    const columns = columnsOf(await paint(text));
    const width = columns.at(-1)! - columns[0]!;
    expect(Math.abs(width - measureText(text, style.heightPx))).toBeLessThan(6);
  });

  it('counts foreign letters as wide, and marks as nothing', () => {
    expect(measureText('漢字', 714)).toBe(2000);
    expect(measureText('e\u0301', 10)).toBe(measureText('e', 10));
  });
});

describe('inkWidth', () => {
  it('is the width of what is drawn', async () => {
    expect(Math.abs((await inkWidth('Waves', 14)) - measureText('Waves', 14))).toBeLessThan(3);
    expect(await inkWidth('', 14)).toBe(0);
    // The box for a character that no font has is narrower than the em it is taken for.
    expect(await inkWidth('\u{e1234}', 40)).toBeLessThan(measureText('\u{e1234}', 40));
  });
});

describe('fitText', () => {
  it('cuts a text to a width, and never a letter from its accents', () => {
    const cut = fitText('a very long name of a film.mp4', 10, 80);
    expect(cut.endsWith('…')).toBe(true);
    expect(measureText(cut, 10)).toBeLessThanOrEqual(80);
    expect(fitText('short', 10, 80)).toBe('short');
    expect(fitText('e\u0301'.repeat(40), 10, 60)).toMatch(/^(?:e\u0301)+…$/);
  });
});

describe('findMissingGlyphs', () => {
  it('finds nothing in the scripts of the font, nor in spaces', async () => {
    expect(await findMissingGlyphs('Aß\u00a0é, ёж, ῥόδον – “№ 5”\t\u200b\n')).toEqual([]);
  });

  it('names what no font can have', async () => {
    // No character is assigned to the first, and the second is private.
    expect(await findMissingGlyphs('a\u{e1234}b\u{f8fe}\u{e1234}')).toEqual(['\u{e1234}', '\u{f8fe}']);
  });
});

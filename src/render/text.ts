import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

import { markup } from './report/html.js';

/*
 * All text in pictures: SVG drawn by librsvg and Pango, both part of sharp. The font that comes with Throughline covers Latin,
 * Greek and Cyrillic, and for these every machine gives the same bytes: librsvg never hints glyphs, whatever the settings of
 * the system. For other scripts Pango takes a font of the system.
 */

const FONT_FILE = fileURLToPath(new URL('../../fonts/throughline-sans.ttf', import.meta.url));
const FAMILY = 'Throughline Sans';

/** What is known about the font that comes with Throughline, in its own units. */
type Font = {
  readonly unitsPerEm: number;
  readonly capHeight: number;
  /** The advance of each code point that it has. */
  readonly advances: ReadonlyMap<number, number>;
};

let loaded: Font | undefined;

/** Reads the tables `head`, `OS/2`, `hhea`, `hmtx` and `cmap` (format 4) of the font, once. */
function font(): Font {
  if (loaded) return loaded;
  const bytes = readFileSync(FONT_FILE);
  const u16 = (at: number): number => bytes.readUInt16BE(at);
  const tables = new Map<string, number>();
  for (let at = 12; at < 12 + 16 * u16(4); at += 16) {
    tables.set(bytes.toString('latin1', at, at + 4), bytes.readUInt32BE(at + 8));
  }
  const [head, os2, hhea, hmtx, cmap] = ['head', 'OS/2', 'hhea', 'hmtx', 'cmap'].map((name) => tables.get(name)!) as [number, number, number, number, number]; // prettier-ignore
  const metrics = u16(hhea + 34);
  const map = cmap + bytes.readUInt32BE(cmap + 8);
  const size = u16(map + 6);
  const advances = new Map<number, number>();
  for (let segment = 0; segment < size; segment += 2) {
    const [end, start] = [u16(map + 14 + segment), u16(map + 16 + size + segment)];
    const delta = u16(map + 16 + 2 * size + segment);
    const rangeAt = map + 16 + 3 * size + segment;
    for (let code = start; code <= end && code < 0xffff; code++) {
      const range = u16(rangeAt);
      const listed = range === 0 ? code : u16(rangeAt + range + 2 * (code - start));
      const glyph = listed === 0 ? 0 : (listed + delta) & 0xffff;
      if (glyph !== 0) advances.set(code, u16(hmtx + 4 * Math.min(glyph, metrics - 1)));
    }
  }
  return (loaded = { unitsPerEm: u16(head + 18), capHeight: u16(os2 + 88), advances });
}

/**
 * Width in pixels of a text whose capitals are `heightPx` high, without kerning. A character that the font does not have
 * counts as one em, the width of a Chinese one.
 */
export function measureText(text: string, heightPx: number): number {
  const { advances, capHeight, unitsPerEm } = font();
  let units = 0;
  for (const character of text) {
    const isMark = /[\p{M}\p{Default_Ignorable_Code_Point}]/u.test(character);
    units += advances.get(character.codePointAt(0)!) ?? (isMark ? 0 : unitsPerEm);
  }
  return (units * heightPx) / capHeight;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The text cut with "…" so that it is at most `widthPx` wide. A letter is never cut from its accents. */
export function fitText(text: string, heightPx: number, widthPx: number): string {
  if (measureText(text, heightPx) <= widthPx) return text;
  let [kept, width] = ['', measureText('…', heightPx)];
  for (const { segment } of graphemes.segment(text)) {
    width += measureText(segment, heightPx);
    if (width > widthPx) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Where and how a line of text is drawn: its upper left corner, the height of its capitals, its colour, bold or not. */
type TextStyle = {
  readonly x: number;
  readonly y: number;
  readonly heightPx: number;
  readonly color: string;
  readonly bold?: boolean;
  /** `x` is its middle. */
  readonly centred?: boolean;
};

/** A line of text as an SVG element, for `paintShapes`. */
export function drawText(text: string, { x, y, heightPx, color, bold, centred }: TextStyle): string {
  const { unitsPerEm, capHeight } = font();
  const size = (heightPx * unitsPerEm) / capHeight;
  // Outlines make it bold: a bold font would be a second file, and slanting or thickening by the system differs.
  const stroke = bold ? ` stroke="${color}" stroke-width="${round(size / 28)}" stroke-linejoin="round"` : '';
  const anchor = centred ? ' text-anchor="middle"' : '';
  return (
    `<text x="${round(x)}" y="${round(y + heightPx)}" font-family="${FAMILY}" font-size="${round(size)}" ` +
    `xml:space="preserve" fill="${color}"${stroke}${anchor}>${escape(text)}</text>`
  );
}

/** Escaped, on one line, without control characters. */
const escape = (text: string): string => markup`${text}`.html;

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

let registered: Promise<unknown> | undefined;

/** Makes the font known to the Pango of this process. */
function registerFont(): Promise<unknown> {
  registered ??= sharp({ text: { text: 'A', font: `${FAMILY} 10`, fontfile: FONT_FILE } })
    .raw()
    .toBuffer();
  return registered;
}

/** Draws SVG shapes and text as RGBA pixels, not premultiplied. */
export async function paintShapes(shapes: string, width: number, height: number): Promise<Buffer> {
  await registerFont();
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`;
  return sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer();
}

/** Width in pixels of a text as it is drawn, with whatever fonts it needs. `measureText` is quicker, and wrong for other scripts. */
export async function inkWidth(text: string, heightPx: number): Promise<number> {
  // Wider pictures are refused by the renderer, and wider texts fit no frame.
  const width = Math.min(16_000, Math.ceil(2 * heightPx + 1.5 * measureText(text, heightPx)));
  const rgba = await paintShapes(drawText(text, { x: heightPx, y: heightPx, heightPx, color: '#fff' }), width, 3 * heightPx); // prettier-ignore
  let right = 0;
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at]! > 0) right = Math.max(right, ((at >> 2) % width) + 1);
  return Math.max(0, right - heightPx);
}

/** The characters of a text that no font on this machine can draw, in order of appearance. Pango draws boxes for them. */
export async function findMissingGlyphs(text: string): Promise<string[]> {
  const { advances } = font();
  const foreign = new Set<string>();
  for (const character of text) {
    const isDrawn = !/[\p{Cc}\p{Cs}\p{White_Space}\p{Default_Ignorable_Code_Point}]/u.test(character);
    if (isDrawn && !advances.has(character.codePointAt(0)!)) foreign.add(character);
  }
  const missing: string[] = [];
  for (const character of foreign) {
    // Without other fonts, Pango draws the box. If it draws the same with all fonts, none has the glyph.
    const [alone, withOthers] = await Promise.all([drawAlone(character, false), drawAlone(character, true)]);
    if (alone.equals(withOthers)) missing.push(character);
  }
  return missing;
}

function drawAlone(character: string, fallback: boolean): Promise<Buffer> {
  const text = `<span fallback="${fallback}">${escape(character)}</span>`;
  return sharp({ text: { text, font: `${FAMILY} 24`, fontfile: FONT_FILE, rgba: true } })
    .png()
    .toBuffer();
}

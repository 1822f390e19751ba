/** One character: the path of the pen in SVG syntax, and how far to move on, in the units below. */
type Glyph = { readonly path: string; readonly advance: number };

/** Capitals reach from 0 down to 14, small letters from 4; descenders reach 18. The pen is round and 1.7 wide. */
const CAP_HEIGHT = 14;
const PEN = 1.7;
const GAP = 3.2;

// Written as "characters, width, path"; drawn for this project so that a sheet needs no font on the machine.
const STROKES: readonly (readonly [string, number, string])[] = [
  ['0', 8, 'M0 4.2a4 4.2 0 0 1 8 0v5.6a4 4.2 0 0 1-8 0z'],
  ['1', 8, 'M1.4 3.2L5 0V14'],
  ['2', 8, 'M.3 3.9C.5 1.6 2 0 4.1 0C6.3 0 7.8 1.6 7.8 3.8C7.8 7.2 3.6 9.2 0 14H8'],
  ['3', 8, 'M.4 0H7.4L3.8 5.3C6.5 5.2 8 7.2 8 9.6C8 12.2 6.2 14 3.8 14C1.9 14 .5 13 0 11.3'],
  ['4', 8, 'M6 14V0L-.2 10H8.2'],
  ['5', 8, 'M7.2 0H1.3L.7 6.3C1.5 5.5 2.6 5.1 3.8 5.1C6.3 5.1 8 7 8 9.5C8 12.1 6.2 14 3.7 14C1.9 14 .6 13.2 0 11.7'],
  ['6', 8, 'M6.2 0C2.6 2.6 0 6 0 9.7a4 4.3 0 0 0 8 0a4 4.3 0 0 0-7.6-2'],
  ['7', 8, 'M0 0H8L3 14'],
  ['8', 8, 'M4 6.5a3.5 3.25 0 1 1 .01 0zM4 6.5a4 3.75 0 1 0 .01 0z'],
  ['9', 8, 'M1.8 14C5.4 11.4 8 8 8 4.3a4 4.3 0 0 0-8 0a4 4.3 0 0 0 7.6 2'],
  ['A', 9, 'M0 14L4.5 0L9 14M1.5 9.5H7.5'],
  ['B', 8, 'M0 0H4A3.3 3.3 0 0 1 4 6.6H0M4 6.6A3.7 3.7 0 0 1 4 14H0V0'],
  ['C', 9, 'M9 3.2C8.2 1.2 6.7 0 4.8 0C1.8 0 0 2.7 0 7C0 11.3 1.8 14 4.8 14C6.7 14 8.2 12.8 9 10.8'],
  ['D', 9, 'M0 0H3.5C7 0 9 2.7 9 7C9 11.3 7 14 3.5 14H0Z'],
  ['E', 7, 'M7 0H0V14H7M0 6.7H6'],
  ['F', 7, 'M7 0H0V14M0 6.7H6'],
  ['G', 9, 'M8.8 3.2C8 1.2 6.6 0 4.7 0C1.8 0 0 2.7 0 7C0 11.3 1.8 14 4.7 14C7.3 14 9 12 9 9V7.7H5'],
  ['H', 9, 'M0 0V14M9 0V14M0 6.7H9'],
  ['I', 1, 'M.5 0V14'],
  ['J', 6, 'M6 0V10A3.5 4 0 0 1 0 11.5'],
  ['K', 8, 'M0 0V14M8 0L0 8.4M2.7 5.8L8 14'],
  ['L', 7, 'M0 0V14H7'],
  ['M', 11, 'M0 14V0L5.5 9L11 0V14'],
  ['N', 9, 'M0 14V0L9 14V0'],
  ['O', 10, 'M5 0C1.9 0 0 2.7 0 7C0 11.3 1.9 14 5 14C8.1 14 10 11.3 10 7C10 2.7 8.1 0 5 0Z'],
  ['P', 8, 'M0 14V0H4.2A3.8 3.8 0 0 1 4.2 7.6H0'],
  ['Q', 10, 'M5 0C1.9 0 0 2.7 0 7C0 11.3 1.9 14 5 14C8.1 14 10 11.3 10 7C10 2.7 8.1 0 5 0ZM6.3 10.5L10 15'],
  ['R', 8, 'M0 14V0H4.2A3.6 3.6 0 0 1 4.2 7.2H0M4.2 7.2L8 14'],
  ['S', 8, 'M7.7 2.8C7 1 5.8 0 4 0C1.9 0 .4 1.4 .4 3.4C.4 8 8 5.8 8 10.4C8 12.5 6.4 14 4 14C2 14 .6 13 0 11'],
  ['T', 9, 'M0 0H9M4.5 0V14'],
  ['U', 9, 'M0 0V9.5A4.5 4.5 0 0 0 9 9.5V0'],
  ['V', 9, 'M0 0L4.5 14L9 0'],
  ['W', 13, 'M0 0L3.3 14L6.5 2L9.7 14L13 0'],
  ['X', 9, 'M0 0L9 14M9 0L0 14'],
  ['Y', 9, 'M0 0L4.5 7V14M9 0L4.5 7'],
  ['Z', 8, 'M0 0H8L0 14H8'],
  [
    'a',
    7,
    'M.6 5.6C1.3 4.6 2.3 4 3.6 4C5.8 4 7 5.2 7 7.3V14M7 8.4H3.6C1.4 8.4 0 9.4 0 11.2C0 12.9 1.3 14 3.2 14C5.3 14 7 12.7 7 10.6',
  ],
  ['b', 7.5, 'M0 0V14M0 9a3.75 5 0 0 1 7.5 0a3.75 5 0 0 1-7.5 0'],
  ['c', 7, 'M7 6.3C6.4 4.9 5.3 4 3.9 4C1.6 4 0 6 0 9C0 12 1.6 14 3.9 14C5.3 14 6.4 13.1 7 11.7'],
  ['d', 7.5, 'M7.5 0V14M7.5 9a3.75 5 0 0 0-7.5 0a3.75 5 0 0 0 7.5 0'],
  ['e', 7.5, 'M0 8.8H7.5C7.5 5.9 6 4 3.8 4C1.6 4 0 6 0 9C0 12 1.6 14 3.9 14C5.4 14 6.5 13.3 7.2 12'],
  ['f', 5, 'M5 .2C3 -.4 1.7 .6 1.7 2.8V14M0 4.6H4.8'],
  [
    'g',
    7.5,
    'M7.5 4V14.5C7.5 16.8 6 18.2 3.7 18.2C2.3 18.2 1.2 17.7 .4 16.8M7.5 9a3.75 5 0 0 0-7.5 0a3.75 5 0 0 0 7.5 0',
  ],
  ['h', 7, 'M0 0V14M0 8.2C0 5.6 1.5 4 3.6 4C5.8 4 7 5.4 7 7.8V14'],
  ['i', 1, 'M.5 4.3V14M.5 .3V.6'],
  ['j', 3, 'M2.5 4.3V15C2.5 17.2 1.5 18.3-.3 18.1M2.5 .3V.6'],
  ['k', 6.5, 'M0 0V14M6.3 4.3L0 10.6M2.2 8.5L6.5 14'],
  ['l', 1, 'M.5 0V14'],
  [
    'm',
    11.5,
    'M0 4.3V14M0 7.6C0 5.5 1.2 4 3 4C4.8 4 5.75 5.3 5.75 7.4V14M5.75 7.6C5.75 5.5 7 4 8.75 4C10.5 4 11.5 5.3 11.5 7.4V14',
  ],
  ['n', 7, 'M0 4.3V14M0 8.2C0 5.6 1.5 4 3.6 4C5.8 4 7 5.4 7 7.8V14'],
  ['o', 7.5, 'M3.75 4a3.75 5 0 0 1 0 10a3.75 5 0 0 1 0-10z'],
  ['p', 7.5, 'M0 4.3V18.2M0 9a3.75 5 0 0 1 7.5 0a3.75 5 0 0 1-7.5 0'],
  ['q', 7.5, 'M7.5 4.3V18.2M7.5 9a3.75 5 0 0 0-7.5 0a3.75 5 0 0 0 7.5 0'],
  ['r', 4.5, 'M0 4.3V14M0 8.6C0 5.6 1.7 3.8 4.5 4.2'],
  [
    's',
    6.5,
    'M6.2 6C5.6 4.7 4.6 4 3.2 4C1.5 4 .3 5 .3 6.5C.3 9.9 6.5 8 6.5 11.4C6.5 13 5.2 14 3.3 14C1.7 14 .6 13.3 0 11.9',
  ],
  ['t', 5, 'M1.8 1V11.2C1.8 13.4 2.9 14.3 5 13.9M0 4.6H4.8'],
  ['u', 7, 'M0 4.3V10.2C0 12.6 1.2 14 3.4 14C5.5 14 7 12.4 7 9.8M7 4.3V14'],
  ['v', 7, 'M0 4.3L3.5 14L7 4.3'],
  ['w', 10.5, 'M0 4.3L2.7 14L5.25 5.5L7.8 14L10.5 4.3'],
  ['x', 7, 'M0 4.3L7 14M7 4.3L0 14'],
  ['y', 7, 'M0 4.3L3.6 14M7 4.3L3.2 15.2C2.4 17.5 1.6 18.2 0 18'],
  ['z', 6.5, 'M0 4.3H6.5L0 14H6.5'],
  [':', 1.5, 'M.75 5.4V5.7M.75 12.9V13.2'],
  ['.', 1.5, 'M.75 13V13.3'],
  [',', 2, 'M1 12.9L.2 16'],
  ['·', 2, 'M1 7.9V8.2'],
  ['-', 5, 'M0 8.5H5'],
  ['–', 8, 'M0 8.5H8'],
  ['_', 8, 'M0 15.5H8'],
  ['%', 11, 'M10 0L1 14M2.3 0a2.2 2.9 0 1 0 .01 0zM8.7 8.2a2.2 2.9 0 1 0 .01 0z'],
  ['/', 6, 'M6-.5L0 15.5'],
  ['(', 3.5, 'M3.5-1C-1 4-1 11 3.5 16'],
  [')', 3.5, 'M0-1C4.5 4 4.5 11 0 16'],
  ["'", 1, 'M.5 0V3.5'],
  ['+', 8, 'M0 8.5H8M4 4.5V12.5'],
  [
    '&',
    10,
    'M10 14L2.6 4.8C.6 2.2 1.9 0 4 0C6.2 0 7.2 2.4 5.2 4.4C3.5 6 0 7 0 10.4C0 12.6 1.6 14 4 14C7 14 9 11.5 9.3 8',
  ],
  ['!', 1.5, 'M.75 0V9.5M.75 13V13.3'],
  ['#', 9, 'M3 0L1.5 14M7.5 0L6 14M.5 4.5H9M0 9.5H8.5'],
  ['=', 8, 'M0 6H8M0 10.5H8'],
  ['…', 11, 'M.75 13V13.3M5.5 13V13.3M10.25 13V13.3'],
];

const GLYPHS: ReadonlyMap<string, Glyph> = new Map([
  ...STROKES.map(([character, advance, path]): [string, Glyph] => [character, { path, advance }]),
  [' ', { path: '', advance: 3 }],
]);

const UNKNOWN: Glyph = { path: 'M0 1.500H7V13H0Z', advance: 7 };

/** The glyphs of a text: accents are dropped, any space and control characters become spaces, unknown characters a box. */
function glyphsOf(text: string): Glyph[] {
  const plain = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\p{C}\p{Zs}]/gu, ' ')
    .replace(/[‘’]/g, "'");
  return Array.from(plain, (character) => GLYPHS.get(character) ?? UNKNOWN);
}

const scaleOf = (heightPx: number): number => heightPx / CAP_HEIGHT;

/** Width of a text in pixels when its capitals are `heightPx` high. */
export function measureText(text: string, heightPx: number): number {
  const units = glyphsOf(text).reduce((sum, glyph) => sum + glyph.advance + GAP, 0);
  return Math.max(0, units - GAP) * scaleOf(heightPx);
}

/** The text cut with "…" so that it is at most `widthPx` wide. */
export function fitText(text: string, heightPx: number, widthPx: number): string {
  if (measureText(text, heightPx) <= widthPx) return text;
  const characters = Array.from(text);
  let keep = characters.length;
  while (keep > 0 && measureText(`${characters.slice(0, keep).join('')}…`, heightPx) > widthPx) keep--;
  return `${characters.slice(0, keep).join('').trimEnd()}…`;
}

/** Where and how a line of text is drawn: its upper left corner, the height of its capitals, its colour, bold or not. */
type TextStyle = {
  readonly x: number;
  readonly y: number;
  readonly heightPx: number;
  readonly color: string;
  readonly bold?: boolean;
};

/** A line of text as SVG strokes: no font is needed. */
export function drawText(text: string, style: TextStyle): string {
  const scale = scaleOf(style.heightPx);
  let at = 0;
  let body = '';
  for (const glyph of glyphsOf(text)) {
    if (glyph.path !== '') body += `<path transform="translate(${round(at)} 0)" d="${glyph.path}"/>`;
    at += glyph.advance + GAP;
  }
  const pen = style.bold === true ? PEN * 1.35 : PEN;
  return (
    `<g transform="translate(${round(style.x)} ${round(style.y)}) scale(${round(scale)})" fill="none" ` +
    `stroke="${style.color}" stroke-width="${round(pen)}" stroke-linecap="round" stroke-linejoin="round">${body}</g>`
  );
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

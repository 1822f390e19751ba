import sharp from 'sharp';
import { spreadEvenly } from './report/html.js';
import { drawText, fitText, paintShapes } from './text.js';

/** The margin of every drawn sheet, and the space between its cells, in pixels. */
export const MARGIN = 32;
export const GUTTER = 16;

/** The colours of sheets. */
export const COLORS = {
  sheet: '#141518',
  cell: '#1e2024',
  text: '#f1efe9',
  quiet: '#8d9098',
  track: '#2b2e34',
  own: '#e0a640',
  shared: '#58a6d6',
  chosen: '#ff5b3a',
} as const;

export type Size = { readonly width: number; readonly height: number };
export type Box = Size & { readonly x: number; readonly y: number };

/** Pixels of one colour, RGB. */
export function fill({ width, height }: Size, color: string): Buffer {
  return Buffer.alloc(3 * width * height, Buffer.from(color.slice(1), 'hex'));
}

/**
 * Lays SVG shapes over one band of the sheet (RGB). Band by band because one overlay for the whole sheet is drawn
 * again for every strip sharp works on: seconds instead of milliseconds at a few hundred cells.
 */
export async function stamp(sheet: Buffer, width: number, top: number, height: number, shapes: string): Promise<void> {
  const ink = await paintShapes(shapes, width, height);
  const start = 3 * top * width;
  for (let pixel = 0; pixel < width * height; pixel++) {
    const alpha = (ink[4 * pixel + 3] ?? 0) / 255;
    if (alpha === 0) continue;
    for (let channel = 0; channel < 3; channel++) {
      const at = start + 3 * pixel + channel;
      const below = sheet[at] ?? 0;
      sheet[at] = Math.round(below + alpha * ((ink[4 * pixel + channel] ?? 0) - below));
    }
  }
}

/** The whole picture inside its cell, on a plain background; `null` if it cannot be read. */
export async function paintPicture(picture: Buffer | null, cell: Size): Promise<Buffer | null> {
  if (picture === null) return null;
  try {
    const fitted = sharp(picture)
      .toColourspace('srgb')
      .removeAlpha()
      .resize({ ...cell, fit: 'contain', background: COLORS.cell });
    return await fitted.raw().toBuffer();
  } catch {
    return null;
  }
}

/** Copies the pixels of a cell to its place on the sheet. */
export function place(sheet: Buffer, sheetWidth: number, pixels: Buffer, { x, y, width, height }: Box): void {
  for (let line = 0; line < height; line++) {
    pixels.copy(sheet, 3 * ((y + line) * sheetWidth + x), 3 * line * width, 3 * (line + 1) * width);
  }
}

/** A rectangle as an SVG shape. */
export const rect = (box: Box, color: string, radius = 0): string =>
  `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="${radius}" fill="${color}"/>`;

/** The sheet as a file. Same pixels, same bytes. */
export function savePng(sheet: Buffer, { width, height }: Size): Promise<Buffer> {
  return sharp(sheet, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 6, adaptiveFiltering: true })
    .toBuffer();
}

/** The pictures that a run can draw besides its films. */
export const PICTURES = ['storyboard', 'svg', 'sheet', 'pdf', 'stills'] as const;
/** One of `PICTURES`. */
export type PictureKind = (typeof PICTURES)[number];

/** Reads which pictures are wanted: names separated by commas, or `none`; `null` if it is neither. */
export function parsePictures(text: string): ReadonlySet<PictureKind> | null {
  const names = text.split(',').map((name) => name.trim());
  if (names.length === 1 && names[0] === 'none') return new Set();
  const known = PICTURES.filter((kind) => names.includes(kind));
  return new Set(names).size === known.length ? new Set(known) : null;
}

/** One shot of a topic’s film on its storyboard. */
export type TopicCell = {
  /** Reads a JPEG of any shape, when its cell is drawn; `null` draws an empty cell. */
  picture(): Promise<Buffer | null>;
  /** Below the picture: where the shot is from, and a second line. */
  readonly label: string;
  readonly note: string;
  /** Importance in [0, 1], relative to the strongest shot of the film. */
  readonly score01: number;
};

/** The shots of a topic's film on one sheet, in the order they play. */
type TopicSheet = {
  readonly title: string;
  /** Under the title. */
  readonly facts: string;
  readonly cells: readonly TopicCell[];
};

/** As many as in the figures of the paper; the same on every sheet, so that sheets can be compared. */
const COLUMNS = 5;

/** Of more cells than this only some are drawn, so that the sheet can still be opened. */
const LIMIT = 240;

const CELL = { width: 256, height: 144 } as const;
const HEADER = 84;
const CAPTION = 56;
const WIDTH = 2 * MARGIN + COLUMNS * (CELL.width + GUTTER) - GUTTER;
const ROW = CELL.height + CAPTION + GUTTER;

/** The sheet as a PNG: cells of one size and five a row, whatever the pictures are. Same input, same bytes. */
export async function drawTopicSheet({ title, facts, cells }: TopicSheet): Promise<Buffer> {
  const drawn = spreadEvenly(cells.length, LIMIT).map((at) => cells[at]!);
  const height = HEADER + ROW * Math.ceil(drawn.length / COLUMNS) + MARGIN - GUTTER;
  const sheet = fill({ width: WIDTH, height }, COLORS.sheet);
  const line = drawn.length < cells.length ? `${facts} · ${drawn.length} drawn, the rest thinned evenly` : facts;
  const left = { x: MARGIN, color: COLORS.text };
  const header =
    drawText(fitText(title, 16, WIDTH - 2 * MARGIN), { ...left, y: 24, heightPx: 16, bold: true }) +
    drawText(fitText(line, 10, WIDTH - 2 * MARGIN), { ...left, y: 55, heightPx: 10, color: COLORS.quiet });
  await stamp(sheet, WIDTH, 0, HEADER, header);
  for (let first = 0, top = HEADER; first < drawn.length; first += COLUMNS, top += ROW) {
    await drawRow(sheet, drawn.slice(first, first + COLUMNS), top);
  }
  return savePng(sheet, { width: WIDTH, height });
}

async function drawRow(sheet: Buffer, cells: readonly TopicCell[], top: number): Promise<void> {
  let marks = '';
  for (const [column, cell] of cells.entries()) {
    const x = MARGIN + column * (CELL.width + GUTTER);
    const pixels = (await paintPicture(await cell.picture(), CELL)) ?? fill(CELL, COLORS.cell);
    place(sheet, WIDTH, pixels, { x, y: top, ...CELL });
    const bar = { x, y: 8, width: CELL.width, height: 5 };
    const length = Math.round(CELL.width * Math.min(1, Math.max(0, cell.score01 || 0)));
    marks +=
      rect(bar, COLORS.track) +
      rect({ ...bar, width: length }, COLORS.own) +
      drawText(fitText(cell.label, 10, CELL.width), { x: x + 1, y: 22, heightPx: 10, color: COLORS.text, bold: true }) +
      drawText(fitText(cell.note, 9, CELL.width), { x: x + 1, y: 40, heightPx: 9, color: COLORS.quiet });
  }
  await stamp(sheet, WIDTH, top + CELL.height, CAPTION, marks);
}

/** A4 lying on its side, and its margin, in points of 1/72 inch. */
const PAGE = { width: 842, height: 595, margin: 28 } as const;

/** JPEG quality at which letters of a few pixels stay legible. */
const QUALITY = 92;

/**
 * Pictures (PNG or JPEG) as a PDF 1.4 for print, one on each page, as large as its margins allow. It has neither dates nor
 * random ids: same pictures, same bytes.
 */
export async function drawPdf(pictures: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<Buffer> {
  const pages: string[] = [];
  const objects: (string | Buffer)[][] = [];
  for await (const picture of pictures) {
    const id = 3 + objects.length;
    pages.push(`${id} 0 R`);
    const flat = sharp(picture).toColourspace('srgb').removeAlpha().jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' }); // prettier-ignore
    const { data, info } = await flat.toBuffer({ resolveWithObject: true });
    const room = { width: PAGE.width - 2 * PAGE.margin, height: PAGE.height - 2 * PAGE.margin };
    const scale = Math.min(room.width / info.width, room.height / info.height);
    const [width, height] = [info.width * scale, info.height * scale];
    const corner = [(PAGE.width - width) / 2, (PAGE.height - height) / 2];
    const matrix = [width, 0, 0, height, ...corner].map((value) => value.toFixed(3)).join(' ');
    const drawing = `q ${matrix} cm /Im Do Q`;
    objects.push(
      [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] `,
        `/Resources << /XObject << /Im ${id + 2} 0 R >> >> /Contents ${id + 1} 0 R >>`,
      ],
      [`<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`],
      [
        `<< /Type /XObject /Subtype /Image /Width ${info.width} /Height ${info.height} /ColorSpace /DeviceRGB `,
        `/BitsPerComponent 8 /Filter /DCTDecode /Length ${data.length} >>\nstream\n`,
        data,
        '\nendstream',
      ],
    );
  }
  return assemble([
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    [`<< /Type /Pages /Count ${pages.length} /Kids [${pages.join(' ')}] >>`],
    ...objects,
  ]);
}

/** A file of numbered objects, with the table of where each begins. */
function assemble(objects: readonly (readonly (string | Buffer)[])[]): Buffer {
  // The second line tells programs that the file is binary.
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n', 'latin1')];
  let length = parts[0]!.length;
  const push = (part: string | Buffer): void => {
    const bytes = Buffer.from(part as string, 'latin1');
    parts.push(bytes);
    length += bytes.length;
  };
  const offsets = objects.map((content, at) => {
    const start = length;
    push(`${at + 1} 0 obj\n`);
    for (const part of content) push(part);
    push('\nendobj\n');
    return start;
  });
  const table = length;
  push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
  for (const offset of offsets) push(`${String(offset).padStart(10, '0')} 00000 n \n`);
  push(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return Buffer.concat(parts);
}

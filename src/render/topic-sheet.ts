import { spreadEvenly } from './report/importance.js';
import { COLORS, fill, GUTTER, MARGIN, paintPicture, place, rect, savePng, stamp } from './sheet.js';
import { drawText, fitText } from './text.js';

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
export type TopicSheet = {
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

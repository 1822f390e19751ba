import sharp from 'sharp';
import { type Html, markup, ownPart, raw, relativeUrl, spreadEvenly } from './report/html.js';
import {
  type Box,
  COLORS,
  fill,
  GUTTER,
  MARGIN,
  paintPicture,
  place,
  rect,
  savePng,
  type Size,
  stamp,
} from './sheet.js';
import { drawText, fitText, measureText } from './text.js';

/** One shot of a storyboard. Scores are in [0, 1], relative to the strongest shot of the video. */
export type StoryboardShot = {
  /** Reads a JPEG of any shape, when its cell is drawn; `null` draws an empty cell. */
  picture(): Promise<Buffer | null>;
  /** Text below the picture, usually the time at which the shot begins. */
  readonly label: string;
  readonly chosen: boolean;
  /** What a person asked for about it. */
  readonly wish?: 'pinned' | 'vetoed' | undefined;
  readonly score01: number;
  readonly own01: number;
  readonly shared01: number;
};

/** What a storyboard shows, and how it is laid out. */
type Storyboard = {
  readonly title: string;
  /** In film order. */
  readonly shots: readonly StoryboardShot[];
  /** Pictures in a row; chosen by the number of shots when not given. */
  readonly columns?: number;
};

/** Of more shots than this only some are drawn, so that the sheet can still be opened. */
export const STORYBOARD_LIMIT = 240;

const HEADER = 84;
const CAPTION = 38;
const CELL_AREA = 256 * 144;
const WIDEST_ROWS = 60;

/** How much of its brightness a shot that was not chosen keeps. */
const DIMMED = 0.44;

/** All shots of one video as a PNG sheet in film order; the chosen ones are framed and bright. Same input, same bytes. */
export async function drawStoryboard({ title, shots, columns }: Storyboard): Promise<Buffer> {
  const drawn = thin(shots);
  const cell = await cellSize(drawn);
  const perRow = columnsFor(drawn.length, columns, cell);
  const rows = Math.max(1, Math.ceil(drawn.length / perRow));
  const rowHeight = cell.height + CAPTION + GUTTER;
  const width = Math.max(2 * MARGIN + perRow * (cell.width + GUTTER) - GUTTER, 560);
  const height = HEADER + rows * rowHeight + MARGIN - GUTTER;

  const sheet = fill({ width, height }, COLORS.sheet);
  await stamp(sheet, width, 0, HEADER - GUTTER, drawHeader(title, shots, drawn.length, width));
  for (let row = 0; row < rows; row++) {
    const top = HEADER + row * rowHeight;
    let marks = '';
    for (const [column, shot] of drawn.slice(row * perRow, (row + 1) * perRow).entries()) {
      const left = MARGIN + column * (cell.width + GUTTER);
      const picture = await paintPicture(await shot.picture(), cell);
      const pixels = picture !== null && !shot.chosen ? dim(picture) : (picture ?? fill(cell, COLORS.cell));
      place(sheet, width, pixels, { x: left, y: top, ...cell });
      // A band begins half a gutter above its cells: room for their frames.
      marks += drawMarks(shot, { x: left, y: GUTTER / 2, ...cell });
    }
    await stamp(sheet, width, top - GUTTER / 2, rowHeight, marks);
  }
  return savePng(sheet, { width, height });
}

/** All chosen shots while they fit, and an even spread of the others, in film order. */
function thin(shots: readonly StoryboardShot[]): StoryboardShot[] {
  if (shots.length <= STORYBOARD_LIMIT) return [...shots];
  const chosen = [...shots.keys()].filter((index) => shots[index]?.chosen === true);
  const others = [...shots.keys()].filter((index) => shots[index]?.chosen !== true);
  const keptChosen = spreadEvenly(chosen.length, STORYBOARD_LIMIT).map((at) => chosen[at]);
  const keptOthers = spreadEvenly(others.length, STORYBOARD_LIMIT - keptChosen.length).map((at) => others[at]);
  const kept = new Set([...keptChosen, ...keptOthers]);
  return shots.filter((_, index) => kept.has(index));
}

/** Cells of a fixed area, in the shape of the first readable picture, between 9:16 and 2:1. */
async function cellSize(shots: readonly StoryboardShot[]): Promise<Size> {
  let aspect = 16 / 9;
  for (const shot of shots) {
    const picture = await shot.picture();
    const size = picture === null ? null : await sizeOf(picture);
    if (size === null) continue;
    aspect = Math.min(2, Math.max(9 / 16, size.width / size.height));
    break;
  }
  const width = 2 * Math.round(Math.sqrt(CELL_AREA * aspect) / 2);
  return { width, height: 2 * Math.round(width / aspect / 2) };
}

async function sizeOf(picture: Buffer): Promise<Size | null> {
  try {
    const { width, height } = await sharp(picture).metadata();
    return { width, height };
  } catch {
    return null;
  }
}

function columnsFor(count: number, asked: number | undefined, cell: Size): number {
  const byWidth = Math.max(1, Math.round(1600 / (cell.width + GUTTER)));
  const natural = Math.min(byWidth, Math.max(1, count));
  const wanted = asked === undefined ? natural : Math.max(1, Math.floor(asked));
  return Math.max(wanted, Math.ceil(count / WIDEST_ROWS));
}

/** Half grey, and darker, so that the eye goes to the chosen shots first. */
function dim(rgb: Buffer): Buffer {
  const result = Buffer.allocUnsafe(rgb.length);
  for (let at = 0; at + 2 < rgb.length; at += 3) {
    const [red, green, blue] = [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0];
    const grey = 0.299 * red + 0.587 * green + 0.114 * blue;
    result[at] = Math.round(((red + grey) / 2) * DIMMED + 12);
    result[at + 1] = Math.round(((green + grey) / 2) * DIMMED + 12);
    result[at + 2] = Math.round(((blue + grey) / 2) * DIMMED + 13);
  }
  return result;
}

function drawMarks(shot: StoryboardShot, box: Box): string {
  const below = box.y + box.height;
  const bar = { x: box.x, y: below + 8, width: box.width, height: 5 };
  const length = box.width * Math.min(1, Math.max(0, shot.score01 || 0));
  const own = Math.round(length * ownPart({ own: shot.own01, shared: shot.shared01 }) * 100) / 100;
  const shared = Math.round((length - own) * 100) / 100;
  const color = shot.chosen ? COLORS.text : COLORS.quiet;
  const label = drawText(fitText(shot.label, 10, box.width - (shot.chosen ? 20 : 0)), {
    x: box.x + (shot.chosen ? 18 : 1),
    y: below + 21,
    heightPx: 10,
    color,
    bold: shot.chosen,
  });
  const bars =
    rect(bar, COLORS.track) +
    `<g opacity="${shot.chosen ? 1 : 0.6}">${rect({ ...bar, width: own }, COLORS.own)}` +
    `${rect({ ...bar, x: box.x + own, width: shared }, COLORS.shared)}</g>`;
  return bars + label + drawWish(shot, box) + (shot.chosen ? drawChosen(box, below + 21) : '');
}

/** A band over the top of a pinned shot, a stroke through a vetoed one. */
function drawWish({ wish }: StoryboardShot, box: Box): string {
  if (wish === 'pinned') return rect({ ...box, height: 10 }, COLORS.chosen);
  if (wish !== 'vetoed') return '';
  return (
    `<path d="M${box.x + 6} ${box.y + box.height - 6}L${box.x + box.width - 6} ${box.y + 6}" ` +
    `stroke="${COLORS.quiet}" stroke-width="3" stroke-linecap="round"/>`
  );
}

/** The frame of a chosen shot, and a tick next to its time, so that colour is not the only sign. */
function drawChosen(box: Box, labelTop: number): string {
  return (
    `<rect x="${box.x - 2}" y="${box.y - 2}" width="${box.width + 4}" height="${box.height + 4}" rx="2" ` +
    `fill="none" stroke="${COLORS.chosen}" stroke-width="4"/>` +
    `<path d="M${box.x + 1} ${labelTop + 5.5}l3.5 3.5l6.5-8" fill="none" stroke="${COLORS.chosen}" ` +
    `stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/>`
  );
}

function drawHeader(title: string, shots: readonly StoryboardShot[], drawn: number, width: number): string {
  const chosen = shots.filter((shot) => shot.chosen).length;
  const counts = `${shots.length} ${shots.length === 1 ? 'shot' : 'shots'} · ${chosen} chosen`;
  const thinned = drawn < shots.length ? ` · ${drawn} drawn, the rest thinned evenly` : '';
  const legend: readonly (readonly [string, string])[] = [
    ['own', COLORS.own],
    ['shared', COLORS.shared],
    ['chosen', COLORS.chosen],
  ];
  let right = width - MARGIN;
  let keys = '';
  for (const [word, color] of legend.toReversed()) {
    right -= measureText(word, 10);
    keys += drawText(word, { x: right, y: 55, heightPx: 10, color: COLORS.quiet });
    right -= 18;
    keys += rect({ x: right, y: 55, width: 11, height: 11 }, color, 1.5);
    right -= 20;
  }
  const left = { x: MARGIN, color: COLORS.text };
  return (
    drawText(fitText(title, 16, width - 2 * MARGIN), { ...left, y: 24, heightPx: 16, bold: true }) +
    drawText(fitText(counts + thinned, 10, right - MARGIN), { ...left, y: 55, heightPx: 10, color: COLORS.quiet }) +
    keys
  );
}

/** A shot of a storyboard that links into the video. */
export type LinkedShot = StoryboardShot & {
  /** Where it plays, in seconds from the file's start, for the link. */
  readonly from: number;
  readonly to: number;
};

/** What a storyboard with links shows. */
type LinkedStoryboard = {
  readonly title: string;
  /** Path of the video, relative to the folder of the storyboard. */
  readonly video: string;
  readonly shots: readonly LinkedShot[];
};

const LINK_COLUMNS = 6;
const LINK_CELL = { width: 256, height: 144 };
const LINK_STEP = { x: LINK_CELL.width + 16, y: LINK_CELL.height + 54 };

/**
 * All shots of one video as an SVG page with the pictures inside; a click on one opens the video there. It comes in parts,
 * one per shot, so that the pictures of a long video are never all in memory.
 */
export async function* drawLinkedStoryboard({ title, video, shots }: LinkedStoryboard): AsyncGenerator<string> {
  const rows = Math.max(1, Math.ceil(shots.length / LINK_COLUMNS));
  const width = 2 * MARGIN + LINK_COLUMNS * LINK_STEP.x - 16;
  const height = HEADER + rows * LINK_STEP.y + MARGIN;
  const chosen = shots.filter((shot) => shot.chosen).length;
  yield markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" style="max-width:100%;height:auto" font-family="system-ui, sans-serif">
<title>${title}</title>
<style>a:focus rect.edge, a:hover rect.edge { stroke: ${raw(COLORS.text)}; stroke-width: 4 }</style>
<rect width="${width}" height="${height}" fill="${raw(COLORS.sheet)}"/>
<text x="${MARGIN}" y="42" font-size="22" font-weight="600" fill="${raw(COLORS.text)}">${title}</text>
<text x="${MARGIN}" y="66" font-size="14" fill="${raw(COLORS.quiet)}">${shots.length} ${shots.length === 1 ? 'shot' : 'shots'} · ${chosen} chosen</text>
`.html;
  for (const [index, shot] of shots.entries()) yield await drawCell(shot, index, video);
  yield '</svg>\n';
}

async function drawCell(shot: LinkedShot, index: number, video: string): Promise<string> {
  const x = MARGIN + (index % LINK_COLUMNS) * LINK_STEP.x;
  const y = HEADER + Math.floor(index / LINK_COLUMNS) * LINK_STEP.y;
  const picture = await shot.picture();
  const image = picture && `data:image/jpeg;base64,${picture.toString('base64')}`;
  const length = LINK_CELL.width * Math.min(1, Math.max(0, shot.score01 || 0));
  const own = round(length * ownPart({ own: shot.own01, shared: shot.shared01 }));
  const bar = y + LINK_CELL.height + 10;
  const edge = shot.chosen ? COLORS.chosen : COLORS.track;
  const label = `${shot.label}${shot.chosen ? ' ✓' : ''}`;
  return markup`<a href="${relativeUrl(video)}#t=${round(shot.from)},${round(shot.to)}" target="_blank"><title>${label}</title>
<rect x="${x}" y="${y}" width="${LINK_CELL.width}" height="${LINK_CELL.height}" fill="${raw(COLORS.cell)}"/>
${image && markup`<image href="${image}" x="${x}" y="${y}" width="${LINK_CELL.width}" height="${LINK_CELL.height}" opacity="${shot.chosen ? 1 : 0.45}"/>`}
<rect class="edge" x="${x}" y="${y}" width="${LINK_CELL.width}" height="${LINK_CELL.height}" fill="none" stroke="${raw(edge)}" stroke-width="${shot.chosen ? 4 : 1}"/>
${wishMarkup(shot, x, y)}
<rect x="${x}" y="${bar}" width="${LINK_CELL.width}" height="5" fill="${raw(COLORS.track)}"/>
<rect x="${x}" y="${bar}" width="${own}" height="5" fill="${raw(COLORS.own)}"/>
<rect x="${x + own}" y="${bar}" width="${round(length - own)}" height="5" fill="${raw(COLORS.shared)}"/>
<text x="${x}" y="${bar + 24}" font-size="13" fill="${raw(shot.chosen ? COLORS.text : COLORS.quiet)}">${label}</text></a>
`.html;
}

/** A band over the top of a pinned shot, a stroke through a vetoed one. */
function wishMarkup({ wish }: LinkedShot, x: number, y: number): Html | null {
  if (wish === 'pinned')
    return markup`<rect x="${x}" y="${y}" width="${LINK_CELL.width}" height="10" fill="${raw(COLORS.chosen)}"/>`;
  if (wish !== 'vetoed') return null;
  const [left, right, top, bottom] = [x + 6, x + LINK_CELL.width - 6, y + 6, y + LINK_CELL.height - 6];
  return markup`<path d="M${left} ${bottom}L${right} ${top}" stroke="${raw(COLORS.quiet)}" stroke-width="3"/>`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

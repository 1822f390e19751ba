import { type Html, markup, raw, relativeUrl, ownPart } from './report/html.js';
import { COLORS } from './sheet.js';
import type { StoryboardShot } from './storyboard.js';

/** A shot of a storyboard that links into the video. */
export type LinkedShot = StoryboardShot & {
  /** Where it plays, in seconds from the file's start, for the link. */
  readonly from: number;
  readonly to: number;
};

/** What a storyboard with links shows. */
export type LinkedStoryboard = {
  readonly title: string;
  /** Path of the video, relative to the folder of the storyboard. */
  readonly video: string;
  readonly shots: readonly LinkedShot[];
};

const COLUMNS = 6;
const CELL = { width: 256, height: 144 };
const STEP = { x: CELL.width + 16, y: CELL.height + 54 };
const MARGIN = 32;
const HEADER = 84;

/**
 * All shots of one video as an SVG page with the pictures inside; a click on one opens the video there. It comes in parts,
 * one per shot, so that the pictures of a long video are never all in memory.
 */
export async function* drawLinkedStoryboard({ title, video, shots }: LinkedStoryboard): AsyncGenerator<string> {
  const rows = Math.max(1, Math.ceil(shots.length / COLUMNS));
  const width = 2 * MARGIN + COLUMNS * STEP.x - 16;
  const height = HEADER + rows * STEP.y + MARGIN;
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
  const x = MARGIN + (index % COLUMNS) * STEP.x;
  const y = HEADER + Math.floor(index / COLUMNS) * STEP.y;
  const picture = await shot.picture();
  const image = picture && `data:image/jpeg;base64,${picture.toString('base64')}`;
  const length = CELL.width * Math.min(1, Math.max(0, shot.score01 || 0));
  const own = round(length * ownPart({ own: shot.own01, shared: shot.shared01 }));
  const bar = y + CELL.height + 10;
  const edge = shot.chosen ? COLORS.chosen : COLORS.track;
  const label = `${shot.label}${shot.chosen ? ' ✓' : ''}`;
  return markup`<a href="${relativeUrl(video)}#t=${round(shot.from)},${round(shot.to)}" target="_blank"><title>${label}</title>
<rect x="${x}" y="${y}" width="${CELL.width}" height="${CELL.height}" fill="${raw(COLORS.cell)}"/>
${image && markup`<image href="${image}" x="${x}" y="${y}" width="${CELL.width}" height="${CELL.height}" opacity="${shot.chosen ? 1 : 0.45}"/>`}
<rect class="edge" x="${x}" y="${y}" width="${CELL.width}" height="${CELL.height}" fill="none" stroke="${raw(edge)}" stroke-width="${shot.chosen ? 4 : 1}"/>
${drawWish(shot, x, y)}
<rect x="${x}" y="${bar}" width="${CELL.width}" height="5" fill="${raw(COLORS.track)}"/>
<rect x="${x}" y="${bar}" width="${own}" height="5" fill="${raw(COLORS.own)}"/>
<rect x="${x + own}" y="${bar}" width="${round(length - own)}" height="5" fill="${raw(COLORS.shared)}"/>
<text x="${x}" y="${bar + 24}" font-size="13" fill="${raw(shot.chosen ? COLORS.text : COLORS.quiet)}">${label}</text></a>
`.html;
}

/** A band over the top of a pinned shot, a stroke through a vetoed one. */
function drawWish({ wish }: LinkedShot, x: number, y: number): Html | null {
  if (wish === 'pinned')
    return markup`<rect x="${x}" y="${y}" width="${CELL.width}" height="10" fill="${raw(COLORS.chosen)}"/>`;
  if (wish !== 'vetoed') return null;
  const [left, right, top, bottom] = [x + 6, x + CELL.width - 6, y + 6, y + CELL.height - 6];
  return markup`<path d="M${left} ${bottom}L${right} ${top}" stroke="${raw(COLORS.quiet)}" stroke-width="3"/>`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

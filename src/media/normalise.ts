import type { Rational } from '../base/index.js';
import type { PictureSize } from './blend.js';
import type { ClockJump, VideoInfo } from './types.js';

/*
 * What every reading of a file begins with, so that all of them see the same frames: a clock that never stops or turns back,
 * pictures of one size, and whole pictures instead of fields. Colours are converted last (hdr.ts), on as few pixels as possible.
 */

/**
 * Frames whose clock does not advance cannot be told apart in time, so decoding and cutting both leave them out,
 * by this same rule. `pts` is the presentation time in the track's own ticks.
 */
const ADVANCING = "select='isnan(prev_selected_pts)+gt(pts,prev_selected_pts)'";

/** Streams of broadcasts and discs, which may be joined: a gap of more than this in their clock is a join, as for ffmpeg itself. */
const JOINED_CONTAINERS = /^(?:mpegts|mpeg)\b/;
const LONGEST_GAP_SECONDS = 10;

/** The filter options for pictures that are scaled for people. */
export const SCALER = 'flags=bicubic+accurate_rnd+full_chroma_int+bitexact';

/** Seconds by which the clock of a container may jump ahead before that counts as a restart. */
export function longestGap({ container }: Pick<VideoInfo, 'container'>): number {
  return JOINED_CONTAINERS.test(container) ? LONGEST_GAP_SECONDS : Infinity;
}

/** Ticks from one frame to the next; `null` if the file states no rate. */
function frameStep({ frameRate, timeBase }: Pick<VideoInfo, 'frameRate' | 'timeBase'>): number | null {
  if (frameRate === null) return null;
  return Math.max(1, Math.round((frameRate.den * timeBase.den) / (frameRate.num * timeBase.num)));
}

/**
 * Filters that give every frame its time. If the clock of the file restarts, it is continued: the first frame after a restart
 * follows the last one before it by one frame. With `report`, each restart is printed as two numbers (see `jumpReader`).
 */
export function clockFilters(info: VideoInfo, { report = false } = {}): string[] {
  if (info.clock === undefined) return [ADVANCING];
  const step = frameStep(info) ?? 'max(1,ld(3))';
  // Registers: 0 what is added to the file's time, 1 the latest time given, 2 the step in the file, 3 the step before.
  const print = report ? '+0*print(PTS,16)+0*print(PTS+ld(0),16)' : '';
  const gap = longestGap(info);
  const isRestart = `lte(ld(2),0)${Number.isFinite(gap) ? `+gt(ld(2)*TB,${gap})` : ''}`;
  const expression = [
    'st(2,PTS-PREV_INPTS)',
    `if(${isRestart},st(0,ld(1)+${step}-PTS)${print},if(gt(ld(2),0),st(3,ld(2))))`,
    'st(1,if(isnan(PREV_INPTS),PTS,max(ld(1),PTS+ld(0))))',
    'PTS+ld(0)',
  ];
  return [`setpts='${expression.join(';')}'`, ADVANCING];
}

const PRINTED = /^(?:\[[^\]]+\] )*(-?\d+)\.0+$/;

/** Collects the restarts that `clockFilters` prints. The reader returns true for their lines. */
export function jumpReader(jumps: ClockJump[]): (line: string) => boolean {
  let fileTicks: number | null = null;
  return (line) => {
    const printed = PRINTED.exec(line)?.[1];
    if (printed === undefined) return false;
    if (fileTicks === null) fileTicks = Number(printed);
    else {
      jumps.push({ ticks: Number(printed), fileTicks });
      fileTicks = null;
    }
    return true;
  };
}

/** Restarts that the sound of a film can follow; each takes about 30 characters of the command line, whose length is limited. */
const MAX_JUMPS = 400;

/** Filters that move sound to the continued clock of its pictures: its k-th restart is that of the pictures. */
export function soundClockFilters(info: Pick<VideoInfo, 'clock' | 'container' | 'timeBase'>): string[] {
  const { clock = [], timeBase } = info;
  if (clock.length === 0) return [];
  const offsets = [0, ...clock.slice(0, MAX_JUMPS).map(({ ticks, fileTicks }) => ticks - fileTicks)];
  const edges = offsets.slice(1).map((_, k) => k + 1);
  const offset = stepFunction('ld(0)', edges, offsets.map(String));
  const gap = longestGap(info);
  const isRestart = `lte(PTS-PREV_INPTS,0)${Number.isFinite(gap) ? `+gt((PTS-PREV_INPTS)*TB,${gap})` : ''}`;
  const seconds = `(${offset})*${timeBase.num}/${timeBase.den}`;
  return [`asetpts='if(${isRestart},st(0,ld(0)+1));floor(PTS+${seconds}/TB+0.5)'`];
}

/** The tick on the file's own clock of a moment on the continued clock. */
export function toFileTicks(ticks: number, clock: readonly ClockJump[] = []): number {
  const jump = clock.findLast((each) => each.ticks <= ticks);
  return jump === undefined ? ticks : ticks - jump.ticks + jump.fileTicks;
}

/** Size of a picture on a screen: stored pixels stretched by their shape. */
export function shownSize({ widthPx, heightPx, sampleAspect: { num, den } }: VideoInfo): PictureSize {
  return { widthPx: Math.max(1, Math.round((widthPx * num) / den)), heightPx };
}

/** Size of the pictures as stored, before the player's turn. */
function storedSize({ widthPx, heightPx, rotationDeg }: VideoInfo): PictureSize {
  return rotationDeg % 180 === 0 ? { widthPx, heightPx } : { widthPx: heightPx, heightPx: widthPx };
}

/**
 * Filters that give every picture the declared size, whatever the stream says on its way; pictures of that size are not
 * touched. In a file that is known to change, pictures of another shape get bars.
 */
export function sizeFilters(info: VideoInfo, { asStored = false } = {}): string[] {
  const { widthPx, heightPx } = asStored ? storedSize(info) : info;
  const size = `${widthPx}:${heightPx}`;
  if (!info.resizes) return [`scale=${size}:${SCALER}`];
  return [
    `scale=${size}:force_original_aspect_ratio=decrease:eval=frame:${SCALER}`,
    `pad=${size}:-1:-1:eval=frame`,
    `setsar=${info.sampleAspect.num}/${info.sampleAspect.den}`,
  ];
}

/** Filters that make one whole picture of two fields; the deinterlacer also halves the tick, which is undone. */
export function deinterlace({ interlaced }: VideoInfo, timeBase: Rational): string[] {
  return interlaced ? ['bwdif=mode=send_frame:deint=interlaced', `settb=${timeBase.num}/${timeBase.den}`] : [];
}

/** values[k] for edges[k-1] ≤ x < edges[k], as a balanced tree: log₂ comparisons per frame for any number of cuts. */
export function stepFunction(x: string, edges: readonly number[], values: readonly string[]): string {
  const tree = (low: number, high: number): string => {
    if (low === high) return values[low] ?? '0';
    const middle = (low + high) >> 1;
    return `if(lt(${x},${edges[middle]}),${tree(low, middle)},${tree(middle + 1, high)})`;
  };
  return tree(0, edges.length);
}

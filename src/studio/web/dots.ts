import type { ShotMap, Video } from '../contract.js';
import { colourOf } from './colours.js';
import type { ShotRef } from './state.js';

export type Point = { readonly x: number; readonly y: number };

/** A shot on the map, in pixels; `group` is the place of its video. */
export type Dot = Point & {
  readonly r: number;
  readonly group: number;
  readonly isChosen: boolean;
  readonly at: ShotRef;
};

const MARGIN = 24;

/** The shots of the videos that are shown, the important ones last, so that they lie on top. */
export function layDots(
  points: ShotMap['points'],
  videos: readonly Video[],
  { width, height }: { width: number; height: number },
  hidden: ReadonlySet<string>,
): Dot[] {
  const groups = new Map(videos.map(({ id }, group) => [id, group]));
  return points
    .flatMap(({ video, shot, x, y }): Dot[] => {
      const group = groups.get(video) ?? -1;
      const found = videos[group]?.shots[shot];
      if (!found || hidden.has(video)) return [];
      return [
        {
          ...{ x: MARGIN + x * (width - 2 * MARGIN), y: MARGIN + y * (height - 2 * MARGIN), r: 3 + 7 * found.score },
          ...{ group, isChosen: found.chosen, at: { video, shot } },
        },
      ];
    })
    .sort((a, b) => a.r - b.r);
}

/** Whether a point lies inside a closed line: a ray to the right crosses it an odd number of times. */
export function isInside(line: readonly Point[], { x, y }: Point): boolean {
  let isIn = false;
  for (let i = 0, j = line.length - 1; i < line.length; j = i++) {
    const [a, b] = [line[i]!, line[j]!];
    if (a.y > y !== b.y > y && x < a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x)) isIn = !isIn;
  }
  return isIn;
}

/** The dot nearest a point, no further than `reach`. */
export function nearestDot(dots: readonly Dot[], { x, y }: Point, reach: number): Dot | null {
  let [best, least]: [Dot | null, number] = [null, reach];
  for (const dot of dots) {
    const distance = Math.hypot(dot.x - x, dot.y - y);
    if (distance <= least) [best, least] = [dot, distance];
  }
  return best;
}

const DIRECTIONS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** The next dot in the direction of an arrow key, within 45° of it; `null` where there is none. */
export function dotTowards(dots: readonly Dot[], from: Dot, key: string): Dot | null {
  const direction = DIRECTIONS[key];
  if (!direction) return null;
  let [best, least]: [Dot | null, number] = [null, Infinity];
  for (const dot of dots) {
    const [x, y] = [dot.x - from.x, dot.y - from.y];
    const [ahead, aside] = [x * direction.x + y * direction.y, Math.abs(x * direction.y + y * direction.x)];
    // What lies aside counts double, so that one goes where the arrow points.
    const cost = ahead + 2 * aside;
    if (ahead > 0 && aside <= ahead && cost < least) [best, least] = [dot, cost];
  }
  return best;
}

/** Fits a canvas to its place on the page and wipes it. */
function wipe(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = devicePixelRatio;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext('2d')!;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/** All dots: a path for each video, and one for the frames of the chosen, however many dots there are. */
export function paintDots(canvas: HTMLCanvasElement, dots: readonly Dot[]): void {
  const pen = wipe(canvas);
  const [faint, full] = [new Map<number, Path2D>(), new Map<number, Path2D>()];
  const frames = new Path2D();
  for (const { x, y, r, group, isChosen } of dots) {
    const paths = isChosen ? full : faint;
    const path = paths.get(group) ?? new Path2D();
    paths.set(group, path);
    for (const each of isChosen ? [path, frames] : [path]) {
      each.moveTo(x + r, y);
      each.arc(x, y, r, 0, 2 * Math.PI);
    }
  }
  for (const [paths, alpha] of [
    [faint, 0.45],
    [full, 1],
  ] as const) {
    pen.globalAlpha = alpha;
    for (const [group, path] of paths) {
      pen.fillStyle = colourOf(group);
      pen.fill(path);
    }
  }
  pen.strokeStyle = getComputedStyle(canvas).color;
  pen.lineWidth = 1.2;
  pen.stroke(frames);
}

/** What changes while one points: the lasso, the dots inside it, the dot one is at. */
export function paintMarks(
  canvas: HTMLCanvasElement,
  { line, marked, here }: { line: readonly Point[]; marked: readonly Dot[]; here: Dot | null },
): void {
  const pen = wipe(canvas);
  const { color, accentColor } = getComputedStyle(canvas);
  pen.strokeStyle = accentColor;
  pen.lineWidth = 2;
  const rings = new Path2D();
  for (const { x, y, r } of marked) {
    rings.moveTo(x + r + 2, y);
    rings.arc(x, y, r + 2, 0, 2 * Math.PI);
  }
  pen.stroke(rings);
  if (line.length > 1) {
    const path = new Path2D();
    line.forEach(({ x, y }, at) => (at === 0 ? path.moveTo(x, y) : path.lineTo(x, y)));
    path.closePath();
    pen.globalAlpha = 0.15;
    pen.fillStyle = accentColor;
    pen.fill(path);
    pen.globalAlpha = 1;
    pen.setLineDash([5, 4]);
    pen.stroke(path);
    pen.setLineDash([]);
  }
  if (!here) return;
  pen.strokeStyle = color;
  pen.lineWidth = 3;
  pen.beginPath();
  pen.arc(here.x, here.y, here.r + 1, 0, 2 * Math.PI);
  pen.stroke();
}

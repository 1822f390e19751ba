import { colourOf } from './colours.js';
import type { Dot, Point } from './dots.js';

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

import type { ShotMap, Video } from '../contract.js';
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

import { random, type Random } from '../../base/index.js';
import type { Drawing } from '../canvas.js';
import type { Flat, Thing } from '../stage.js';

/** A gradient from top to bottom (or left to right) as a definition; stops are `offset colour opacity?, …`. */
export function linear(id: string, stops: string, isAcross = false): string {
  const end = isAcross ? 'x2="1" y2="0"' : 'x2="0" y2="1"';
  return `<linearGradient id="${id}" x1="0" y1="0" ${end}>${stopsOf(stops)}</linearGradient>`;
}

/** A gradient from the middle outwards as a definition. */
export function radial(id: string, stops: string): string {
  return `<radialGradient id="${id}">${stopsOf(stops)}</radialGradient>`;
}

function stopsOf(text: string): string {
  const stops = text.split(', ').map((stop) => stop.split(' '));
  return stops
    .map(
      ([offset, colour, opacity = 1]) => `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`,
    )
    .join('');
}

export function rect(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${r(x)}" y="${r(y)}" width="${r(width)}" height="${r(height)}" fill="${fill}" ${more}/>`;
}

/** A rectangle from the top left corner, filled with a gradient from top to bottom. */
export function wash(stops: string, width: number, height: number): string {
  return `<defs>${linear('wash', stops)}</defs>${rect(0, 0, width, height, 'url(#wash)')}`;
}

export function circle(x: number, y: number, radius: number, fill: string, more = ''): string {
  return `<circle cx="${r(x)}" cy="${r(y)}" r="${r(radius)}" fill="${fill}" ${more}/>`;
}

export function ellipse(x: number, y: number, rx: number, ry: number, fill: string, more = ''): string {
  return `<ellipse cx="${r(x)}" cy="${r(y)}" rx="${r(rx)}" ry="${r(ry)}" fill="${fill}" ${more}/>`;
}

export function path(d: string, fill: string, more = ''): string {
  return `<path d="${d}" fill="${fill}" ${more}/>`;
}

/** An open stroke without filling. */
export function stroke(d: string, colour: string, width: number, more = ''): string {
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" ${more}/>`;
}

/** A soft round light as a whole drawing: bright in the middle, gone at the rim. */
export function glow(size: number, colour: string, core = '#ffffff'): Drawing {
  const stops = `0 ${core}, 0.12 ${core} 0.95, 0.3 ${colour} 0.5, 0.6 ${colour} 0.12, 1 ${colour} 0`;
  const body = `<defs>${radial('g', stops)}</defs>${circle(size / 2, size / 2, size / 2, 'url(#g)')}`;
  return drawing(size, size, body);
}

/** A ridge from left to right around `y`, closed down to `bottom`: sums of sines, rougher with `rough`. */
export function ridge(dice: Brush, y: number, height: number, bottom: number, rough: number, width = 1600): string {
  const waves = Array.from({ length: 6 }, (_, k) => ({
    turn: dice.next() * 6.283,
    speed: ((k + 1) * rough * (0.7 + 0.6 * dice.next()) * 6.283) / 1600,
    size: height / (k + 1),
  }));
  const points: string[] = [];
  for (let x = -40; x <= width + 40; x += 12) {
    const up = waves.reduce((sum, wave) => sum + wave.size * Math.sin(x * wave.speed + wave.turn), 0);
    points.push(`${x} ${r(y - up * 0.5)}`);
  }
  return `M-40 ${bottom} L${points.join(' L')} L${width + 40} ${bottom} Z`;
}

/** `count` drawings, each made from its index. */
export function times(count: number, draw: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => draw(i)).join('');
}

/** Random numbers of one drawing. */
export type Brush = Random & {
  /** Uniform in [0, limit). */
  upTo(limit: number): number;
  /** One of the list. */
  pick<T>(list: readonly T[]): T;
};

/** The random numbers of this seed. */
export function brush(seed: number): Brush {
  const dice = random(seed);
  const upTo = (limit: number): number => dice.next() * limit;
  return { ...dice, upTo, pick: (list) => list[dice.below(list.length)]! };
}

/** The drawing of a sprite. */
export function drawing(width: number, height: number, body: string): Drawing {
  return { width, height, body };
}

/** `count` things of one kind in front of flat number `after`, each placed by its index. */
export function many(
  count: number,
  sprite: string,
  after: number,
  place: (i: number) => Omit<Thing, 'sprite' | 'after'>,
): Thing[] {
  return Array.from({ length: count }, (_, i) => ({ sprite, after, ...place(i) }));
}

/** A flat as wide as the stage. */
export function flat(depth: number, body: string, height = 900): Flat {
  return { width: 1600, height, depth, body };
}

/** A flat that reaches beyond the stage on both sides; `ripple` is where its waves begin, their height and length. */
export function wide(
  depth: number,
  body: string,
  ripple?: readonly [from: number, amount: number, length: number],
  height = 900,
  top = 0,
): Flat {
  const flat = { width: 1760, height, left: -80, top, depth, body };
  return ripple ? { ...flat, ripple: { from: ripple[0], amount: ripple[1], length: ripple[2] } } : flat;
}

function r(value: number): number {
  return Math.round(value * 10) / 10;
}

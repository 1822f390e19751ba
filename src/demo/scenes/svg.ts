import type { Random } from '../../base/index.js';

/** A gradient from top to bottom (or left to right) as a definition; stops are `[offset, colour, opacity?]`. */
export function linear(id: string, stops: readonly (readonly [number, string, number?])[], isAcross = false): string {
  const end = isAcross ? 'x2="1" y2="0"' : 'x2="0" y2="1"';
  return `<linearGradient id="${id}" x1="0" y1="0" ${end}>${stops.map(stop).join('')}</linearGradient>`;
}

/** A gradient from the middle outwards as a definition. */
export function radial(id: string, stops: readonly (readonly [number, string, number?])[]): string {
  return `<radialGradient id="${id}">${stops.map(stop).join('')}</radialGradient>`;
}

function stop([offset, colour, opacity = 1]: readonly [number, string, number?]): string {
  return `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`;
}

export function rect(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${r(x)}" y="${r(y)}" width="${r(width)}" height="${r(height)}" fill="${fill}" ${more}/>`;
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
export function glow(size: number, colour: string, core = '#ffffff'): { width: number; height: number; body: string } {
  const stops = [[0, core, 1], [0.12, core, 0.95], [0.3, colour, 0.5], [0.6, colour, 0.12], [1, colour, 0]] as const; // prettier-ignore
  const body = `<defs>${radial('g', stops)}</defs>${circle(size / 2, size / 2, size / 2, 'url(#g)')}`;
  return { width: size, height: size, body };
}

/** A ridge from left to right around `y`, closed down to `bottom`: sums of sines, rougher with `rough`. */
export function ridge(dice: Random, y: number, height: number, bottom: number, rough: number, width = 1600): string {
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

/** One of the list. */
export function pick<T>(dice: Random, list: readonly T[]): T {
  return list[dice.below(list.length)] as T;
}

function r(value: number): number {
  return Math.round(value * 10) / 10;
}

import { random } from '../../base/index.js';
import type { Scene, Thing } from '../stage.js';
import { circle, ellipse, glow, linear, path, pick, radial, rect, ridge, stroke, times } from './svg.js';

const HUB = { x: 800, y: 385, radius: 285 } as const;

/** The funfair after dusk: a wheel of lights, striped tents, a crowd in front. */
export function fair(): Scene {
  const bulbs = { gold: '#ffc857', pink: '#ff5d9e', cyan: '#4fe0ff' };
  const lights = Object.fromEntries(
    Object.entries(bulbs).map(([name, colour]) => [name, { ...glow(46, colour), isLight: true }]),
  );
  const cabins = Object.fromEntries(
    ['#ff6b6b', '#ffd93d', '#6bcbff', '#b388ff'].map((colour, i) => [`cabin${i}`, cabin(colour)]),
  );
  return {
    name: 'fair',
    flats: [
      { width: 1600, height: 800, depth: 0.35, body: dusk() },
      { width: 1600, height: 900, depth: 0.7, body: wheelFrame() },
      { width: 1600, height: 900, depth: 0.85, body: tents() },
      {
        width: 1760,
        height: 900,
        left: -80,
        depth: 1.1,
        body: fairCrowd(51, '#1c0f38'),
        ripple: { from: -400, amount: 1.5, length: 90 },
      },
    ],
    sprites: { ...lights, ...cabins },
    thingsAt: (t) => [...wheel(t), ...garland(t)],
  };
}

function wheel(t: number): Thing[] {
  const turn = t * 0.32;
  const at = (angle: number, share: number) => ({
    x: HUB.x + Math.cos(angle) * HUB.radius * share,
    y: HUB.y + Math.sin(angle) * HUB.radius * share,
  });
  const things: Thing[] = [];
  for (let spoke = 0; spoke < 12; spoke++) {
    const angle = turn + (spoke * Math.PI) / 6;
    for (let k = 1; k <= 6; k++) {
      const isLit = (Math.floor(t * 5) + k + spoke) % 3 !== 0;
      things.push({ sprite: 'pink', ...at(angle, k / 7), size: 0.62, opacity: isLit ? 1 : 0.3, after: 1 });
    }
    for (let k = 0; k < 4; k++)
      things.push({ sprite: k % 2 ? 'cyan' : 'gold', ...at(angle + (k * Math.PI) / 24, 1), size: 0.8, after: 1 });
    const hang = at(angle, 1);
    things.push({ sprite: `cabin${spoke % 4}`, x: hang.x + 4 * Math.sin(t * 2 + spoke), y: hang.y + 34, after: 1 });
  }
  return [...things, { sprite: 'gold', x: HUB.x, y: HUB.y, size: 3, after: 1 }];
}

function garland(t: number): Thing[] {
  return Array.from({ length: 44 }, (_, i) => {
    const x = i * 38;
    const y = 560 + 48 * Math.sin((Math.PI * (x % 400)) / 400);
    return { sprite: 'gold', x, y, size: 0.75, opacity: 0.75 + 0.25 * Math.sin(t * 6 + i), after: 2 };
  });
}

function dusk(): string {
  const dice = random(52);
  const stops = [
    [0, '#1d1147'],
    [0.4, '#5b2382'],
    [0.75, '#c2407f'],
    [1, '#ff8a6b'],
  ] as const;
  const haze = [
    [0, '#ff9ecb', 0.55],
    [1, '#ff9ecb', 0],
  ] as const;
  const star = (): string => circle(dice.next() * 1600, dice.next() * 360, 1 + dice.next(), '#ffe9ff', 'opacity="0.6"');
  return `<defs>${linear('s', stops)}${radial('h', haze)}</defs>${rect(0, 0, 1600, 800, 'url(#s)')}${times(90, star)}${ellipse(800, 560, 700, 330, 'url(#h)')}${path(ridge(dice, 690, 50, 900, 2), '#47205f')}`;
}

function wheelFrame(): string {
  const ring = (radius: number, width: number): string =>
    `<circle cx="${HUB.x}" cy="${HUB.y}" r="${radius}" fill="none" stroke="#f6d7ff" stroke-width="${width}" opacity="0.55"/>`;
  const legs =
    stroke(`M${HUB.x} ${HUB.y} L650 790`, '#3a1a55', 22) +
    stroke(`M${HUB.x} ${HUB.y} L950 790`, '#3a1a55', 22) +
    stroke('M690 690 H910', '#3a1a55', 12);
  return (
    legs +
    ring(HUB.radius, 7) +
    ring(HUB.radius * 0.93, 3) +
    ring(HUB.radius * 0.5, 3) +
    circle(HUB.x, HUB.y, 24, '#ffe2f4')
  );
}

function tents(): string {
  const tent = (x: number, w: number, top: number, colour: string): string => {
    const roof = times(8, (k) =>
      path(
        `M${x + w / 2} ${top} L${x + (k * w) / 8} ${top + 130} H${x + ((k + 1) * w) / 8} Z`,
        k % 2 ? '#fff1dc' : colour,
      ),
    );
    const wall = times(8, (k) =>
      rect(x + 14 + (k * (w - 28)) / 8, top + 130, (w - 28) / 8 + 0.5, 200, k % 2 ? '#f3d9c4' : colour),
    );
    const trim = times(10, (k) => circle(x + (w / 10) * (k + 0.5), top + 134, w / 20, k % 2 ? '#ffe3a8' : '#8c1f4b'));
    return (
      wall +
      rect(x + 14, top + 130, w - 28, 200, '#2a0f3d', 'opacity="0.35"') +
      roof +
      trim +
      rect(x + w / 2 - 34, top + 210, 68, 120, '#ffcf70') +
      stroke(`M${x + w / 2} ${top} v-34`, '#3a1a55', 5) +
      path(`M${x + w / 2} ${top - 34} l34 11 l-34 11 z`, '#ffd93d')
    );
  };
  const ground = linear('g', [
    [0, '#4a2160'],
    [1, '#231039'],
  ]);
  return `<defs>${ground}</defs>${rect(-10, 770, 1620, 140, 'url(#g)')}${tent(30, 380, 470, '#e63968')}${tent(430, 250, 560, '#2a9dbb')}${tent(960, 250, 560, '#f08a3c')}${tent(1200, 380, 460, '#8a3fd1')}`;
}

function fairCrowd(seed: number, colour: string): string {
  const dice = random(seed);
  return times(52, (i) => {
    const [x, y, s] = [i * 34 + dice.next() * 18, 800 + dice.next() * 42, 0.85 + dice.next() * 0.4];
    const balloon =
      i % 9 === 4
        ? stroke(`M${x + 18} ${y + 10} q10 -60 4 -110`, colour, 2) +
          ellipse(x + 22, y - 128, 24, 29, pick(dice, ['#ff5d6c', '#ffd166', '#5ad1ff']))
        : '';
    return balloon + circle(x, y, 17 * s, colour) + rect(x - 24 * s, y + 15 * s, 48 * s, 130, colour, 'rx="18"');
  });
}

function cabin(colour: string): { width: number; height: number; body: string } {
  return {
    width: 60,
    height: 64,
    body:
      stroke('M30 2 V16', '#f6d7ff', 3) +
      path('M6 26 Q30 4 54 26 Z', '#fff1dc') +
      rect(8, 26, 44, 12, '#35204f') +
      path('M6 38 H54 Q52 62 30 62 Q8 62 6 38 Z', colour),
  };
}

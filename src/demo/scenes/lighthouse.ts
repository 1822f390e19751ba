import { random } from '../../base/index.js';
import type { Scene } from '../stage.js';
import { circle, ellipse, linear, path, pick, rect, ridge, stroke, times } from './svg.js';

/** A striped lighthouse on a green cliff above a blue sea. */
export function lighthouse(): Scene {
  return {
    name: 'lighthouse',
    flats: [
      { width: 1600, height: 600, depth: 0.3, body: sky() },
      {
        width: 1760,
        height: 480,
        left: -80,
        top: 510,
        depth: 0.55,
        body: sea(),
        ripple: { from: 515, amount: 6, length: 30 },
      },
      { width: 1600, height: 900, depth: 0.85, body: cliff() },
      {
        width: 1760,
        height: 900,
        left: -80,
        depth: 1.1,
        body: grass(),
        ripple: { from: -700, amount: 1.2, length: 60 },
      },
    ],
    sprites: {
      cloud: cloud(),
      foam: foam(),
      gull: { width: 70, height: 30, body: stroke('M4 20 Q20 2 35 18 Q50 2 66 20', '#ffffff', 6) },
    },
    thingsAt: (t) => [
      ...[0, 1, 2, 3].map((i) => ({
        sprite: 'cloud',
        x: ((i * 520 + t * (7 + 2 * i)) % 2100) - 250,
        y: 120 + ((i * 97) % 190),
        size: 0.8 + 0.35 * (i % 3),
        opacity: 0.92,
        after: 0,
      })),
      ...[0, 1, 2, 3, 4].map((i) => ({
        sprite: 'foam',
        x: 560 + i * 105,
        y: 800 + 12 * Math.sin(t * 1.4 + i * 1.7) - i * 8,
        size: 0.8 + 0.25 * Math.sin(t * 1.4 + i * 1.7),
        opacity: 0.65 + 0.3 * Math.sin(t * 1.4 + i * 1.7),
        after: 2,
      })),
      ...[0, 1, 2].map((i) => ({
        sprite: 'gull',
        x: 420 + 330 * Math.cos(t * 0.42 + i * 2.1),
        y: 270 + 90 * Math.sin(t * 0.5 + i * 1.3),
        size: 0.7 + 0.22 * Math.sin(t * 6 + i * 2),
        after: 2,
      })),
    ],
  };
}

function sky(): string {
  const dice = random(31);
  const stops = [
    [0, '#1f7fd0'],
    [0.4, '#67b7ee'],
    [0.62, '#d4f0fb'],
    [1, '#ffffff'],
  ] as const;
  return `<defs>${linear('s', stops)}</defs>${rect(0, 0, 1600, 900, 'url(#s)')}${path(ridge(dice, 505, 34, 900, 1.2), '#8fb8cf')}`;
}

function sea(): string {
  const dice = random(32);
  const stops = [
    [0, '#8fd3e0'],
    [0.12, '#2f9fc0'],
    [0.5, '#1273a3'],
    [1, '#0b4a7d'],
  ] as const;
  const crest = (): string => {
    const y = 8 + dice.next() ** 1.5 * 460;
    const shade = pick(dice, ['#e8fbff', '#5cc3d6', '#0c5c8f', '#1d86b5']);
    return ellipse(dice.next() * 1760, y, 14 + y * 0.22 * dice.next(), 1.2 + y * 0.009, shade, 'opacity="0.55"');
  };
  return `<defs>${linear('w', stops)}</defs>${rect(0, 0, 1760, 480, 'url(#w)')}${times(520, crest)}`;
}

function cliff(): string {
  const dice = random(33);
  const rock =
    'M760 900 L742 806 L790 740 L772 668 L828 596 L818 540 L880 486 L1010 452 L1180 440 L1400 452 L1640 430 L1640 900 Z';
  const facet = (): string => {
    const [x, y] = [800 + dice.next() * 780, 520 + dice.next() * 360];
    const shade = pick(dice, ['#9c7b62', '#6d5346', '#c2a184', '#57453d']);
    return path(
      `M${x} ${y} l${30 + dice.next() * 50} ${-14 + dice.next() * 30} l${-10 - dice.next() * 20} ${40 + dice.next() * 50} z`,
      shade,
      'opacity="0.55"',
    );
  };
  const turf =
    'M806 548 L880 482 L1010 448 L1180 436 L1400 448 L1640 426 L1640 520 Q1500 560 1420 522 Q1330 566 1240 524 Q1150 570 1070 528 Q960 570 900 540 Q850 570 806 548 Z';
  const tuft = (): string => {
    const [x, y] = [880 + dice.next() * 720, 452 + dice.next() * 66];
    return stroke(`M${x} ${y} l${dice.normal() * 4} -12`, pick(dice, ['#7cc04f', '#3f8436', '#a8d65c']), 3);
  };
  return (
    `<defs><clipPath id="c"><path d="${rock}"/></clipPath></defs>${path(rock, '#866753')}<g clip-path="url(#c)">${times(120, facet)}</g>` +
    `${path(turf, '#58a046')}${times(220, tuft)}${tower()}${keeper()}`
  );
}

function tower(): string {
  const band = (i: number): string => {
    const [y0, y1] = [148 + i * 52, 200 + i * 52];
    const half = (y: number): number => 34 + (y - 148) * 0.085;
    return path(
      `M${1100 - half(y0)} ${y0} H${1100 + half(y0)} L${1100 + half(y1)} ${y1} H${1100 - half(y1)} Z`,
      i % 2 === 0 ? '#d62f38' : '#fdf8ef',
    );
  };
  const shade = path('M1112 148 H1134 L1160 460 H1118 Z', '#3b1f3a', 'opacity="0.2"');
  const windows = times(3, (i) => rect(1086, 190 + i * 92, 16, 28, '#2e3d54', 'rx="8"'));
  return (
    times(6, band) +
    shade +
    windows +
    rect(1052, 138, 96, 12, '#37404f') +
    rect(1072, 84, 56, 56, '#bfe9f5') +
    rect(1094, 84, 6, 56, '#37404f') +
    circle(1100, 112, 16, '#fff2a8') +
    path('M1062 86 Q1100 34 1138 86 Z', '#c1272f') +
    stroke('M1100 56 V30', '#37404f', 5) +
    stroke('M1046 138 V112 H1154 V138', '#37404f', 4)
  );
}

function keeper(): string {
  return (
    rect(1200, 380, 150, 76, '#fbf4e6') +
    path('M1188 384 L1275 320 L1362 384 Z', '#b9473d') +
    rect(1222, 404, 26, 26, '#4c7896') +
    rect(1300, 404, 26, 26, '#4c7896') +
    rect(1262, 404, 24, 52, '#7a4b33') +
    rect(1318, 322, 18, 40, '#9c4438')
  );
}

function grass(): string {
  const dice = random(34);
  const blade = (): string => {
    const x = dice.next() * 620;
    const h = 40 + dice.next() * 110 * (1 - x / 700);
    return stroke(
      `M${x} 905 q${dice.normal() * 8} ${-h / 2} ${dice.normal() * 22} ${-h}`,
      pick(dice, ['#2f6b33', '#4d8f3a', '#1f5230']),
      6,
    );
  };
  const flower = (): string => {
    const x = dice.next() * 520;
    return circle(x, 800 + dice.next() * 80 + x * 0.06, 9, pick(dice, ['#ff8fb1', '#ffd84d', '#ffffff']));
  };
  return times(170, blade) + times(42, flower);
}

function cloud(): { width: number; height: number; body: string } {
  const puffs = [[90, 80, 52], [150, 58, 60], [215, 76, 54], [270, 92, 38], [45, 96, 32]] as const; // prettier-ignore
  return {
    width: 320,
    height: 140,
    body: rect(30, 90, 260, 40, '#ffffff', 'rx="20"') + puffs.map(([x, y, s]) => circle(x, y, s, '#ffffff')).join(''),
  };
}

function foam(): { width: number; height: number; body: string } {
  return {
    width: 180,
    height: 50,
    body:
      ellipse(90, 28, 86, 14, '#ffffff', 'opacity="0.7"') +
      ellipse(70, 20, 46, 12, '#ffffff') +
      ellipse(122, 22, 36, 10, '#e6fbff'),
  };
}

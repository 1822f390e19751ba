import { random } from '../../base/index.js';
import type { Drawing } from '../layer.js';
import type { Scene } from '../stage.js';
import { circle, ellipse, linear, path, pick, radial, rect, stroke, times } from './svg.js';

/** A festival kitchen: tiles, jars, copper pans, soup steaming on the stove. */
export function kitchen(): Scene {
  return {
    name: 'kitchen',
    flats: [
      { width: 1600, height: 900, depth: 0.8, body: kitchenWall() },
      { width: 1600, height: 900, depth: 1, body: counter() },
    ],
    sprites: { pan: pan(), steam: { width: 120, height: 120, body: steam() } },
    thingsAt: (t) => [
      ...[0, 1, 2, 3].map((i) => ({
        sprite: 'pan',
        x: 210 + i * 132 + 5 * Math.sin(t * 1.6 + i),
        y: 250,
        size: 0.8 + 0.1 * (i % 2),
        after: 0,
      })),
      ...Array.from({ length: 9 }, (_, i) => {
        const age = (t * 0.34 + i / 9) % 1;
        return {
          sprite: 'steam',
          x: 850 + (i % 3) * 46 + 28 * Math.sin(t * 1.1 + i * 2 + age * 4),
          y: 560 - age * 330,
          size: 0.7 + 1.3 * age,
          opacity: 0.8 * Math.sin(Math.PI * age),
          after: 1,
        };
      }),
    ],
  };
}

function kitchenWall(): string {
  const dice = random(81);
  const tile = (i: number): string =>
    rect(
      (i % 27) * 60,
      330 + Math.floor(i / 27) * 60,
      56,
      56,
      pick(dice, ['#2f9c95', '#37aaa1', '#2a8c88', '#40b5a8']),
      'rx="4"',
    );
  const jar = (i: number): string => {
    const [x, fill] = [690 + i * 62, pick(dice, ['#e76f51', '#e9c46a', '#8ab17d', '#b5651d', '#d62839', '#f4a261'])];
    return (
      rect(x, 186, 46, 66, '#fff8ec', 'rx="8" opacity="0.75"') +
      rect(x + 4, 204, 38, 45, fill, 'rx="6"') +
      rect(x + 3, 176, 40, 14, '#6b4a3a', 'rx="4"')
    );
  };
  const window =
    rect(1180, 90, 310, 330, '#fdf3dd') +
    `${linear('v', [
      [0, '#8fd0ef'],
      [1, '#f7f0c4'],
    ])}` +
    rect(1200, 110, 270, 290, 'url(#v)') +
    path('M1200 400 V330 Q1260 280 1330 332 Q1400 290 1470 340 V400 Z', '#7fb069') +
    rect(1328, 110, 12, 290, '#fdf3dd') +
    rect(1200, 246, 270, 12, '#fdf3dd');
  const pots = times(
    3,
    (i) =>
      rect(1220 + i * 86, 372, 52, 48, '#c1693c', 'rx="5"') +
      times(9, () =>
        ellipse(
          1246 + i * 86 + dice.normal() * 18,
          350 + dice.normal() * 12,
          9,
          15,
          pick(dice, ['#3f8f4b', '#57ab58']),
        ),
      ),
  );
  return (
    rect(0, 0, 1600, 900, '#f6dfb4') +
    times(135, tile) +
    rect(670, 252, 460, 16, '#8b5a36') +
    times(7, jar) +
    window +
    pots +
    stroke('M130 140 H640', '#6b6f78', 9)
  );
}

function counter(): string {
  const pot =
    path('M740 560 H1060 L1042 700 Q900 724 758 700 Z', '#c0392b') +
    rect(728, 546, 344, 24, '#d9534a', 'rx="10"') +
    rect(696, 590, 40, 18, '#8e2a20', 'rx="8"') +
    rect(1064, 590, 40, 18, '#8e2a20', 'rx="8"') +
    ellipse(900, 552, 150, 15, '#f0a04b');
  const bread =
    path('M210 700 Q230 610 370 610 Q520 612 536 700 Z', '#c98643') +
    times(4, (i) => stroke(`M${270 + i * 62} 630 l26 44`, '#f0c98c', 9));
  const tomatoes = times(
    5,
    (i) =>
      circle(1190 + i * 58, 674 - (i % 2) * 8, 32, '#e63b2e') +
      path(`M${1190 + i * 58} ${644 - (i % 2) * 8} l-14 10 l14 -3 l14 3 z`, '#3f8f4b'),
  );
  const doors = times(
    6,
    (i) =>
      rect(20 + i * 268, 770, 248, 150, '#e3b878', 'rx="6"') +
      rect(38 + i * 268, 788, 212, 150, '#d3a465', 'rx="4"') +
      circle(230 + i * 268, 820, 9, '#7a5230'),
  );
  return (
    rect(-10, 700, 1620, 44, '#7c4a2d') +
    rect(-10, 700, 1620, 10, '#a86a42') +
    rect(-10, 744, 1620, 170, '#c99355') +
    doors +
    rect(180, 690, 390, 14, '#e7c9a0', 'rx="6"') +
    bread +
    rect(716, 694, 370, 14, '#33343c') +
    pot +
    tomatoes
  );
}

function pan(): Drawing {
  return {
    width: 130,
    height: 230,
    body:
      stroke('M65 6 V110', '#4b4f57', 11) +
      circle(65, 160, 56, '#b8622d') +
      circle(65, 160, 44, '#d98243') +
      path('M34 134 A44 44 0 0 1 92 128', 'none', 'stroke="#ffd2a0" stroke-width="7" stroke-linecap="round"'),
  };
}

function steam(): string {
  return `<defs>${radial('g', [
    [0, '#ffffff', 0.5],
    [0.6, '#ffffff', 0.22],
    [1, '#ffffff', 0],
  ])}</defs>${circle(60, 60, 60, 'url(#g)')}`;
}

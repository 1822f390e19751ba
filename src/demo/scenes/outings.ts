import { random } from '../../base/index.js';
import type { Drawing } from '../layer.js';
import type { Scene } from '../stage.js';
import { circle, ellipse, linear, path, pick, rect, ridge, stroke, times } from './svg.js';

/** Hot-air balloons over misty hills at dawn. */
export function balloons(): Scene {
  const pairs = [['#e63946', '#ffe8d6'], ['#2a9d8f', '#e9f5db'], ['#f4a261', '#264653'], ['#9b5de5', '#fee440']] as const; // prettier-ignore
  return {
    name: 'balloons',
    flats: [
      { width: 1600, height: 900, depth: 0.3, body: dawn() },
      { width: 1600, height: 900, depth: 0.9, body: meadow() },
    ],
    sprites: Object.fromEntries(pairs.map(([first, second], i) => [`balloon${i}`, balloon(first, second)])),
    thingsAt: (t) =>
      [0.42, 0.6, 0.5, 0.95, 0.7, 1.25].map((size, i) => ({
        sprite: `balloon${i % 4}`,
        x: ((((i * 390 + 160 + t * 9 * size) % 1900) + 1900) % 1900) - 130,
        y: 250 + ((i * 131) % 260) - 60 * size + 16 * Math.sin(t * 0.5 + i),
        size,
        after: 0,
      })),
  };
}

function dawn(): string {
  const dice = random(101);
  const stops = [
    [0, '#7fb2e5'],
    [0.35, '#f7c6d0'],
    [0.6, '#ffd9a8'],
    [1, '#fff1d6'],
  ] as const;
  const hill = (i: number): string =>
    path(
      ridge(dice, 520 + i * 62, 90 - i * 8, 900, 1.2 + i * 0.4),
      ['#d7a9bd', '#b98fb0', '#8f86ac', '#64799c', '#47688a'][i] ?? '',
    );
  const mist = (i: number): string => rect(0, 560 + i * 62, 1600, 60, `url(#m)`, 'opacity="0.5"');
  return `<defs>${linear('s', stops)}${linear('m', [
    [0, '#fff', 0],
    [0.5, '#fff3e6', 0.8],
    [1, '#fff', 0],
  ])}</defs>${rect(0, 0, 1600, 900, 'url(#s)')}${circle(1180, 430, 58, '#fff3c4')}${times(5, (i) => hill(i) + mist(i))}`;
}

function meadow(): string {
  const dice = random(102);
  const tree = (i: number): string => {
    const [x, y, s] = [i * 96 + dice.next() * 60, 836 + dice.next() * 30, 34 + dice.next() * 30];
    return (
      rect(x - 4, y - 10, 8, 50, '#3c3a35') +
      ellipse(x, y - s * 0.7, s * 0.7, s, pick(dice, ['#2f5a4a', '#3c6b50', '#274a44']))
    );
  };
  return path(ridge(dice, 850, 40, 920, 1.4), '#35574f') + times(17, tree);
}

function balloon(first: string, second: string): Drawing {
  const gore = (i: number): string => {
    const outer = 130 - i * 37;
    const side = (rx: number): string =>
      `M150 14 C${150 - rx * 1.15} 14 ${150 - rx * 1.15} 200 ${150 - rx * 0.22} 290 H${150 + rx * 0.22} C${150 + rx * 1.15} 200 ${150 + rx * 1.15} 14 150 14 Z`;
    return path(side(outer), i % 2 ? second : first);
  };
  const shade = path('M150 14 C300 14 300 200 178 290 H164 C240 190 240 40 150 14 Z', '#2a1a3a', 'opacity="0.16"');
  const ropes = stroke('M124 290 L134 346 M176 290 L166 346', '#4a3325', 3);
  return {
    width: 300,
    height: 390,
    body:
      times(4, gore) +
      shade +
      ropes +
      rect(130, 344, 40, 34, '#8a5a34', 'rx="5"') +
      rect(128, 344, 44, 8, '#b98552', 'rx="4"'),
  };
}

/** The beach seen from above: parasols, towels, the edge of a turquoise sea. */
export function beach(): Scene {
  return {
    name: 'beach',
    flats: [
      { width: 1600, height: 900, depth: 1, body: sand() },
      {
        width: 1760,
        height: 420,
        left: -80,
        top: 0,
        depth: 1,
        body: shallows(),
        ripple: { from: -400, amount: 9, length: 40 },
      },
    ],
    sprites: {
      swimmer: {
        width: 80,
        height: 80,
        body:
          circle(40, 40, 34, '#ff5d73') +
          circle(40, 40, 18, '#3fbfd0') +
          times(4, (i) =>
            path(
              'M40 6 A34 34 0 0 1 62 14 L52 27 A18 18 0 0 0 40 22 Z',
              '#ffffff',
              `transform="rotate(${i * 90} 40 40)"`,
            ),
          ) +
          circle(40, 38, 10, '#8d5b3e'),
      },
      board: { width: 60, height: 170, body: ellipse(30, 85, 26, 82, '#fff3b0') + rect(27, 8, 6, 154, '#e4572e') },
    },
    thingsAt: (t) => [
      ...[0, 1, 2, 3].map((i) => ({
        sprite: 'swimmer',
        x: 260 + i * 340 + 30 * Math.sin(t * 0.5 + i * 2),
        y: 130 + ((i * 67) % 130) + 12 * Math.sin(t * 1.2 + i),
        size: 0.8,
        after: 1,
      })),
      { sprite: 'board', x: 1010 + 24 * Math.sin(t * 0.4), y: 240 + 16 * Math.sin(t * 0.9), size: 0.9, after: 1 },
    ],
  };
}

function sand(): string {
  const dice = random(121);
  const colours = ['#e63946', '#1d8ecf', '#f9c74f', '#43aa8b', '#f3722c', '#9b5de5'];
  const parasol = (i: number): string => {
    const [x, y, s] = [
      110 + (i % 7) * 225 + dice.normal() * 22,
      520 + Math.floor(i / 7) * 190 + dice.normal() * 22,
      74,
    ];
    const colour = colours[(i * 5) % 6] ?? '';
    const wedge = (k: number): string =>
      path(
        `M${x} ${y} L${x + s * Math.cos((k * Math.PI) / 5)} ${y + s * Math.sin((k * Math.PI) / 5)} A${s} ${s} 0 0 1 ${x + s * Math.cos(((k + 1) * Math.PI) / 5)} ${y + s * Math.sin(((k + 1) * Math.PI) / 5)} Z`,
        k % 2 ? '#fff8ec' : colour,
      );
    const towel = rect(
      x + 60,
      y - 20,
      62,
      124,
      colours[(i * 3 + 1) % 6] ?? '',
      `rx="6" transform="rotate(${dice.normal() * 14} ${x + 90} ${y + 40})"`,
    );
    return (
      towel + ellipse(x + 22, y + 26, s, s, '#8a6a3a', 'opacity="0.35"') + times(10, wedge) + circle(x, y, 6, '#5a3d2b')
    );
  };
  const grain = (): string =>
    circle(
      dice.next() * 1600,
      330 + dice.next() * 570,
      1 + dice.next() * 2.4,
      pick(dice, ['#cfa868', '#fff0c9', '#b98f52']),
      'opacity="0.6"',
    );
  return rect(0, 0, 1600, 900, '#efd29a') + times(900, grain) + times(14, parasol);
}

function shallows(): string {
  const dice = random(122);
  const edge = (y: number): string =>
    `M0 0 H1760 V${y} ` +
    Array.from(
      { length: 12 },
      (_, i) => `Q${1760 - (i * 2 + 1) * 73.4} ${y + (i % 2 ? 30 : -24)} ${1760 - (i + 1) * 146.8} ${y}`,
    ).join(' ') +
    ' Z';
  const stops = [
    [0, '#0b7fab'],
    [0.5, '#22b5c9'],
    [1, '#8fe3dc'],
  ] as const;
  const glint = (): string =>
    stroke(`M${dice.next() * 1740} ${dice.next() * 300} q16 -8 32 0`, '#ffffff', 3, 'opacity="0.45"');
  return `<defs>${linear('w', stops)}</defs>${path(edge(388), '#ffffff', 'opacity="0.9"')}${path(edge(370), '#bdf0ea')}${path(edge(346), 'url(#w)')}${times(130, glint)}`;
}

import { random } from '../../base/index.js';
import type { Drawing } from '../layer.js';
import type { Scene } from '../stage.js';
import { circle, ellipse, linear, path, pick, rect, stroke, times } from './svg.js';

/** The old town's market at noon: tall facades, bunting, striped awnings, people with baskets. */
export function market(): Scene {
  const coats = ['#2f6690', '#d1495b', '#edae49', '#66753b', '#7d4e8a', '#e4e4df'];
  const people = Object.fromEntries(coats.map((coat, i) => [`person${i}`, person(coat, i)]));
  return {
    name: 'market',
    flats: [
      { width: 1600, height: 900, depth: 0.6, body: facades() },
      { width: 1600, height: 900, depth: 0.8, body: bunting() },
      { width: 1600, height: 900, depth: 1, body: stalls() },
    ],
    sprites: people,
    thingsAt: (t) => [
      ...coats.map((_, i) => walker(t, i, 640, 0.72, 0)),
      ...coats.map((_, i) => walker(t * 1.15, i + 9, 800, 1.25, 2)),
    ],
  };

  function walker(t: number, i: number, y: number, size: number, after: number) {
    const speed = (i % 2 === 0 ? 1 : -1) * (42 + ((i * 17) % 30)) * size;
    const x = ((((i * 347 + t * speed) % 2100) + 2100) % 2100) - 250;
    return {
      sprite: `person${i % coats.length}`,
      x,
      y: y + ((i * 13) % 34) - 5 * Math.abs(Math.sin(t * 4.2 + i)),
      size,
      after,
    };
  }
}

function facades(): string {
  const dice = random(21);
  const walls = ['#f2cf9b', '#e8a87c', '#f6e0b5', '#d98c74', '#c9d3b5', '#efd9c3', '#e3b06b', '#b9c7cf'];
  const shutters = ['#3f7d6e', '#3b5f85', '#8f4b3f', '#4f6b3c'];
  let houses = '';
  for (let x = -30, i = 0; x < 1640; i++) {
    const w = 150 + dice.next() * 70;
    const top = 70 + dice.next() * 120;
    const shutter = pick(dice, shutters);
    houses += rect(x, top, w, 640 - top, walls[i % walls.length] ?? '', '');
    houses += path(
      `M${x - 8} ${top + 4} L${x + w * 0.5} ${top - 70 - dice.next() * 40} L${x + w + 8} ${top + 4} Z`,
      '#b4533c',
    );
    houses += rect(x - 6, top, w + 12, 10, '#8f3d2f');
    for (let row = 0; row < 4; row++) {
      for (let column = 0; column < 2; column++) {
        const [wx, wy] = [x + w * (0.17 + column * 0.42), top + 48 + row * 108];
        houses += rect(wx - 17, wy, 16, 62, shutter) + rect(wx + 36, wy, 16, 62, shutter);
        houses +=
          rect(wx, wy, 35, 62, '#46627a') +
          path(`M${wx} ${wy + 62} L${wx + 35} ${wy} L${wx + 35} ${wy + 62} Z`, '#6f90a6');
        if (dice.next() < 0.5) {
          houses += rect(wx - 8, wy + 62, 52, 9, '#7a4a33');
          houses += times(6, (k) => circle(wx - 4 + k * 9, wy + 58, 6, pick(dice, ['#e14b5a', '#f58fa8', '#f7c948'])));
        }
      }
    }
    x += w;
  }
  const sky = linear('s', [
    [0, '#6fb7e8'],
    [1, '#d8effa'],
  ]);
  const ground = linear('g', [
    [0, '#d9c3a2'],
    [1, '#b89a78'],
  ]);
  const cobble = (): string => {
    const y = 650 + dice.next() ** 1.3 * 250;
    const tone = pick(dice, ['#c9b08d', '#a98d6d', '#dfccab']);
    return ellipse(dice.next() * 1600, y, 10 + (y - 640) * 0.09, 4 + (y - 640) * 0.03, tone, 'opacity="0.7"');
  };
  return `<defs>${sky}${ground}</defs>${rect(0, 0, 1600, 900, 'url(#s)')}${houses}${rect(0, 640, 1600, 260, 'url(#g)')}${times(420, cobble)}`;
}

function bunting(): string {
  const colours = ['#e4572e', '#f3a712', '#2e86ab', '#f6f0e4', '#58a15b'];
  const line = (row: number): string => {
    const y0 = 150 + row * 95;
    const sag = (x: number): number => y0 + 70 * Math.sin((Math.PI * ((x + row * 260) % 800)) / 800);
    const points = Array.from({ length: 81 }, (_, i) => `${i * 20} ${sag(i * 20)}`).join(' L');
    const flags = times(40, (i) => {
      const x = i * 40 + 6;
      return path(
        `M${x} ${sag(x)} L${x + 28} ${sag(x + 28)} L${x + 14} ${sag(x + 14) + 40} Z`,
        colours[(i + row) % 5] ?? '',
      );
    });
    return stroke(`M${points}`, '#6b4a3a', 3) + flags;
  };
  return times(2, line);
}

function stalls(): string {
  const dice = random(22);
  const stripes = ['#d7263d', '#1b998b', '#f0803c', '#2e5eaa'];
  return times(4, (i) => {
    const [x, w] = [-40 + i * 430, 360];
    const colour = stripes[i] ?? '';
    const stripe = (k: number): string => {
      const left = x + (k * w) / 9;
      const fill = k % 2 === 0 ? colour : '#fbf3e4';
      const skirt = `<path d="M${left} 560 h${w / 9} v22 a${w / 18} 16 0 0 1 ${-w / 9} 0 z" fill="${fill}"/>`;
      return path(`M${x + 30 + (k * (w - 60)) / 9} 470 h${(w - 60) / 9} L${left + w / 9} 562 H${left} Z`, fill) + skirt;
    };
    const goods = ['#e63946', '#f4a261', '#f7d154', '#6a994e', '#9d4edd', '#ff8fab'];
    const crate = (k: number): string => {
      const [cx, fruit] = [x + 22 + k * 82, pick(dice, goods)];
      const heap = times(16, () =>
        circle(cx + 6 + dice.next() * 60, 684 + dice.next() * 20, 11, fruit, 'stroke="#00000030" stroke-width="2"'),
      );
      return heap + path(`M${cx} 698 h72 l-6 44 h-60 z`, '#a9744f') + rect(cx + 2, 712, 68, 5, '#8a5a3b');
    };
    return (
      rect(x + 12, 560, 10, 230, '#7a5238') +
      rect(x + w - 22, 560, 10, 230, '#7a5238') +
      rect(x + 6, 580, w - 12, 120, '#3a2a24', 'opacity="0.45"') +
      times(4, crate) +
      rect(x, 740, w, 66, '#8b5e3c') +
      rect(x, 740, w, 9, '#b98a5e') +
      times(8, (k) => rect(x + 10 + k * 44, 752, 3, 50, '#6b4529')) +
      times(9, stripe)
    );
  });
}

function person(coat: string, i: number): Drawing {
  const skin = ['#f1c9a5', '#c98e63', '#8d5b3e', '#e6b48c'][i % 4] ?? '';
  const hair = ['#3a2a22', '#1f1a1c', '#a5642f', '#d9b56a'][(i * 3) % 4] ?? '';
  const body =
    ellipse(60, 292, 40, 7, '#000', 'opacity="0.2"') +
    rect(40, 200, 17, 90, '#3b3f54', 'rx="6"') +
    rect(64, 200, 17, 90, '#33374a', 'rx="6"') +
    path('M28 110 Q60 78 92 110 L98 220 Q60 232 22 220 Z', coat) +
    path('M28 112 Q14 150 22 192 L36 190 L40 124 Z', coat) +
    path('M92 112 Q106 150 98 192 L84 190 L80 124 Z', coat) +
    circle(60, 66, 25, skin) +
    path('M34 66 Q34 34 60 34 Q88 34 86 68 Q74 52 58 54 Q42 54 34 66 Z', hair) +
    (i % 2 === 0
      ? path('M84 196 h34 l-5 34 h-24 z', '#b5793f') + circle(96, 194, 8, '#e14b4b') + circle(107, 193, 8, '#f2b134')
      : '');
  return { width: 124, height: 300, body };
}

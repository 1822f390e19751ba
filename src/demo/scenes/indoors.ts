import type { Drawing } from '../canvas.js';
import type { Scene } from '../stage.js';
import {
  brush,
  circle,
  drawing,
  ellipse,
  flat,
  glow,
  linear,
  many,
  path,
  radial,
  rect,
  ridge,
  stroke,
  times,
  wash,
  wide,
} from './svg.js';

/** A festival kitchen: tiles, jars, copper pans, soup steaming on the stove. */
export function kitchen(): Scene {
  return {
    flats: [flat(0.8, kitchenWall()), flat(1, counter())],
    sprites: { pan: pan(), steam: drawing(120, 120, steam()) },
    thingsAt: (t) => [
      ...many(4, 'pan', 0, (i) => ({
        x: 210 + i * 132 + 5 * Math.sin(t * 1.6 + i),
        y: 250,
        size: 0.8 + 0.1 * (i % 2),
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
  const dice = brush(81);
  const tile = (i: number): string =>
    rect(
      (i % 27) * 60,
      330 + Math.floor(i / 27) * 60,
      56,
      56,
      dice.pick(['#2f9c95', '#37aaa1', '#2a8c88', '#40b5a8']),
      'rx="4"',
    );
  const jar = (i: number): string => {
    const [x, fill] = [690 + i * 62, dice.pick(['#e76f51', '#e9c46a', '#8ab17d', '#b5651d', '#d62839', '#f4a261'])];
    return (
      rect(x, 186, 46, 66, '#fff8ec', 'rx="8" opacity="0.75"') +
      rect(x + 4, 204, 38, 45, fill, 'rx="6"') +
      rect(x + 3, 176, 40, 14, '#6b4a3a', 'rx="4"')
    );
  };
  const window =
    rect(1180, 90, 310, 330, '#fdf3dd') +
    `${linear('v', '0 #8fd0ef, 1 #f7f0c4')}` +
    rect(1200, 110, 270, 290, 'url(#v)') +
    path('M1200 400 V330 Q1260 280 1330 332 Q1400 290 1470 340 V400 Z', '#7fb069') +
    rect(1328, 110, 12, 290, '#fdf3dd') +
    rect(1200, 246, 270, 12, '#fdf3dd');
  const pots = times(
    3,
    (i) =>
      rect(1220 + i * 86, 372, 52, 48, '#c1693c', 'rx="5"') +
      times(9, () =>
        ellipse(1246 + i * 86 + dice.normal() * 18, 350 + dice.normal() * 12, 9, 15, dice.pick(['#3f8f4b', '#57ab58'])),
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
  return drawing(
    130,
    230,
    stroke('M65 6 V110', '#4b4f57', 11) +
      circle(65, 160, 56, '#b8622d') +
      circle(65, 160, 44, '#d98243') +
      path('M34 134 A44 44 0 0 1 92 128', 'none', 'stroke="#ffd2a0" stroke-width="7" stroke-linecap="round"'),
  );
}

function steam(): string {
  return `<defs>${radial('g', '0 #ffffff 0.5, 0.6 #ffffff 0.22, 1 #ffffff 0')}</defs>${circle(60, 60, 60, 'url(#g)')}`;
}

/** A cat on a sill, rain on the pane, the town's lights out of focus behind it. */
export function rainyWindow(): Scene {
  return {
    flats: [flat(0.35, bokeh()), flat(1, sill())],
    sprites: {
      drop: drawing(
        8,
        90,
        `<defs>${linear('d', '0 #cfe3ff 0, 1 #e6f1ff 0.75')}</defs>${rect(1, 0, 5, 90, 'url(#d)', 'rx="3"')}`,
      ),
      tail0: tail(0),
      tail1: tail(18),
      tail2: tail(34),
      lamp: { ...glow(700, '#ffb35c', '#ffd79a'), isLight: true },
    },
    thingsAt: (t) => [
      ...many(60, 'drop', 0, (i) => ({
        x: (i * 271.3) % 1600,
        y: ((i * 397 + t * (420 + ((i * 53) % 260))) % 1000) - 50,
        size: 0.7 + (i % 4) * 0.22,
        opacity: 0.35 + (i % 3) * 0.2,
      })),
      { sprite: `tail${Math.round(1 + Math.sin(t * 2.2))}`, x: 672, y: 716, after: 1 },
      { sprite: 'lamp', x: 1320, y: 470, size: 1, opacity: 0.42 + 0.02 * Math.sin(t * 9), after: 1 },
    ],
  };
}

function bokeh(): string {
  const dice = brush(91);
  const disc = (): string => {
    const [x, y, s] = [dice.upTo(1600), 260 + dice.upTo(460), 18 + dice.upTo(46)];
    const colour = dice.pick(['#ffb347', '#ff6f59', '#ffe08a', '#6fd3ff', '#ff9ecb']);
    return (
      circle(x, y, s, colour, 'opacity="0.34"') +
      `<circle cx="${x}" cy="${y}" r="${s}" fill="none" stroke="${colour}" stroke-width="3" opacity="0.4"/>`
    );
  };
  const bead = (): string => circle(dice.upTo(1600), dice.upTo(800), 1.5 + dice.upTo(4), '#dcecff', 'opacity="0.45"');
  return `${wash('0 #0d1b33, 0.6 #1f3a56, 1 #2c4a5c', 1600, 900)}${times(70, disc)}${times(320, bead)}`;
}

function sill(): string {
  const frame =
    rect(0, 0, 1600, 46, '#4a2f2a') +
    rect(0, 0, 70, 900, '#4a2f2a') +
    rect(1530, 0, 70, 900, '#4a2f2a') +
    rect(786, 0, 30, 780, '#4a2f2a') +
    rect(0, 770, 1600, 140, '#6b4435') +
    rect(0, 770, 1600, 18, '#a06a4a');
  const curtain = (x: number, way: number): string =>
    times(5, (i) =>
      path(
        `M${x + way * i * 46} 0 q${way * 30} 300 ${way * 8} 900 h${way * 40} q${way * 20} -500 0 -900 z`,
        i % 2 ? '#8c2f39' : '#a33d45',
      ),
    );
  const cat =
    path(
      'M470 774 Q440 640 500 560 Q492 500 512 446 L540 486 Q566 478 592 486 L622 446 Q640 502 630 560 Q690 640 664 774 Z',
      '#17151c',
    ) +
    ellipse(541, 530, 9, 13, '#ffd75e') +
    ellipse(593, 530, 9, 13, '#ffd75e') +
    ellipse(541, 531, 3, 11, '#17151c') +
    ellipse(593, 531, 3, 11, '#17151c') +
    path('M561 554 h12 l-6 8 z', '#d98b8b');
  const lamp =
    rect(1306, 600, 28, 170, '#c79a5b') +
    ellipse(1320, 772, 84, 14, '#8a6338') +
    path('M1230 606 L1268 440 H1372 L1410 606 Z', '#ffd28a');
  const books = times(5, (i) =>
    rect(
      960 + i * 42,
      650 - (i % 3) * 22,
      38,
      120 + (i % 3) * 22,
      ['#2f6690', '#d1495b', '#edae49', '#3a7d44', '#7d4e8a'][i] ?? '',
    ),
  );
  return frame + curtain(60, 1) + curtain(1540, -1) + books + lamp + cat;
}

function tail(bend: number): Drawing {
  return drawing(240, 140, stroke(`M30 108 Q120 ${126 - bend} 176 ${96 - bend} T228 ${70 - bend}`, '#17151c', 22));
}

/** The town aquarium: light shafts, corals, fish going both ways. */
export function aquarium(): Scene {
  const skins = [['#ff9f1c', '#ffffff'], ['#ffd23f', '#1f3c88'], ['#ef476f', '#ffd6e0'], ['#4cc9f0', '#f1faee']] as const; // prettier-ignore
  const fishes = skins.flatMap(([body, band], i) => [[`right${i}`, fish(body, band, false)], [`left${i}`, fish(body, band, true)]] as const); // prettier-ignore
  return {
    flats: [flat(0.4, deep()), wide(0.9, reef(), [-300, 3.5, 60])],
    sprites: {
      ...Object.fromEntries(fishes),
      bubble: drawing(
        30,
        30,
        circle(15, 15, 12, '#d9f6ff', 'opacity="0.35" stroke="#ffffff" stroke-width="2"') +
          circle(11, 11, 3, '#ffffff'),
      ),
    },
    thingsAt: (t) => [
      ...Array.from({ length: 15 }, (_, i) => {
        const way = i % 2 === 0 ? 1 : -1;
        const x = ((((i * 251 + way * t * (55 + ((i * 29) % 50))) % 1900) + 1900) % 1900) - 150;
        const size = 0.5 + ((i * 7) % 10) / 12;
        return {
          sprite: `${way > 0 ? 'right' : 'left'}${i % 4}`,
          x,
          y: 150 + ((i * 173) % 520) + 14 * Math.sin(t * 2 + i),
          size,
          after: i % 3 === 0 ? 1 : 0,
        };
      }),
      ...many(16, 'bubble', 1, (i) => ({
        x: 250 + ((i * 97) % 4) * 330 + 16 * Math.sin(t * 3 + i),
        y: 900 - ((i * 211 + t * 130) % 950),
        size: 0.5 + (i % 3) * 0.4,
        opacity: 0.8,
      })),
    ],
  };
}

function deep(): string {
  const shaft = (i: number): string =>
    path(`M${120 + i * 250} -10 h90 l${140 - i * 30} 920 h-240 z`, '#c9fbff', `opacity="${0.1 + (i % 3) * 0.05}"`);
  return `${wash('0 #3fd0e8, 0.35 #1287c4, 1 #072a66', 1600, 900)}${times(6, shaft)}${path(ridge(brush(111), 760, 80, 900, 2), '#0b3f7d', 'opacity="0.7"')}`;
}

function reef(): string {
  const dice = brush(112);
  const branch = (x: number, y: number, length: number, angle: number): string => {
    const [toX, toY] = [x + Math.cos(angle) * length, y + Math.sin(angle) * length];
    const here = `M${x} ${y} L${toX} ${toY} `;
    return length < 20
      ? here
      : here +
          branch(toX, toY, length * 0.72, angle - 0.45 + dice.normal() * 0.08) +
          branch(toX, toY, length * 0.72, angle + 0.4 + dice.normal() * 0.08);
  };
  const coral = (i: number): string =>
    stroke(
      branch(90 + i * 230, 880, 74 + dice.upTo(34), -1.57),
      ['#ff6b8b', '#ff9f43', '#c56cf0', '#f7d794', '#ff7675', '#e77f67', '#cf6a87', '#f3a683'][i % 8] ?? '',
      11,
    );
  const weed = (i: number): string =>
    stroke(
      `M${i * 92 + 40} 910 q-30 -70 6 -130 t${dice.normal() * 20} -110`,
      dice.pick(['#1fa56b', '#2bc27f', '#117a56']),
      13,
    );
  return (
    times(19, weed) +
    times(8, coral) +
    path(ridge(dice, 868, 26, 930, 2.4, 1760), '#e9cf9a') +
    times(60, () => ellipse(dice.upTo(1760), 884 + dice.upTo(16), 8, 4, '#c9a96e', 'opacity="0.6"'))
  );
}

function fish(body: string, band: string, isLeft: boolean): Drawing {
  const shape =
    path('M20 60 L0 26 Q26 40 44 52 Q90 4 150 40 Q182 56 188 62 Q180 70 150 84 Q90 116 44 70 Q26 84 0 98 Z', body) +
    path('M92 24 Q110 60 92 98 L112 96 Q130 60 112 24 Z', band) +
    path('M84 24 Q108 0 134 28 Z', body) +
    circle(156, 54, 9, '#ffffff') +
    circle(159, 54, 5, '#10131f');
  return drawing(190, 122, isLeft ? `<g transform="translate(190 0) scale(-1 1)">${shape}</g>` : shape);
}

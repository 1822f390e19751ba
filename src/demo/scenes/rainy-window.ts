import { random } from '../../base/index.js';
import type { Drawing } from '../layer.js';
import type { Scene } from '../stage.js';
import { circle, ellipse, glow, linear, path, pick, rect, stroke, times } from './svg.js';

/** A cat on a sill, rain on the pane, the town's lights out of focus behind it. */
export function rainyWindow(): Scene {
  return {
    name: 'rainy-window',
    flats: [
      { width: 1600, height: 900, depth: 0.35, body: bokeh() },
      { width: 1600, height: 900, depth: 1, body: sill() },
    ],
    sprites: {
      drop: {
        width: 8,
        height: 90,
        body: `<defs>${linear('d', [
          [0, '#cfe3ff', 0],
          [1, '#e6f1ff', 0.75],
        ])}</defs>${rect(1, 0, 5, 90, 'url(#d)', 'rx="3"')}`,
      },
      tail0: tail(0),
      tail1: tail(18),
      tail2: tail(34),
      lamp: { ...glow(700, '#ffb35c', '#ffd79a'), isLight: true },
    },
    thingsAt: (t) => [
      ...Array.from({ length: 60 }, (_, i) => ({
        sprite: 'drop',
        x: (i * 271.3) % 1600,
        y: ((i * 397 + t * (420 + ((i * 53) % 260))) % 1000) - 50,
        size: 0.7 + (i % 4) * 0.22,
        opacity: 0.35 + (i % 3) * 0.2,
        after: 0,
      })),
      { sprite: `tail${Math.round(1 + Math.sin(t * 2.2))}`, x: 672, y: 716, after: 1 },
      { sprite: 'lamp', x: 1320, y: 470, size: 1, opacity: 0.42 + 0.02 * Math.sin(t * 9), after: 1 },
    ],
  };
}

function bokeh(): string {
  const dice = random(91);
  const stops = [
    [0, '#0d1b33'],
    [0.6, '#1f3a56'],
    [1, '#2c4a5c'],
  ] as const;
  const disc = (): string => {
    const [x, y, s] = [dice.next() * 1600, 260 + dice.next() * 460, 18 + dice.next() * 46];
    const colour = pick(dice, ['#ffb347', '#ff6f59', '#ffe08a', '#6fd3ff', '#ff9ecb']);
    return (
      circle(x, y, s, colour, 'opacity="0.34"') +
      `<circle cx="${x}" cy="${y}" r="${s}" fill="none" stroke="${colour}" stroke-width="3" opacity="0.4"/>`
    );
  };
  const bead = (): string =>
    circle(dice.next() * 1600, dice.next() * 800, 1.5 + dice.next() * 4, '#dcecff', 'opacity="0.45"');
  return `<defs>${linear('s', stops)}</defs>${rect(0, 0, 1600, 900, 'url(#s)')}${times(70, disc)}${times(320, bead)}`;
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
  return {
    width: 240,
    height: 140,
    body: stroke(`M30 108 Q120 ${126 - bend} 176 ${96 - bend} T228 ${70 - bend}`, '#17151c', 22),
  };
}

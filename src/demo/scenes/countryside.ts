import type { Drawing } from '../canvas.js';
import type { Scene } from '../stage.js';
import {
  brush,
  circle,
  drawing,
  ellipse,
  flat,
  linear,
  many,
  path,
  rect,
  ridge,
  stroke,
  times,
  wash,
  wide,
} from './svg.js';

/** A red train on a stone viaduct below snowy mountains. */
export function viaduct(): Scene {
  return {
    flats: [flat(0.35, alps(), 760), flat(0.8, arches()), flat(1.1, pines())],
    sprites: {
      train: train(),
      steam: drawing(120, 120, circle(60, 60, 56, '#ffffff', 'opacity="0.55"')),
    },
    thingsAt: (t) => {
      const x = ((t * 150) % 2900) - 600;
      const puff = (i: number) => {
        const age = (t * 1.6 + i / 6) % 1;
        return {
          sprite: 'steam',
          x: x + 370 - age * 240,
          y: 372 - age * 120,
          size: 0.35 + age,
          opacity: 0.8 * (1 - age),
          after: 0,
        };
      };
      return [{ sprite: 'train', x, y: 432, after: 0 }, ...[0, 1, 2, 3, 4, 5].map(puff)];
    },
  };
}

function alps(): string {
  const dice = brush(61);
  const peak = (x: number, y: number, w: number, tone: string): string => {
    const cap = `M${x} ${y} L${x - w * 0.2} ${y + w * 0.24} l${w * 0.08} ${-w * 0.05} l${w * 0.07} ${w * 0.09} l${w * 0.08} ${-w * 0.07} l${w * 0.08} ${w * 0.06} L${x + w * 0.19} ${y + w * 0.23} Z`;
    return (
      path(`M${x} ${y} L${x - w * 0.62} 720 H${x + w * 0.66} Z`, tone) +
      path(`M${x} ${y} L${x + w * 0.66} 720 H${x + w * 0.05} Z`, '#2c3f63', 'opacity="0.25"') +
      path(cap, '#ffffff')
    );
  };
  return (
    `${wash('0 #3f8fd2, 0.6 #bfe4f5, 1 #f3fbff', 1600, 760)}${ellipse(300, 130, 170, 26, '#fff', 'opacity="0.8"')}${ellipse(1240, 90, 220, 24, '#fff', 'opacity="0.7"')}` +
    peak(180, 190, 760, '#7f95b8') +
    peak(1430, 150, 820, '#7b91b6') +
    peak(560, 130, 700, '#6a82ad') +
    peak(1030, 90, 860, '#5d77a5') +
    path(ridge(dice, 560, 110, 900, 1.7), '#6ba368') +
    path(ridge(dice, 640, 70, 900, 2.2), '#4d8a55')
  );
}

function arches(): string {
  const dice = brush(62);
  const arch = (i: number): string => {
    const x = -30 + i * 190;
    return (
      path(`M${x + 40} 900 V610 a75 75 0 0 1 150 0 V900 Z`, '#5f9a5b') +
      path(`M${x + 40} 900 V610 a75 75 0 0 1 18 -48 V900 Z`, '#59483f', 'opacity="0.55"')
    );
  };
  const stone = (): string =>
    rect(
      dice.upTo(1600),
      500 + dice.upTo(380),
      22 + dice.upTo(22),
      9,
      dice.pick(['#b59c80', '#8f7862', '#cbb497']),
      'opacity="0.6"',
    );
  const meadow =
    path(ridge(dice, 815, 40, 900, 1.5), '#76b84f') +
    times(150, () =>
      circle(dice.upTo(1600), 830 + dice.upTo(70), 3 + dice.upTo(3), dice.pick(['#ffe35c', '#ffffff', '#ff8fb1'])),
    );
  return (
    rect(-20, 482, 1640, 430, '#a48b71') +
    times(420, stone) +
    times(9, arch) +
    rect(-20, 474, 1640, 22, '#7d6856') +
    rect(-20, 474, 1640, 6, '#cdb698') +
    meadow
  );
}

function pines(): string {
  const dice = brush(63);
  const pine = (x: number, h: number): string =>
    times(4, (k) =>
      path(
        `M${x} ${905 - h + k * h * 0.17} L${x - h * (0.12 + k * 0.05)} ${905 - h * 0.66 + k * h * 0.2} H${x + h * (0.12 + k * 0.05)} Z`,
        k % 2 ? '#1d4a38' : '#245a42',
      ),
    );
  return (
    times(6, (i) => pine(20 + i * 52, 190 + dice.upTo(190))) +
    times(5, (i) => pine(1330 + i * 66, 170 + dice.upTo(160)))
  );
}

function train(): Drawing {
  const coach = (x: number): string =>
    rect(x, 20, 210, 68, '#c8202f', 'rx="8"') +
    rect(x, 62, 210, 9, '#fbe9d0') +
    rect(x - 4, 14, 218, 12, '#5d1019', 'rx="6"') +
    times(5, (k) => rect(x + 14 + k * 39, 32, 27, 24, '#ffe9b0', 'rx="3"')) +
    times(3, (k) => circle(x + 34 + k * 70, 92, 13, '#2a2a33'));
  const engine =
    rect(700, 30, 120, 58, '#2b3a44', 'rx="24"') +
    rect(664, 6, 74, 82, '#34505f', 'rx="6"') +
    rect(678, 18, 42, 30, '#ffe9b0') +
    rect(780, 2, 20, 34, '#20292f') +
    rect(666, 80, 166, 12, '#c8202f') +
    times(4, (k) => circle(690 + k * 40, 92, 16, '#1d2126')) +
    circle(822, 58, 9, '#fff3b0');
  return drawing(850, 110, coach(4) + coach(224) + coach(444) + engine);
}

/** Tulip rows running to a windmill under a wide sky. */
export function tulips(): Scene {
  const turns = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`sails${i}`, sails(i * 6)]));
  return {
    flats: [
      flat(0.35, wideSky(), 560),
      flat(0.7, mill()),
      wide(0.8, rows(), undefined, 460, 470),
      wide(1.15, tulipHeads(), [-600, 2.2, 70]),
    ],
    sprites: turns,
    thingsAt: (t) => [{ sprite: `sails${Math.floor(t * 10) % 15}`, x: 1080, y: 262, after: 1 }],
  };
}

function wideSky(): string {
  const dice = brush(71);
  const puff = (): string => {
    const [x, y] = [dice.upTo(1600), 60 + dice.upTo(260)];
    return times(6, () =>
      ellipse(
        x + dice.normal() * 60,
        y + dice.normal() * 9,
        50 + dice.upTo(50),
        18 + dice.upTo(16),
        '#ffffff',
        'opacity="0.85"',
      ),
    );
  };
  return `${wash('0 #59a9e6, 0.75 #cfeaf7, 1 #fff7e0', 1600, 560)}${times(7, puff)}`;
}

function mill(): string {
  const trees = times(34, (i) =>
    ellipse(i * 50, 482 - ((i * 37) % 23), 34, 26 + ((i * 29) % 20), i % 3 ? '#5c8f52' : '#497a47'),
  );
  return (
    trees +
    path('M1020 480 L1044 270 H1116 L1140 480 Z', '#8a5a3c') +
    path('M1082 270 H1116 L1140 480 H1090 Z', '#5b3a28', 'opacity="0.45"') +
    path('M1034 274 Q1080 196 1126 274 Z', '#3d4f3c') +
    rect(996, 404, 168, 10, '#f3e6cf') +
    rect(1064, 430, 32, 50, '#3c5a4a') +
    rect(1066, 318, 26, 30, '#f8f1dc')
  );
}

function rows(): string {
  const colours = ['#e8344e', '#ffcf3d', '#ff7fb0', '#7b3fc4', '#ff7a2f', '#fff3e6'];
  const dice = brush(72);
  const strip = (i: number): string => {
    const at = (k: number, spread: number): number => 880 + (k - 13) * spread;
    const heads = times(90, () => {
      const depth = dice.next() ** 0.6;
      const x = at(i + 0.15 + 0.5 * dice.next(), 22 + depth * 158);
      return ellipse(
        x,
        14 + depth * 446,
        2 + depth * 9,
        2 + depth * 11,
        '#00000000',
        `style="fill:${colours[i % 6]};opacity:.75;stroke:#5a102030;stroke-width:1"`,
      );
    });
    return (
      path(
        `M${at(i, 22)} 6 L${at(i + 0.68, 22)} 6 L${at(i + 0.68, 180)} 460 L${at(i, 180)} 460 Z`,
        colours[i % 6] ?? '',
        'opacity="0.92"',
      ) + heads
    );
  };
  return rect(0, 0, 1760, 460, '#3f8a3c') + times(27, strip);
}

function tulipHeads(): string {
  const dice = brush(73);
  const tulip = (i: number): string => {
    const [x, y] = [i * 74 + dice.upTo(40), 700 + dice.upTo(110)];
    const fill = dice.pick(['#e8344e', '#d81f45', '#ff5a6e']);
    return (
      stroke(`M${x} ${y + 40} Q${x + 8} 850 ${x - 4} 910`, '#2f7a34', 9) +
      path(`M${x - 4} 910 q-40 -70 -30 -130 q30 50 34 130 z`, '#3c9440') +
      path(
        `M${x - 34} ${y - 20} q6 26 10 -14 q24 -34 24 0 q0 -34 24 0 q4 40 10 14 q8 74 -34 76 q-42 -2 -34 -76 z`,
        fill,
      ) +
      path(`M${x} ${y - 34} q18 30 0 88 q-20 -54 0 -88 z`, '#a8112f', 'opacity="0.35"')
    );
  };
  return times(24, tulip);
}

function sails(degrees: number): Drawing {
  const sail = (i: number): string =>
    `<g transform="rotate(${degrees + i * 90} 200 200)">${stroke('M200 200 V14', '#4a3325', 8)}${rect(204, 22, 44, 140, '#fdf4e0', 'stroke="#7a5a40" stroke-width="4"')}${times(4, (k) => stroke(`M204 ${50 + k * 28} h44`, '#b08d6a', 2))}</g>`;
  return drawing(400, 400, times(4, sail) + circle(200, 200, 13, '#3a281d'));
}

/** Hot-air balloons over misty hills at dawn. */
export function balloons(): Scene {
  const pairs = [['#e63946', '#ffe8d6'], ['#2a9d8f', '#e9f5db'], ['#f4a261', '#264653'], ['#9b5de5', '#fee440']] as const; // prettier-ignore
  return {
    flats: [flat(0.3, dawn()), flat(0.9, meadow())],
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
  const dice = brush(101);
  const stops = '0 #7fb2e5, 0.35 #f7c6d0, 0.6 #ffd9a8, 1 #fff1d6';
  const hill = (i: number): string =>
    path(
      ridge(dice, 520 + i * 62, 90 - i * 8, 900, 1.2 + i * 0.4),
      ['#d7a9bd', '#b98fb0', '#8f86ac', '#64799c', '#47688a'][i] ?? '',
    );
  const mist = (i: number): string => rect(0, 560 + i * 62, 1600, 60, `url(#m)`, 'opacity="0.5"');
  return `<defs>${linear('s', stops)}${linear('m', '0 #fff 0, 0.5 #fff3e6 0.8, 1 #fff 0')}</defs>${rect(0, 0, 1600, 900, 'url(#s)')}${circle(1180, 430, 58, '#fff3c4')}${times(5, (i) => hill(i) + mist(i))}`;
}

function meadow(): string {
  const dice = brush(102);
  const tree = (i: number): string => {
    const [x, y, s] = [i * 96 + dice.upTo(60), 836 + dice.upTo(30), 34 + dice.upTo(30)];
    return (
      rect(x - 4, y - 10, 8, 50, '#3c3a35') +
      ellipse(x, y - s * 0.7, s * 0.7, s, dice.pick(['#2f5a4a', '#3c6b50', '#274a44']))
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
  return drawing(
    300,
    390,
    times(4, gore) +
      shade +
      ropes +
      rect(130, 344, 40, 34, '#8a5a34', 'rx="5"') +
      rect(128, 344, 44, 8, '#b98552', 'rx="4"'),
  );
}

/** The beach seen from above: parasols, towels, the edge of a turquoise sea. */
export function beach(): Scene {
  return {
    flats: [flat(1, sand()), wide(1, shallows(), [-400, 9, 40], 420)],
    sprites: {
      swimmer: drawing(
        80,
        80,
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
      ),
      board: drawing(60, 170, ellipse(30, 85, 26, 82, '#fff3b0') + rect(27, 8, 6, 154, '#e4572e')),
    },
    thingsAt: (t) => [
      ...many(4, 'swimmer', 1, (i) => ({
        x: 260 + i * 340 + 30 * Math.sin(t * 0.5 + i * 2),
        y: 130 + ((i * 67) % 130) + 12 * Math.sin(t * 1.2 + i),
        size: 0.8,
      })),
      { sprite: 'board', x: 1010 + 24 * Math.sin(t * 0.4), y: 240 + 16 * Math.sin(t * 0.9), size: 0.9, after: 1 },
    ],
  };
}

function sand(): string {
  const dice = brush(121);
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
      dice.upTo(1600),
      330 + dice.upTo(570),
      1 + dice.upTo(2.4),
      dice.pick(['#cfa868', '#fff0c9', '#b98f52']),
      'opacity="0.6"',
    );
  return rect(0, 0, 1600, 900, '#efd29a') + times(900, grain) + times(14, parasol);
}

function shallows(): string {
  const dice = brush(122);
  const edge = (y: number): string =>
    `M0 0 H1760 V${y} ` +
    Array.from(
      { length: 12 },
      (_, i) => `Q${1760 - (i * 2 + 1) * 73.4} ${y + (i % 2 ? 30 : -24)} ${1760 - (i + 1) * 146.8} ${y}`,
    ).join(' ') +
    ' Z';
  const stops = '0 #0b7fab, 0.5 #22b5c9, 1 #8fe3dc';
  const glint = (): string =>
    stroke(`M${dice.upTo(1740)} ${dice.upTo(300)} q16 -8 32 0`, '#ffffff', 3, 'opacity="0.45"');
  return `<defs>${linear('w', stops)}</defs>${path(edge(388), '#ffffff', 'opacity="0.9"')}${path(edge(370), '#bdf0ea')}${path(edge(346), 'url(#w)')}${times(130, glint)}`;
}

import { random } from '../../base/index.js';
import type { Drawing } from '../layer.js';
import type { Scene } from '../stage.js';
import { circle, ellipse, linear, path, pick, rect, ridge, stroke, times } from './svg.js';

/** A red train on a stone viaduct below snowy mountains. */
export function viaduct(): Scene {
  return {
    name: 'viaduct',
    flats: [
      { width: 1600, height: 760, depth: 0.35, body: alps() },
      { width: 1600, height: 900, depth: 0.8, body: arches() },
      { width: 1600, height: 900, depth: 1.1, body: pines() },
    ],
    sprites: {
      train: train(),
      steam: { width: 120, height: 120, body: circle(60, 60, 56, '#ffffff', 'opacity="0.55"') },
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
  const dice = random(61);
  const peak = (x: number, y: number, w: number, tone: string): string => {
    const cap = `M${x} ${y} L${x - w * 0.2} ${y + w * 0.24} l${w * 0.08} ${-w * 0.05} l${w * 0.07} ${w * 0.09} l${w * 0.08} ${-w * 0.07} l${w * 0.08} ${w * 0.06} L${x + w * 0.19} ${y + w * 0.23} Z`;
    return (
      path(`M${x} ${y} L${x - w * 0.62} 720 H${x + w * 0.66} Z`, tone) +
      path(`M${x} ${y} L${x + w * 0.66} 720 H${x + w * 0.05} Z`, '#2c3f63', 'opacity="0.25"') +
      path(cap, '#ffffff')
    );
  };
  const stops = [
    [0, '#3f8fd2'],
    [0.6, '#bfe4f5'],
    [1, '#f3fbff'],
  ] as const;
  return (
    `<defs>${linear('s', stops)}</defs>${rect(0, 0, 1600, 760, 'url(#s)')}${ellipse(300, 130, 170, 26, '#fff', 'opacity="0.8"')}${ellipse(1240, 90, 220, 24, '#fff', 'opacity="0.7"')}` +
    peak(180, 190, 760, '#7f95b8') +
    peak(1430, 150, 820, '#7b91b6') +
    peak(560, 130, 700, '#6a82ad') +
    peak(1030, 90, 860, '#5d77a5') +
    path(ridge(dice, 560, 110, 900, 1.7), '#6ba368') +
    path(ridge(dice, 640, 70, 900, 2.2), '#4d8a55')
  );
}

function arches(): string {
  const dice = random(62);
  const arch = (i: number): string => {
    const x = -30 + i * 190;
    return (
      path(`M${x + 40} 900 V610 a75 75 0 0 1 150 0 V900 Z`, '#5f9a5b') +
      path(`M${x + 40} 900 V610 a75 75 0 0 1 18 -48 V900 Z`, '#59483f', 'opacity="0.55"')
    );
  };
  const stone = (): string =>
    rect(
      dice.next() * 1600,
      500 + dice.next() * 380,
      22 + dice.next() * 22,
      9,
      pick(dice, ['#b59c80', '#8f7862', '#cbb497']),
      'opacity="0.6"',
    );
  const meadow =
    path(ridge(dice, 815, 40, 900, 1.5), '#76b84f') +
    times(150, () =>
      circle(
        dice.next() * 1600,
        830 + dice.next() * 70,
        3 + dice.next() * 3,
        pick(dice, ['#ffe35c', '#ffffff', '#ff8fb1']),
      ),
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
  const dice = random(63);
  const pine = (x: number, h: number): string =>
    times(4, (k) =>
      path(
        `M${x} ${905 - h + k * h * 0.17} L${x - h * (0.12 + k * 0.05)} ${905 - h * 0.66 + k * h * 0.2} H${x + h * (0.12 + k * 0.05)} Z`,
        k % 2 ? '#1d4a38' : '#245a42',
      ),
    );
  return (
    times(6, (i) => pine(20 + i * 52, 190 + dice.next() * 190)) +
    times(5, (i) => pine(1330 + i * 66, 170 + dice.next() * 160))
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
  return { width: 850, height: 110, body: coach(4) + coach(224) + coach(444) + engine };
}

/** Tulip rows running to a windmill under a wide sky. */
export function tulips(): Scene {
  const turns = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`sails${i}`, sails(i * 6)]));
  return {
    name: 'tulips',
    flats: [
      { width: 1600, height: 560, depth: 0.35, body: wideSky() },
      { width: 1600, height: 900, depth: 0.7, body: mill() },
      { width: 1760, height: 460, left: -80, top: 470, depth: 0.8, body: rows() },
      {
        width: 1760,
        height: 900,
        left: -80,
        depth: 1.15,
        body: tulipHeads(),
        ripple: { from: -600, amount: 2.2, length: 70 },
      },
    ],
    sprites: turns,
    thingsAt: (t) => [{ sprite: `sails${Math.floor(t * 10) % 15}`, x: 1080, y: 262, after: 1 }],
  };
}

function wideSky(): string {
  const dice = random(71);
  const stops = [
    [0, '#59a9e6'],
    [0.75, '#cfeaf7'],
    [1, '#fff7e0'],
  ] as const;
  const puff = (): string => {
    const [x, y] = [dice.next() * 1600, 60 + dice.next() * 260];
    return times(6, () =>
      ellipse(
        x + dice.normal() * 60,
        y + dice.normal() * 9,
        50 + dice.next() * 50,
        18 + dice.next() * 16,
        '#ffffff',
        'opacity="0.85"',
      ),
    );
  };
  return `<defs>${linear('s', stops)}</defs>${rect(0, 0, 1600, 560, 'url(#s)')}${times(7, puff)}`;
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
  const dice = random(72);
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
  const dice = random(73);
  const tulip = (i: number): string => {
    const [x, y] = [i * 74 + dice.next() * 40, 700 + dice.next() * 110];
    const fill = pick(dice, ['#e8344e', '#d81f45', '#ff5a6e']);
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
  return { width: 400, height: 400, body: times(4, sail) + circle(200, 200, 13, '#3a281d') };
}

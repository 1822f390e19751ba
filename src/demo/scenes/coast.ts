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
  radial,
  rect,
  ridge,
  stroke,
  times,
  wash,
  wide,
} from './svg.js';

const HORIZON = 480;

/** A small port at sunset: houses along the quay, boats on orange water. */
export function harbour(): Scene {
  return {
    flats: [
      flat(0.35, sky(), 560),
      wide(0.6, water(), [470, 7, 26], 460, HORIZON - 6),
      flat(0.75, town()),
      flat(1, pier()),
    ],
    sprites: {
      sloop: boat('#fff3dd', '#d9483b', '#7a2f3a'),
      cutter: boat('#ffd9a0', '#2f6f8f', '#23455e'),
      gull: gull(),
    },
    thingsAt: (t) => [
      { sprite: 'cutter', x: 930 + 9 * ((t % 60) - 20), y: 520 + 3 * Math.sin(t * 1.3), size: 0.75, after: 1 },
      { sprite: 'sloop', x: 1330 - 12 * ((t % 60) - 20), y: 590 + 5 * Math.sin(t * 1.1 + 1), size: 1.35, after: 2 },
      ...many(4, 'gull', 2, (i) => ({
        x: ((t * (38 + 7 * i) + i * 430) % 1900) - 150,
        y: 190 + 45 * i + 22 * Math.sin(t * 0.9 + i * 2),
        size: 0.75 + 0.15 * Math.sin(t * 7 + i),
      })),
    ],
  };
}

function sky(): string {
  const dice = brush(11);
  const stops = '0 #2a2a63, 0.28 #7b4a93, 0.46 #e8716d, 0.56 #ffb267, 1 #ffd694';
  const glow = '0 #fff4c2 1, 0.18 #ffe08a 0.75, 0.5 #ffad5c 0.3, 1 #ff8a5c 0';
  const cloud = (): string => {
    const [x, y, w] = [dice.upTo(1600), 90 + dice.upTo(300), 120 + dice.upTo(300)];
    return ellipse(x, y, w, 5 + dice.upTo(12), dice.pick(['#ffb199', '#f58a83', '#b765a0']), 'opacity="0.45"');
  };
  return (
    `<defs>${linear('s', stops)}${radial('g', glow)}</defs>${rect(0, 0, 1600, 900, 'url(#s)')}` +
    `${times(26, cloud)}${circle(1060, 415, 330, 'url(#g)')}${circle(1060, 415, 62, '#fff2bd')}` +
    `${path(ridge(dice, 455, 70, 900, 1.6), '#8f5a94')}${path(ridge(dice, 476, 40, 900, 2.4), '#64427e')}`
  );
}

function water(): string {
  const dice = brush(12);
  const streak = (): string => {
    const y = 6 + dice.next() ** 1.6 * 430;
    const x = 1140 + dice.normal() * (26 + y * 0.17);
    return ellipse(x, y, 10 + dice.upTo(16 + y * 0.13), 1.4 + y * 0.008, '#ffe9ae', 'opacity="0.8"');
  };
  const swell = (): string => {
    const y = 10 + dice.next() ** 1.4 * 440;
    const shade = dice.pick(['#ffc08a', '#7a5496', '#3c3a73']);
    return ellipse(dice.upTo(1760), y, 20 + y * 0.16 * dice.next(), 1 + y * 0.009, shade, 'opacity="0.4"');
  };
  return `${wash('0 #f59a6b, 0.25 #c9647a, 0.6 #5e4585, 1 #27305e', 1760, 460)}${times(380, swell)}${times(190, streak)}`;
}

function town(): string {
  const dice = brush(13);
  const walls = ['#d7655a', '#e9a45f', '#c9566f', '#e7c38a', '#a9506e', '#f0b07a', '#8f5b86'];
  let x = -20;
  let houses = '';
  while (x < 720) {
    const [w, h] = [62 + dice.upTo(44), 130 + dice.upTo(120)];
    const top = 520 - h;
    houses += rect(x, top, w, h, dice.pick(walls)) + rect(x + w * 0.82, top, w * 0.18, h, '#3d2a57', 'opacity="0.28"');
    houses += path(`M${x - 5} ${top} L${x + w / 2} ${top - 34 - dice.upTo(26)} L${x + w + 5} ${top} Z`, '#5a3357');
    for (let row = 0; row * 38 < h - 50; row++) {
      for (let column = 0; column < 3; column++) {
        const fill = dice.next() < 0.6 ? '#ffe6a1' : '#6b3f66';
        houses += rect(x + w * (0.14 + column * 0.26), top + 18 + row * 38, w * 0.14, 20, fill, 'rx="2"');
      }
    }
    x += w + 1;
  }
  const church =
    rect(330, 150, 56, 240, '#b4607a') +
    path('M322 152 L358 30 L394 152 Z', '#4d2f5c') +
    circle(358, 196, 15, '#ffe6a1');
  const quay =
    rect(-20, 512, 760, 34, '#6d4a63') +
    rect(-20, 512, 760, 7, '#a87780') +
    rect(-20, 546, 740, 22, '#3a2a50', 'opacity="0.6"');
  const masts = times(9, (i) => stroke(`M${60 + i * 74} 540 L${60 + i * 74} ${330 + ((i * 53) % 90)}`, '#3b2848', 4));
  const hulls = times(9, (i) =>
    path(`M${22 + i * 74} 532 q38 34 76 0 z`, dice.pick(['#f3e3cf', '#2f6f8f', '#b8434a', '#e2a24c'])),
  );
  return church + houses + quay + masts + hulls;
}

function pier(): string {
  const plank = (i: number): string => rect(880 + i * 46, 806 - i * 1.5, 44, 120, i % 2 === 0 ? '#4a3145' : '#553a4d');
  const post = (i: number): string => {
    const x = 905 + i * 170;
    return rect(x, 690, 30, 220, '#33233c', 'rx="8"') + ellipse(x + 15, 692, 17, 7, '#8a5a62');
  };
  const rope = times(4, (i) => stroke(`M${920 + i * 170} 725 q85 60 170 0`, '#c99a74', 5));
  const lamp =
    stroke('M130 900 L130 560', '#2c2038', 12) +
    circle(130, 540, 26, '#ffe7a6') +
    circle(130, 540, 60, '#ffd37a', 'opacity="0.25"');
  return times(17, plank) + rect(880, 792, 760, 16, '#8a5a5e') + rope + times(5, post) + lamp;
}

function boat(sail: string, jib: string, hull: string): Drawing {
  const body =
    path('M96 10 L96 150 L14 150 Q70 90 96 10 Z', sail) +
    path('M104 30 L104 150 L170 150 Q130 100 104 30 Z', jib) +
    stroke('M100 4 L100 168', '#3a2540', 5) +
    path('M10 162 L190 162 Q172 200 150 200 L48 200 Q24 196 10 162 Z', hull) +
    rect(12, 160, 176, 7, '#ffe2bf') +
    ellipse(100, 206, 84, 6, '#2b2150', 'opacity="0.35"');
  return drawing(200, 214, body);
}

/** A gull as two wings; its size oscillates to suggest beating. */
function gull(): Drawing {
  return drawing(60, 26, stroke('M4 18 Q18 2 30 16 Q42 2 56 18', '#fff1e0', 5));
}

/** A striped lighthouse on a green cliff above a blue sea. */
export function lighthouse(): Scene {
  return {
    flats: [
      flat(0.3, seaSky(), 600),
      wide(0.55, sea(), [515, 6, 30], 480, 510),
      flat(0.85, cliff()),
      wide(1.1, grass(), [-700, 1.2, 60]),
    ],
    sprites: {
      cloud: cloud(),
      foam: foam(),
      gull: drawing(70, 30, stroke('M4 20 Q20 2 35 18 Q50 2 66 20', '#ffffff', 6)),
    },
    thingsAt: (t) => [
      ...many(4, 'cloud', 0, (i) => ({
        x: ((i * 520 + t * (7 + 2 * i)) % 2100) - 250,
        y: 120 + ((i * 97) % 190),
        size: 0.8 + 0.35 * (i % 3),
        opacity: 0.92,
      })),
      ...many(5, 'foam', 2, (i) => ({
        x: 560 + i * 105,
        y: 800 + 12 * Math.sin(t * 1.4 + i * 1.7) - i * 8,
        size: 0.8 + 0.25 * Math.sin(t * 1.4 + i * 1.7),
        opacity: 0.65 + 0.3 * Math.sin(t * 1.4 + i * 1.7),
      })),
      ...many(3, 'gull', 2, (i) => ({
        x: 420 + 330 * Math.cos(t * 0.42 + i * 2.1),
        y: 270 + 90 * Math.sin(t * 0.5 + i * 1.3),
        size: 0.7 + 0.22 * Math.sin(t * 6 + i * 2),
      })),
    ],
  };
}

function seaSky(): string {
  const dice = brush(31);
  return `${wash('0 #1f7fd0, 0.4 #67b7ee, 0.62 #d4f0fb, 1 #ffffff', 1600, 900)}${path(ridge(dice, 505, 34, 900, 1.2), '#8fb8cf')}`;
}

function sea(): string {
  const dice = brush(32);
  const crest = (): string => {
    const y = 8 + dice.next() ** 1.5 * 460;
    const shade = dice.pick(['#e8fbff', '#5cc3d6', '#0c5c8f', '#1d86b5']);
    return ellipse(dice.upTo(1760), y, 14 + y * 0.22 * dice.next(), 1.2 + y * 0.009, shade, 'opacity="0.55"');
  };
  return `${wash('0 #8fd3e0, 0.12 #2f9fc0, 0.5 #1273a3, 1 #0b4a7d', 1760, 480)}${times(520, crest)}`;
}

function cliff(): string {
  const dice = brush(33);
  const rock =
    'M760 900 L742 806 L790 740 L772 668 L828 596 L818 540 L880 486 L1010 452 L1180 440 L1400 452 L1640 430 L1640 900 Z';
  const facet = (): string => {
    const [x, y] = [800 + dice.upTo(780), 520 + dice.upTo(360)];
    const shade = dice.pick(['#9c7b62', '#6d5346', '#c2a184', '#57453d']);
    return path(
      `M${x} ${y} l${30 + dice.upTo(50)} ${-14 + dice.upTo(30)} l${-10 - dice.upTo(20)} ${40 + dice.upTo(50)} z`,
      shade,
      'opacity="0.55"',
    );
  };
  const turf =
    'M806 548 L880 482 L1010 448 L1180 436 L1400 448 L1640 426 L1640 520 Q1500 560 1420 522 Q1330 566 1240 524 Q1150 570 1070 528 Q960 570 900 540 Q850 570 806 548 Z';
  const tuft = (): string => {
    const [x, y] = [880 + dice.upTo(720), 452 + dice.upTo(66)];
    return stroke(`M${x} ${y} l${dice.normal() * 4} -12`, dice.pick(['#7cc04f', '#3f8436', '#a8d65c']), 3);
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
  const dice = brush(34);
  const blade = (): string => {
    const x = dice.upTo(620);
    const h = 40 + dice.upTo(110) * (1 - x / 700);
    return stroke(
      `M${x} 905 q${dice.normal() * 8} ${-h / 2} ${dice.normal() * 22} ${-h}`,
      dice.pick(['#2f6b33', '#4d8f3a', '#1f5230']),
      6,
    );
  };
  const flower = (): string => {
    const x = dice.upTo(520);
    return circle(x, 800 + dice.upTo(80) + x * 0.06, 9, dice.pick(['#ff8fb1', '#ffd84d', '#ffffff']));
  };
  return times(170, blade) + times(42, flower);
}

function cloud(): Drawing {
  const puffs = [[90, 80, 52], [150, 58, 60], [215, 76, 54], [270, 92, 38], [45, 96, 32]] as const; // prettier-ignore
  return drawing(
    320,
    140,
    rect(30, 90, 260, 40, '#ffffff', 'rx="20"') + puffs.map(([x, y, s]) => circle(x, y, s, '#ffffff')).join(''),
  );
}

function foam(): Drawing {
  return drawing(
    180,
    50,
    ellipse(90, 28, 86, 14, '#ffffff', 'opacity="0.7"') +
      ellipse(70, 20, 46, 12, '#ffffff') +
      ellipse(122, 22, 36, 10, '#e6fbff'),
  );
}

import { random } from '../../base/index.js';
import type { Scene } from '../stage.js';
import { circle, ellipse, linear, path, pick, radial, rect, ridge, stroke, times } from './svg.js';

const HORIZON = 480;

/** A small port at sunset: houses along the quay, boats on orange water. */
export function harbour(): Scene {
  return {
    name: 'harbour',
    flats: [
      { width: 1600, height: 560, depth: 0.35, body: sky() },
      {
        width: 1760,
        height: 460,
        left: -80,
        top: HORIZON - 6,
        depth: 0.6,
        body: water(),
        ripple: { from: 470, amount: 7, length: 26 },
      },
      { width: 1600, height: 900, depth: 0.75, body: town() },
      { width: 1600, height: 900, depth: 1, body: pier() },
    ],
    sprites: {
      sloop: boat('#fff3dd', '#d9483b', '#7a2f3a'),
      cutter: boat('#ffd9a0', '#2f6f8f', '#23455e'),
      gull: gull(),
    },
    thingsAt: (t) => [
      { sprite: 'cutter', x: 930 + 9 * ((t % 60) - 20), y: 520 + 3 * Math.sin(t * 1.3), size: 0.75, after: 1 },
      { sprite: 'sloop', x: 1330 - 12 * ((t % 60) - 20), y: 590 + 5 * Math.sin(t * 1.1 + 1), size: 1.35, after: 2 },
      ...[0, 1, 2, 3].map((i) => ({
        sprite: 'gull',
        x: ((t * (38 + 7 * i) + i * 430) % 1900) - 150,
        y: 190 + 45 * i + 22 * Math.sin(t * 0.9 + i * 2),
        size: 0.75 + 0.15 * Math.sin(t * 7 + i),
        after: 2,
      })),
    ],
  };
}

function sky(): string {
  const dice = random(11);
  const stops = [[0, '#2a2a63'], [0.28, '#7b4a93'], [0.46, '#e8716d'], [0.56, '#ffb267'], [1, '#ffd694']] as const; // prettier-ignore
  const glow = [
    [0, '#fff4c2', 1],
    [0.18, '#ffe08a', 0.75],
    [0.5, '#ffad5c', 0.3],
    [1, '#ff8a5c', 0],
  ] as const;
  const cloud = (): string => {
    const [x, y, w] = [dice.next() * 1600, 90 + dice.next() * 300, 120 + dice.next() * 300];
    return ellipse(x, y, w, 5 + dice.next() * 12, pick(dice, ['#ffb199', '#f58a83', '#b765a0']), 'opacity="0.45"');
  };
  return (
    `<defs>${linear('s', stops)}${radial('g', glow)}</defs>${rect(0, 0, 1600, 900, 'url(#s)')}` +
    `${times(26, cloud)}${circle(1060, 415, 330, 'url(#g)')}${circle(1060, 415, 62, '#fff2bd')}` +
    `${path(ridge(dice, 455, 70, 900, 1.6), '#8f5a94')}${path(ridge(dice, 476, 40, 900, 2.4), '#64427e')}`
  );
}

function water(): string {
  const dice = random(12);
  const stops = [
    [0, '#f59a6b'],
    [0.25, '#c9647a'],
    [0.6, '#5e4585'],
    [1, '#27305e'],
  ] as const;
  const streak = (): string => {
    const y = 6 + dice.next() ** 1.6 * 430;
    const x = 1140 + dice.normal() * (26 + y * 0.17);
    return ellipse(x, y, 10 + dice.next() * (16 + y * 0.13), 1.4 + y * 0.008, '#ffe9ae', 'opacity="0.8"');
  };
  const swell = (): string => {
    const y = 10 + dice.next() ** 1.4 * 440;
    const shade = pick(dice, ['#ffc08a', '#7a5496', '#3c3a73']);
    return ellipse(dice.next() * 1760, y, 20 + y * 0.16 * dice.next(), 1 + y * 0.009, shade, 'opacity="0.4"');
  };
  return `<defs>${linear('w', stops)}</defs>${rect(0, 0, 1760, 460, 'url(#w)')}${times(380, swell)}${times(190, streak)}`;
}

function town(): string {
  const dice = random(13);
  const walls = ['#d7655a', '#e9a45f', '#c9566f', '#e7c38a', '#a9506e', '#f0b07a', '#8f5b86'];
  let x = -20;
  let houses = '';
  while (x < 720) {
    const [w, h] = [62 + dice.next() * 44, 130 + dice.next() * 120];
    const top = 520 - h;
    houses += rect(x, top, w, h, pick(dice, walls)) + rect(x + w * 0.82, top, w * 0.18, h, '#3d2a57', 'opacity="0.28"');
    houses += path(`M${x - 5} ${top} L${x + w / 2} ${top - 34 - dice.next() * 26} L${x + w + 5} ${top} Z`, '#5a3357');
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
    path(`M${22 + i * 74} 532 q38 34 76 0 z`, pick(dice, ['#f3e3cf', '#2f6f8f', '#b8434a', '#e2a24c'])),
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

function boat(sail: string, jib: string, hull: string): { width: number; height: number; body: string } {
  const body =
    path('M96 10 L96 150 L14 150 Q70 90 96 10 Z', sail) +
    path('M104 30 L104 150 L170 150 Q130 100 104 30 Z', jib) +
    stroke('M100 4 L100 168', '#3a2540', 5) +
    path('M10 162 L190 162 Q172 200 150 200 L48 200 Q24 196 10 162 Z', hull) +
    rect(12, 160, 176, 7, '#ffe2bf') +
    ellipse(100, 206, 84, 6, '#2b2150', 'opacity="0.35"');
  return { width: 200, height: 214, body };
}

/** A gull as two wings; its size oscillates to suggest beating. */
function gull(): { width: number; height: number; body: string } {
  return { width: 60, height: 26, body: stroke('M4 18 Q18 2 30 16 Q42 2 56 18', '#fff1e0', 5) };
}

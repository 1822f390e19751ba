import { random } from '../../base/index.js';
import type { Scene, Thing } from '../stage.js';
import { circle, ellipse, glow, linear, path, pick, rect, ridge, times } from './svg.js';

const SHORE = 620;
/** Seconds from one burst to the next, on the scene's clock. */
export const EVERY = 0.45;
const LIFE = 2.2;
const BURST_COLOURS = ['#ff4d5e', '#ffc94d', '#4fc8ff', '#ff8a3d', '#6dffa0', '#ff7ad9'] as const;

/** Fireworks above a bay, mirrored in black water. */
export function fireworks(): Scene {
  const sparks = Object.fromEntries(
    BURST_COLOURS.map((colour, i) => [`spark${i}`, { ...glow(34, colour, colour), isLight: true }]),
  );
  const flashes = Object.fromEntries(
    BURST_COLOURS.map((colour, i) => [`flash${i}`, { ...glow(520, colour), isLight: true }]),
  );
  return {
    name: 'fireworks',
    flats: [
      { width: 1600, height: 700, depth: 0.4, body: nightSky() },
      {
        width: 1760,
        height: 320,
        left: -80,
        top: SHORE - 4,
        depth: 0.6,
        body: nightWater(),
        ripple: { from: SHORE, amount: 8, length: 22 },
      },
      { width: 1600, height: 900, depth: 0.75, body: promenade() },
    ],
    sprites: { ...sparks, ...flashes },
    thingsAt: (t) => [0, 1, 2, 3, 4].flatMap((back) => burst(Math.floor(t / EVERY) - back, t)),
  };
}

/** One rocket: it opens at `number` × `EVERY` seconds, spreads its rays, sinks and fades within `LIFE`. */
function burst(number: number, t: number): Thing[] {
  const age = t - number * EVERY;
  if (age < 0 || age > LIFE) return [];
  const dice = random(4000 + number);
  const [x, y] = [260 + dice.next() * 1080, 120 + dice.next() * 230];
  const [colour, heart] = [dice.below(6), dice.below(6)];
  const reach = 170 + dice.next() * 150;
  const fade = Math.min(1, 1.8 * (1 - age / LIFE));
  const things: Thing[] = [
    { sprite: `flash${colour}`, x, y, size: 1.1, opacity: 0.8 * Math.exp(-age * 5) - 0.04, after: 0 },
  ];
  const rays = 24 + dice.below(8);
  for (let ray = 0; ray < rays; ray++) {
    const turn = (ray * 6.283) / rays + 0.12 * dice.next();
    const far = reach * (0.75 + 0.25 * dice.next());
    for (let k = 0; k < 4; k++) {
      const spread = far * (1 - Math.exp(-age * 2.6)) * (ray % 3 === 0 ? 0.6 : 1) * (1 - 0.085 * k);
      const px = x + Math.cos(turn) * spread;
      const py = y + Math.sin(turn) * spread * 0.94 + 30 * age * age;
      const twinkle = age > 1.2 ? 0.65 + 0.35 * Math.sin(t * 29 + ray * 2.4 + k) : 1;
      // Young rays overlap: dimmed, so that their sum does not saturate.
      const parted = Math.min(1, 0.15 + age * 2.2);
      const spark = { sprite: `spark${ray % 3 === 0 ? heart : colour}`, size: 1.35 - 0.26 * k };
      things.push({ ...spark, x: px, y: py, opacity: fade * twinkle * parted, after: 0 });
      if (k > 0) continue;
      const mirrored = 2 * SHORE - py * 0.85 - 60;
      things.push({ ...spark, x: px + 10 * Math.sin(t * 5 + ray), y: mirrored, opacity: 0.55 * fade, after: 1 });
    }
  }
  return things;
}

function nightSky(): string {
  const dice = random(41);
  const stops = [
    [0, '#070b26'],
    [0.55, '#182355'],
    [0.85, '#3a3572'],
    [1, '#5a4684'],
  ] as const;
  const star = (): string =>
    circle(dice.next() * 1600, dice.next() * 480, 0.8 + dice.next() * 1.5, '#dfe6ff', 'opacity="0.7"');
  return `<defs>${linear('s', stops)}</defs>${rect(0, 0, 1600, 700, 'url(#s)')}${times(170, star)}${path(ridge(dice, 600, 60, 900, 1.4), '#1a1f47')}`;
}

function nightWater(): string {
  const dice = random(42);
  const stops = [
    [0, '#33356f'],
    [0.3, '#1b2150'],
    [1, '#080c26'],
  ] as const;
  const lamp = (i: number): string => {
    const x = 90 + i * 124;
    return times(12, (k) =>
      ellipse(x + dice.normal() * 5, 8 + k * 13, 15 - k * 0.7, 2.2, '#ffcf7a', `opacity="${0.65 - k * 0.05}"`),
    );
  };
  const swell = (): string =>
    ellipse(dice.next() * 1760, dice.next() * 320, 20 + dice.next() * 40, 1.8, '#6f7ac0', 'opacity="0.28"');
  return `<defs>${linear('w', stops)}</defs>${rect(0, 0, 1760, 320, 'url(#w)')}${times(180, swell)}${times(13, lamp)}`;
}

function promenade(): string {
  const dice = random(43);
  let town = '';
  for (let x = -20; x < 1620;) {
    const [w, h] = [44 + dice.next() * 60, 30 + dice.next() * 90];
    town +=
      rect(x, SHORE - h, w, h + 8, '#0d1130') +
      (dice.next() < 0.5 ? path(`M${x - 3} ${SHORE - h + 1} l${w / 2 + 3} -24 l${w / 2 + 3} 24 z`, '#0d1130') : '');
    town += times(5, () =>
      dice.next() < 0.7
        ? rect(
            x + 6 + dice.next() * (w - 16),
            SHORE - h + 8 + dice.next() * (h - 22),
            6,
            8,
            pick(dice, ['#ffcf7a', '#ffe6b0', '#ff9d5c']),
          )
        : '',
    );
    x += w + 2;
  }
  const crowd = times(60, (i) => {
    const [x, y] = [i * 28 - 20 + dice.next() * 14, 842 + dice.next() * 26];
    return (
      circle(x, y, 15, '#05071a') +
      rect(x - 21, y + 13, 42, 90, '#05071a', 'rx="16"') +
      (i % 6 === 0 ? rect(x + 13, y - 42, 9, 58, '#05071a', 'rx="4"') : '')
    );
  });
  const lamps = times(26, (i) => circle(10 + i * 62, SHORE - 3, 3.5, '#ffe2a0'));
  return town + lamps + crowd;
}

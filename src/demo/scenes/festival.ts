import type { Drawing } from '../canvas.js';
import type { Scene, Thing } from '../stage.js';
import {
  brush,
  circle,
  drawing,
  ellipse,
  flat,
  glow,
  linear,
  path,
  radial,
  rect,
  ridge,
  stroke,
  times,
  wash,
  wide,
} from './svg.js';

/** The old town's market at noon: tall facades, bunting, striped awnings, people with baskets. */
export function market(): Scene {
  const coats = ['#2f6690', '#d1495b', '#edae49', '#66753b', '#7d4e8a', '#e4e4df'];
  const people = Object.fromEntries(coats.map((coat, i) => [`person${i}`, person(coat, i)]));
  return {
    flats: [flat(0.6, facades()), flat(0.8, bunting()), flat(1, stalls())],
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
  const dice = brush(21);
  const walls = ['#f2cf9b', '#e8a87c', '#f6e0b5', '#d98c74', '#c9d3b5', '#efd9c3', '#e3b06b', '#b9c7cf'];
  const shutters = ['#3f7d6e', '#3b5f85', '#8f4b3f', '#4f6b3c'];
  let houses = '';
  for (let x = -30, i = 0; x < 1640; i++) {
    const w = 150 + dice.upTo(70);
    const top = 70 + dice.upTo(120);
    const shutter = dice.pick(shutters);
    houses += rect(x, top, w, 640 - top, walls[i % walls.length] ?? '', '');
    houses += path(
      `M${x - 8} ${top + 4} L${x + w * 0.5} ${top - 70 - dice.upTo(40)} L${x + w + 8} ${top + 4} Z`,
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
          houses += times(6, (k) => circle(wx - 4 + k * 9, wy + 58, 6, dice.pick(['#e14b5a', '#f58fa8', '#f7c948'])));
        }
      }
    }
    x += w;
  }
  const sky = linear('s', '0 #6fb7e8, 1 #d8effa');
  const ground = linear('g', '0 #d9c3a2, 1 #b89a78');
  const cobble = (): string => {
    const y = 650 + dice.next() ** 1.3 * 250;
    const tone = dice.pick(['#c9b08d', '#a98d6d', '#dfccab']);
    return ellipse(dice.upTo(1600), y, 10 + (y - 640) * 0.09, 4 + (y - 640) * 0.03, tone, 'opacity="0.7"');
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
  const dice = brush(22);
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
      const [cx, fruit] = [x + 22 + k * 82, dice.pick(goods)];
      const heap = times(16, () =>
        circle(cx + 6 + dice.upTo(60), 684 + dice.upTo(20), 11, fruit, 'stroke="#00000030" stroke-width="2"'),
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
  return drawing(124, 300, body);
}

const HUB = { x: 800, y: 385, radius: 285 } as const;

/** The funfair after dusk: a wheel of lights, striped tents, a crowd in front. */
export function fair(): Scene {
  const bulbs = { gold: '#ffc857', pink: '#ff5d9e', cyan: '#4fe0ff' };
  const lights = Object.fromEntries(
    Object.entries(bulbs).map(([name, colour]) => [name, { ...glow(46, colour), isLight: true }]),
  );
  const cabins = Object.fromEntries(
    ['#ff6b6b', '#ffd93d', '#6bcbff', '#b388ff'].map((colour, i) => [`cabin${i}`, cabin(colour)]),
  );
  return {
    flats: [
      flat(0.35, dusk(), 800),
      flat(0.7, wheelFrame()),
      flat(0.85, tents()),
      wide(1.1, fairCrowd(51, '#1c0f38'), [-400, 1.5, 90]),
    ],
    sprites: { ...lights, ...cabins },
    thingsAt: (t) => [...wheel(t), ...garland(t)],
  };
}

function wheel(t: number): Thing[] {
  const turn = t * 0.32;
  const at = (angle: number, share: number) => ({
    x: HUB.x + Math.cos(angle) * HUB.radius * share,
    y: HUB.y + Math.sin(angle) * HUB.radius * share,
  });
  const things: Thing[] = [];
  for (let spoke = 0; spoke < 12; spoke++) {
    const angle = turn + (spoke * Math.PI) / 6;
    for (let k = 1; k <= 6; k++) {
      const isLit = (Math.floor(t * 5) + k + spoke) % 3 !== 0;
      things.push({ sprite: 'pink', ...at(angle, k / 7), size: 0.62, opacity: isLit ? 1 : 0.3, after: 1 });
    }
    for (let k = 0; k < 4; k++)
      things.push({ sprite: k % 2 ? 'cyan' : 'gold', ...at(angle + (k * Math.PI) / 24, 1), size: 0.8, after: 1 });
    const hang = at(angle, 1);
    things.push({ sprite: `cabin${spoke % 4}`, x: hang.x + 4 * Math.sin(t * 2 + spoke), y: hang.y + 34, after: 1 });
  }
  return [...things, { sprite: 'gold', x: HUB.x, y: HUB.y, size: 3, after: 1 }];
}

function garland(t: number): Thing[] {
  return Array.from({ length: 44 }, (_, i) => {
    const x = i * 38;
    const y = 560 + 48 * Math.sin((Math.PI * (x % 400)) / 400);
    return { sprite: 'gold', x, y, size: 0.75, opacity: 0.75 + 0.25 * Math.sin(t * 6 + i), after: 2 };
  });
}

function dusk(): string {
  const dice = brush(52);
  const stops = '0 #1d1147, 0.4 #5b2382, 0.75 #c2407f, 1 #ff8a6b';
  const haze = '0 #ff9ecb 0.55, 1 #ff9ecb 0';
  const star = (): string => circle(dice.upTo(1600), dice.upTo(360), 1 + dice.next(), '#ffe9ff', 'opacity="0.6"');
  return `<defs>${linear('s', stops)}${radial('h', haze)}</defs>${rect(0, 0, 1600, 800, 'url(#s)')}${times(90, star)}${ellipse(800, 560, 700, 330, 'url(#h)')}${path(ridge(dice, 690, 50, 900, 2), '#47205f')}`;
}

function wheelFrame(): string {
  const ring = (radius: number, width: number): string =>
    `<circle cx="${HUB.x}" cy="${HUB.y}" r="${radius}" fill="none" stroke="#f6d7ff" stroke-width="${width}" opacity="0.55"/>`;
  const legs =
    stroke(`M${HUB.x} ${HUB.y} L650 790`, '#3a1a55', 22) +
    stroke(`M${HUB.x} ${HUB.y} L950 790`, '#3a1a55', 22) +
    stroke('M690 690 H910', '#3a1a55', 12);
  return (
    legs +
    ring(HUB.radius, 7) +
    ring(HUB.radius * 0.93, 3) +
    ring(HUB.radius * 0.5, 3) +
    circle(HUB.x, HUB.y, 24, '#ffe2f4')
  );
}

function tents(): string {
  const tent = (x: number, w: number, top: number, colour: string): string => {
    const roof = times(8, (k) =>
      path(
        `M${x + w / 2} ${top} L${x + (k * w) / 8} ${top + 130} H${x + ((k + 1) * w) / 8} Z`,
        k % 2 ? '#fff1dc' : colour,
      ),
    );
    const wall = times(8, (k) =>
      rect(x + 14 + (k * (w - 28)) / 8, top + 130, (w - 28) / 8 + 0.5, 200, k % 2 ? '#f3d9c4' : colour),
    );
    const trim = times(10, (k) => circle(x + (w / 10) * (k + 0.5), top + 134, w / 20, k % 2 ? '#ffe3a8' : '#8c1f4b'));
    return (
      wall +
      rect(x + 14, top + 130, w - 28, 200, '#2a0f3d', 'opacity="0.35"') +
      roof +
      trim +
      rect(x + w / 2 - 34, top + 210, 68, 120, '#ffcf70') +
      stroke(`M${x + w / 2} ${top} v-34`, '#3a1a55', 5) +
      path(`M${x + w / 2} ${top - 34} l34 11 l-34 11 z`, '#ffd93d')
    );
  };
  const ground = linear('g', '0 #4a2160, 1 #231039');
  return `<defs>${ground}</defs>${rect(-10, 770, 1620, 140, 'url(#g)')}${tent(30, 380, 470, '#e63968')}${tent(430, 250, 560, '#2a9dbb')}${tent(960, 250, 560, '#f08a3c')}${tent(1200, 380, 460, '#8a3fd1')}`;
}

function fairCrowd(seed: number, colour: string): string {
  const dice = brush(seed);
  return times(52, (i) => {
    const [x, y, s] = [i * 34 + dice.upTo(18), 800 + dice.upTo(42), 0.85 + dice.upTo(0.4)];
    const balloon =
      i % 9 === 4
        ? stroke(`M${x + 18} ${y + 10} q10 -60 4 -110`, colour, 2) +
          ellipse(x + 22, y - 128, 24, 29, dice.pick(['#ff5d6c', '#ffd166', '#5ad1ff']))
        : '';
    return balloon + circle(x, y, 17 * s, colour) + rect(x - 24 * s, y + 15 * s, 48 * s, 130, colour, 'rx="18"');
  });
}

function cabin(colour: string): Drawing {
  return drawing(
    60,
    64,
    stroke('M30 2 V16', '#f6d7ff', 3) +
      path('M6 26 Q30 4 54 26 Z', '#fff1dc') +
      rect(8, 26, 44, 12, '#35204f') +
      path('M6 38 H54 Q52 62 30 62 Q8 62 6 38 Z', colour),
  );
}

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
    flats: [
      flat(0.4, nightSky(), 700),
      wide(0.6, nightWater(), [SHORE, 8, 22], 320, SHORE - 4),
      flat(0.75, promenade()),
    ],
    sprites: { ...sparks, ...flashes },
    thingsAt: (t) => [0, 1, 2, 3, 4].flatMap((back) => burst(Math.floor(t / EVERY) - back, t)),
  };
}

/** One rocket: it opens at `number` × `EVERY` seconds, spreads its rays, sinks and fades within `LIFE`. */
function burst(number: number, t: number): Thing[] {
  const age = t - number * EVERY;
  if (age < 0 || age > LIFE) return [];
  const dice = brush(4000 + number);
  const [x, y] = [260 + dice.upTo(1080), 120 + dice.upTo(230)];
  const [colour, heart] = [dice.below(6), dice.below(6)];
  const reach = 170 + dice.upTo(150);
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
  const dice = brush(41);
  const star = (): string => circle(dice.upTo(1600), dice.upTo(480), 0.8 + dice.upTo(1.5), '#dfe6ff', 'opacity="0.7"');
  return `${wash('0 #070b26, 0.55 #182355, 0.85 #3a3572, 1 #5a4684', 1600, 700)}${times(170, star)}${path(ridge(dice, 600, 60, 900, 1.4), '#1a1f47')}`;
}

function nightWater(): string {
  const dice = brush(42);
  const lamp = (i: number): string => {
    const x = 90 + i * 124;
    return times(12, (k) =>
      ellipse(x + dice.normal() * 5, 8 + k * 13, 15 - k * 0.7, 2.2, '#ffcf7a', `opacity="${0.65 - k * 0.05}"`),
    );
  };
  const swell = (): string =>
    ellipse(dice.upTo(1760), dice.upTo(320), 20 + dice.upTo(40), 1.8, '#6f7ac0', 'opacity="0.28"');
  return `${wash('0 #33356f, 0.3 #1b2150, 1 #080c26', 1760, 320)}${times(180, swell)}${times(13, lamp)}`;
}

function promenade(): string {
  const dice = brush(43);
  let town = '';
  for (let x = -20; x < 1620;) {
    const [w, h] = [44 + dice.upTo(60), 30 + dice.upTo(90)];
    town +=
      rect(x, SHORE - h, w, h + 8, '#0d1130') +
      (dice.next() < 0.5 ? path(`M${x - 3} ${SHORE - h + 1} l${w / 2 + 3} -24 l${w / 2 + 3} 24 z`, '#0d1130') : '');
    town += times(5, () =>
      dice.next() < 0.7
        ? rect(
            x + 6 + dice.upTo(w - 16),
            SHORE - h + 8 + dice.upTo(h - 22),
            6,
            8,
            dice.pick(['#ffcf7a', '#ffe6b0', '#ff9d5c']),
          )
        : '',
    );
    x += w + 2;
  }
  const crowd = times(60, (i) => {
    const [x, y] = [i * 28 - 20 + dice.upTo(14), 842 + dice.upTo(26)];
    return (
      circle(x, y, 15, '#05071a') +
      rect(x - 21, y + 13, 42, 90, '#05071a', 'rx="16"') +
      (i % 6 === 0 ? rect(x + 13, y - 42, 9, 58, '#05071a', 'rx="4"') : '')
    );
  });
  const lamps = times(26, (i) => circle(10 + i * 62, SHORE - 3, 3.5, '#ffe2a0'));
  return town + lamps + crowd;
}

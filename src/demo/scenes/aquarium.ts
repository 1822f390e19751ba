import { random } from '../../base/index.js';
import type { Drawing } from '../layer.js';
import type { Scene } from '../stage.js';
import { circle, ellipse, linear, path, pick, rect, ridge, stroke, times } from './svg.js';

/** The town aquarium: light shafts, corals, fish going both ways. */
export function aquarium(): Scene {
  const skins = [['#ff9f1c', '#ffffff'], ['#ffd23f', '#1f3c88'], ['#ef476f', '#ffd6e0'], ['#4cc9f0', '#f1faee']] as const; // prettier-ignore
  const fishes = skins.flatMap(([body, band], i) => [[`right${i}`, fish(body, band, false)], [`left${i}`, fish(body, band, true)]] as const); // prettier-ignore
  return {
    name: 'aquarium',
    flats: [
      { width: 1600, height: 900, depth: 0.4, body: deep() },
      {
        width: 1760,
        height: 900,
        left: -80,
        depth: 0.9,
        body: reef(),
        ripple: { from: -300, amount: 3.5, length: 60 },
      },
    ],
    sprites: {
      ...Object.fromEntries(fishes),
      bubble: {
        width: 30,
        height: 30,
        body:
          circle(15, 15, 12, '#d9f6ff', 'opacity="0.35" stroke="#ffffff" stroke-width="2"') +
          circle(11, 11, 3, '#ffffff'),
      },
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
      ...Array.from({ length: 16 }, (_, i) => ({
        sprite: 'bubble',
        x: 250 + ((i * 97) % 4) * 330 + 16 * Math.sin(t * 3 + i),
        y: 900 - ((i * 211 + t * 130) % 950),
        size: 0.5 + (i % 3) * 0.4,
        opacity: 0.8,
        after: 1,
      })),
    ],
  };
}

function deep(): string {
  const stops = [
    [0, '#3fd0e8'],
    [0.35, '#1287c4'],
    [1, '#072a66'],
  ] as const;
  const shaft = (i: number): string =>
    path(`M${120 + i * 250} -10 h90 l${140 - i * 30} 920 h-240 z`, '#c9fbff', `opacity="${0.1 + (i % 3) * 0.05}"`);
  return `<defs>${linear('s', stops)}</defs>${rect(0, 0, 1600, 900, 'url(#s)')}${times(6, shaft)}${path(ridge(random(111), 760, 80, 900, 2), '#0b3f7d', 'opacity="0.7"')}`;
}

function reef(): string {
  const dice = random(112);
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
      branch(90 + i * 230, 880, 74 + dice.next() * 34, -1.57),
      ['#ff6b8b', '#ff9f43', '#c56cf0', '#f7d794', '#ff7675', '#e77f67', '#cf6a87', '#f3a683'][i % 8] ?? '',
      11,
    );
  const weed = (i: number): string =>
    stroke(
      `M${i * 92 + 40} 910 q-30 -70 6 -130 t${dice.normal() * 20} -110`,
      pick(dice, ['#1fa56b', '#2bc27f', '#117a56']),
      13,
    );
  return (
    times(19, weed) +
    times(8, coral) +
    path(ridge(dice, 868, 26, 930, 2.4, 1760), '#e9cf9a') +
    times(60, () => ellipse(dice.next() * 1760, 884 + dice.next() * 16, 8, 4, '#c9a96e', 'opacity="0.6"'))
  );
}

function fish(body: string, band: string, isLeft: boolean): Drawing {
  const shape =
    path('M20 60 L0 26 Q26 40 44 52 Q90 4 150 40 Q182 56 188 62 Q180 70 150 84 Q90 116 44 70 Q26 84 0 98 Z', body) +
    path('M92 24 Q110 60 92 98 L112 96 Q130 60 112 24 Z', band) +
    path('M84 24 Q108 0 134 28 Z', body) +
    circle(156, 54, 9, '#ffffff') +
    circle(159, 54, 5, '#10131f');
  return { width: 190, height: 122, body: isLeft ? `<g transform="translate(190 0) scale(-1 1)">${shape}</g>` : shape };
}

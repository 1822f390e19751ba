import { random } from '../../base/index.js';
import type { Scene } from '../stage.js';
import { circle, ellipse, linear, path, pick, radial, rect, stroke, times } from './svg.js';

/** The camera forgot to stop: grey paving slabs while walking. */
export function pavement(): Scene {
  const dice = random(131);
  const slab = (i: number): string => {
    const row = Math.floor(i / 12);
    const tone = pick(dice, ['#8b8d8e', '#939596', '#838587', '#8f9090']);
    return rect((i % 12) * 145 - (row % 2) * 72, row * 92, 141, 88, tone);
  };
  const speck = (): string =>
    circle(
      dice.next() * 1600,
      dice.next() * 900,
      1 + dice.next() * 2,
      pick(dice, ['#6f7173', '#a3a5a6']),
      'opacity="0.7"',
    );
  const body =
    rect(0, 0, 1600, 900, '#6d6f71') +
    times(132, slab) +
    times(700, speck) +
    ellipse(1000, 300, 14, 9, '#5b5d5f') +
    stroke('M300 560 l60 30 l20 50', '#5e6062', 4);
  return { name: 'pavement', flats: [{ width: 1600, height: 900, depth: 1, body }], sprites: {}, thingsAt: () => [] };
}

/** A plaster wall, far too close. */
export function wall(): Scene {
  const dice = random(132);
  const stain = (): string =>
    ellipse(
      dice.next() * 1600,
      dice.next() * 900,
      40 + dice.next() * 160,
      20 + dice.next() * 60,
      pick(dice, ['#c9bca6', '#d6cab5', '#bfb199']),
      'opacity="0.35"',
    );
  const body = `<defs>${linear(
    'w',
    [
      [0, '#d8ccb8'],
      [1, '#b8aa94'],
    ],
    true,
  )}</defs>${rect(0, 0, 1600, 900, 'url(#w)')}${times(60, stain)}${path('M980 -10 L1010 200 L990 420 L1040 640 L1020 910 L1026 910 L1048 640 L998 420 L1018 200 L988 -10 Z', '#978a76')}`;
  return { name: 'wall', flats: [{ width: 1600, height: 900, depth: 1, body }], sprites: {}, thingsAt: () => [] };
}

/** A finger over the lens: warm dark blur. */
export function finger(): Scene {
  const stops = [
    [0, '#6b2a1c', 1],
    [0.55, '#4a1a14', 0.95],
    [1, '#1c0b0a', 0],
  ] as const;
  const body = `<defs>${radial('f', stops)}${linear('b', [
    [0, '#2b1512'],
    [1, '#120909'],
  ])}</defs>${rect(0, 0, 1600, 900, 'url(#b)')}${ellipse(700, 520, 800, 620, 'url(#f)')}${ellipse(1250, 160, 330, 240, '#7a4a38', 'opacity="0.35"')}`;
  return { name: 'finger', flats: [{ width: 1600, height: 900, depth: 1, body }], sprites: {}, thingsAt: () => [] };
}

import type { Scene } from '../stage.js';
import { harbour, lighthouse } from './coast.js';
import { balloons, beach, tulips, viaduct } from './countryside.js';
import { fair, fireworks, market } from './festival.js';
import { aquarium, kitchen, rainyWindow } from './indoors.js';
import { brush, circle, ellipse, flat, linear, path, radial, rect, stroke, times } from './svg.js';

/** All scenes, each drawn when first used. */
export const scenes = {
  harbour,
  market,
  lighthouse,
  fireworks,
  fair,
  viaduct,
  tulips,
  kitchen,
  'rainy-window': rainyWindow,
  balloons,
  aquarium,
  beach,
  pavement,
  wall,
  finger,
} satisfies Record<string, () => Scene>;

/** A scene that can be drawn. */
export type SceneName = keyof typeof scenes;

/** Scenes filmed by mistake (fillers). */
export const fillers: readonly SceneName[] = ['pavement', 'wall', 'finger'];

/** The camera forgot to stop: grey paving slabs while walking. */
function pavement(): Scene {
  const dice = brush(131);
  const slab = (i: number): string => {
    const row = Math.floor(i / 12);
    const tone = dice.pick(['#8b8d8e', '#939596', '#838587', '#8f9090']);
    return rect((i % 12) * 145 - (row % 2) * 72, row * 92, 141, 88, tone);
  };
  const speck = (): string =>
    circle(dice.upTo(1600), dice.upTo(900), 1 + dice.upTo(2), dice.pick(['#6f7173', '#a3a5a6']), 'opacity="0.7"');
  const body =
    rect(0, 0, 1600, 900, '#6d6f71') +
    times(132, slab) +
    times(700, speck) +
    ellipse(1000, 300, 14, 9, '#5b5d5f') +
    stroke('M300 560 l60 30 l20 50', '#5e6062', 4);
  return { flats: [flat(1, body)], sprites: {}, thingsAt: () => [] };
}

/** A plaster wall, far too close. */
function wall(): Scene {
  const dice = brush(132);
  const stain = (): string =>
    ellipse(
      dice.upTo(1600),
      dice.upTo(900),
      40 + dice.upTo(160),
      20 + dice.upTo(60),
      dice.pick(['#c9bca6', '#d6cab5', '#bfb199']),
      'opacity="0.35"',
    );
  const body = `<defs>${linear(
    'w',
    '0 #d8ccb8, 1 #b8aa94',
    true,
  )}</defs>${rect(0, 0, 1600, 900, 'url(#w)')}${times(60, stain)}${path('M980 -10 L1010 200 L990 420 L1040 640 L1020 910 L1026 910 L1048 640 L998 420 L1018 200 L988 -10 Z', '#978a76')}`;
  return { flats: [flat(1, body)], sprites: {}, thingsAt: () => [] };
}

/** A finger over the lens: warm dark blur. */
function finger(): Scene {
  const stops = '0 #6b2a1c 1, 0.55 #4a1a14 0.95, 1 #1c0b0a 0';
  const body = `<defs>${radial('f', stops)}${linear('b', '0 #2b1512, 1 #120909')}</defs>${rect(0, 0, 1600, 900, 'url(#b)')}${ellipse(700, 520, 800, 620, 'url(#f)')}${ellipse(1250, 160, 330, 240, '#7a4a38', 'opacity="0.35"')}`;
  return { flats: [flat(1, body)], sprites: {}, thingsAt: () => [] };
}

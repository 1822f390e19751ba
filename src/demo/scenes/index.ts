import type { Scene } from '../stage.js';
import { aquarium } from './aquarium.js';
import { tulips, viaduct } from './countryside.js';
import { fair } from './fair.js';
import { fireworks } from './fireworks.js';
import { harbour } from './harbour.js';
import { kitchen } from './kitchen.js';
import { lighthouse } from './lighthouse.js';
import { market } from './market.js';
import { finger, pavement, wall } from './mistakes.js';
import { balloons, beach } from './outings.js';
import { rainyWindow } from './rainy-window.js';

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

import type { Scene } from '../stage.js';
import { viaduct, tulips } from './countryside.js';
import { fair } from './fair.js';
import { fireworks } from './fireworks.js';
import { harbour } from './harbour.js';
import { kitchen, rainyWindow } from './indoors.js';
import { lighthouse } from './lighthouse.js';
import { market } from './market.js';
import { finger, pavement, wall } from './mistakes.js';
import { aquarium, balloons, beach } from './outings.js';

/** Every place that can be filmed, drawn when first asked for. */
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

export type SceneName = keyof typeof scenes;

/** Places nobody meant to film. */
export const fillers: readonly SceneName[] = ['pavement', 'wall', 'finger'];

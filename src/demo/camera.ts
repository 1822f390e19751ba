import { random } from '../base/index.js';
import { type Aim, STAGE } from './stage.js';

/** A hand-held camera: where it starts, where it ends, and how much the hand shakes, in units. */
export type Move = { readonly from: Aim; readonly to: Aim; readonly shake: number };

/** Keeps the edges of the picture inside the painted stage; in units. */
const MARGIN = 6;

/** The camera's aim at `share` in [0, 1] of the shot, `seconds` after its start, for a picture of this shape. */
export function aimAt(move: Move, share: number, seconds: number, widthByHeight: number, seed: number): Aim {
  const eased = share * share * (3 - 2 * share);
  const mix = (from: number, to: number): number => from + (to - from) * eased;
  const dice = random(seed);
  // Hand-held shake: sums of slow sines with incommensurable periods.
  const tremor = (): number =>
    [0.9, 1.7, 3.1].reduce(
      (sum, hz, i) => sum + Math.sin(6.283 * (hz * seconds * (0.8 + 0.4 * dice.next()) + dice.next())) / (i + 1),
      0,
    );
  const height = Math.min(mix(move.from.height, move.to.height), STAGE.height - 2 * MARGIN);
  const width = Math.min(height * widthByHeight, STAGE.width - 2 * MARGIN);
  const x = mix(move.from.x, move.to.x) + move.shake * tremor();
  const y = mix(move.from.y, move.to.y) + move.shake * 0.7 * tremor();
  return {
    x: clamp(x, width / 2 + MARGIN, STAGE.width - width / 2 - MARGIN),
    y: clamp(y, height / 2 + MARGIN, STAGE.height - height / 2 - MARGIN),
    height: width / widthByHeight,
  };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

import { random } from '../base/index.js';
import { type Canvas, type Drawing, type Layer, rasterize } from './canvas.js';

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

/** Size of a scene in units; cameras show a part of it. */
const STAGE = { width: 1600, height: 900 } as const;

/** A static layer of a scene. */
export type Flat = Drawing & {
  /** 1 moves with the camera's aim, less is farther away, more is nearer. */
  readonly depth: number;
  readonly left?: number;
  readonly top?: number;
  /** Sideways waves that grow from `from` downwards, in units. */
  readonly ripple?: { readonly from: number; readonly amount: number; readonly length: number };
};

/** A moving thing: a sprite with its centre at (x, y), in front of flat number `after`. */
export type Thing = {
  readonly sprite: string;
  readonly x: number;
  readonly y: number;
  readonly after: number;
  readonly size?: number;
  readonly opacity?: number;
};

/** A scene that can be filmed. `thingsAt` is a function of the scene's own clock, in seconds. */
export type Scene = {
  readonly flats: readonly Flat[];
  readonly sprites: Readonly<Record<string, Drawing>>;
  thingsAt(seconds: number): readonly Thing[];
};

/** A scene made ready for painting. */
export type Set = {
  readonly scene: Scene;
  readonly flats: readonly Layer[];
  readonly sprites: ReadonlyMap<string, { readonly layer: Layer; readonly drawing: Drawing }>;
};

/** Where a camera points: the middle of the picture, and its height in units. */
export type Aim = { readonly x: number; readonly y: number; readonly height: number };

/** Rasterises everything a scene needs, once for all frames. */
export async function buildSet(scene: Scene, pxPerUnit: number): Promise<Set> {
  const flats = await Promise.all(scene.flats.map((flat) => rasterize(flat, pxPerUnit)));
  const sprites = await Promise.all(
    Object.entries(scene.sprites).map(
      async ([name, drawing]) => [name, { layer: await rasterize(drawing, pxPerUnit), drawing }] as const,
    ),
  );
  return { scene, flats, sprites: new Map(sprites) };
}

/** Paints the scene at `seconds` of its clock, seen by a camera with this aim. */
export function paintScene(canvas: Canvas, set: Set, aim: Aim, seconds: number): void {
  const things = set.scene.thingsAt(seconds);
  const unitsPerPx = aim.height / canvas.heightPx;
  set.scene.flats.forEach((flat, index) => {
    const layer = set.flats[index];
    if (!layer) return;
    const view = viewOf(aim, flat.depth, unitsPerPx, canvas);
    const { ripple } = flat;
    const shiftOf = ripple ? (y: number) => rippleAt(y, seconds, ripple) : undefined;
    const place = { left: flat.left ?? 0, top: flat.top ?? 0, size: 1, opacity: 1 };
    canvas.paint(layer, view, shiftOf ? { ...place, shiftOf } : place);
    for (const thing of things) {
      const sprite = thing.after === index ? set.sprites.get(thing.sprite) : undefined;
      if (!sprite) continue;
      const { size = 1, opacity = 1 } = thing;
      const left = thing.x - (sprite.drawing.width * size) / 2;
      const top = thing.y - (sprite.drawing.height * size) / 2;
      canvas.paint(sprite.layer, view, { left, top, size, opacity });
    }
  });
}

function viewOf(
  aim: Aim,
  depth: number,
  unitsPerPx: number,
  canvas: Canvas,
): { left: number; top: number; unitsPerPx: number } {
  // Less parallax upwards than sideways: horizons painted on different flats must stay together.
  const x = STAGE.width / 2 + (aim.x - STAGE.width / 2) * depth;
  const y = STAGE.height / 2 + (aim.y - STAGE.height / 2) * (0.7 + 0.3 * depth);
  return { left: x - (canvas.widthPx * unitsPerPx) / 2, top: y - (canvas.heightPx * unitsPerPx) / 2, unitsPerPx };
}

function rippleAt(y: number, seconds: number, ripple: NonNullable<Flat['ripple']>): number {
  const below = y - ripple.from;
  if (below <= 0) return 0;
  const growth = Math.min(1, below / 250);
  const wave = Math.sin(y / (ripple.length * (0.3 + growth)) - seconds * 2.3) + 0.5 * Math.sin(y / 7.3 + seconds * 1.7);
  return ripple.amount * (0.25 + growth) * wave;
}

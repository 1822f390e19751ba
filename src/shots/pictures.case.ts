import { random, type Random } from '../base/index.js';

/** The size of the pictures the tests draw. */
export const SIZE = { widthPx: 64, heightPx: 36 };

const BYTES = SIZE.widthPx * SIZE.heightPx * 3;

/** A picture of broad waves in colours of its own: `shiftPx` pans it, `light` brightens it. */
export function scene(seed: number, { shiftPx = 0, light = 0 } = {}): Uint8Array {
  const source = random(seed);
  const base = [0, 1, 2].map(() => 40 + source.next() * 160);
  const waves = [0, 1, 2].map(() => ({
    across: 0.05 + source.next() * 0.15,
    down: 0.05 + source.next() * 0.25,
    phase: source.next() * 6,
    height: 20 + source.next() * 30,
  }));
  const picture = new Uint8Array(BYTES);
  let at = 0;
  for (let y = 0; y < SIZE.heightPx; y++) {
    for (let x = 0; x < SIZE.widthPx; x++) {
      waves.forEach(({ across, down, phase, height }, channel) => {
        const wave = height * Math.sin((x + shiftPx) * across + y * down + phase);
        picture[at++] = Math.max(0, Math.min(255, Math.round((base[channel] as number) + wave + light)));
      });
    }
  }
  return picture;
}

/** Enough normal numbers for many grains: each picture takes a stretch that begins at a place of its own. */
const GRAIN = (() => {
  const source = random(77);
  return Float32Array.from({ length: 8 * BYTES }, () => source.normal());
})();

/** The picture with grain of the given spread in grey levels. */
export function grainy(picture: Uint8Array, spread: number, source: Random): Uint8Array {
  const offset = source.below(7 * BYTES);
  return picture.map((value, i) =>
    Math.max(0, Math.min(255, Math.round(value + spread * (GRAIN[offset + i] as number)))),
  );
}

/** One picture of all the same grey. */
export function grey(level: number): Uint8Array {
  return new Uint8Array(BYTES).fill(level);
}

/** A film of scenes one after the other, with grain: `lengths` in frames. */
export function film(lengths: readonly number[], { seed = 1, spread = 4, panPx = 0.2 } = {}): Uint8Array[] {
  const source = random(seed);
  return lengths.flatMap((length, i) =>
    Array.from({ length }, (_, t) => grainy(scene(seed * 1000 + i, { shiftPx: panPx * t }), spread, source)),
  );
}

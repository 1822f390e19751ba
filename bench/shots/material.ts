/**
 * Sequences with known cuts, joined from drawn scenes and from stretches of real takes: the same joins for both.
 * Pictures are 128 × 72 in RGB; times are in seconds.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';

import { random, type Random } from '../../src/base/index.js';

export const WIDTH = 128;
export const HEIGHT = 72;
const BYTES = WIDTH * HEIGHT * 3;

/** A cut at frame `from` = `to`, or a transition: the first frame that shows something new, the first that is all new. */
type Label = { readonly from: number; readonly to: number };

/** Constants were chosen on the tuning half, on other takes and other seeds. */
export type Half = 'tuning' | 'held back';

export type Sequence = {
  readonly kind: string;
  readonly isGradual: boolean;
  readonly isReal: boolean;
  readonly name: string;
  readonly times: readonly number[];
  readonly endSeconds: number;
  readonly labels: readonly Label[];
  picture(frame: number): Uint8Array;
};

/** A take: the picture at a time in seconds from its begin. */
type Source = { readonly seconds: number; at(seconds: number): Uint8Array };

/** Takes of real footage: the file, its rate, and the frames between two cuts, found by eye. */
const TAKES: readonly [string, number, number, number][] = [
  ['surfing/01_big_waves.mp4', 29.97, 10, 470],
  ['surfing/03_shorebreak.mp4', 30, 0, 594],
  ['surfing/06_barrel.mp4', 25, 0, 250],
  ['surfing/08_flowrider_indoor.mp4', 15, 0, 186],
  ['traffic/01_intersection_timelapse.mp4', 9.8, 0, 734],
  ['traffic/06_bangkok_junction.mp4', 29.97, 0, 835],
  ['traffic/12_delhi_road.mp4', 29.97, 0, 734],
  ['surfing/02_under_over_wave.mp4', 59.94, 320, 900],
  ['surfing/05_misty_portrait.mp4', 29.97, 0, 523],
  ['surfing/07_aerial_single_surfer.mp4', 30, 0, 420],
  ['surfing/09_river_wave.mp4', 29.97, 5, 286],
  ['surfing/11_grey_day.mp4', 59.94, 0, 268],
  ['traffic/05_crosswalk_intersection.mp4', 30, 0, 909],
  ['traffic/08_curved_motorway.avi', 25, 0, 748],
  ['traffic/13_highway_curve.mp4', 29.97, 0, 660],
  ['traffic/14_drone_roundabout.mp4', 23.976, 0, 480],
];
const TUNING_TAKES = 7;

/** Real takes of one half, in memory; none if the footage is not there. */
export async function realTakes(ffmpeg: string, folder: string, half: Half): Promise<Source[]> {
  const chosen = half === 'tuning' ? TAKES.slice(0, TUNING_TAKES) : TAKES.slice(TUNING_TAKES);
  const takes: Source[] = [];
  for (const [file, rate, from, to] of chosen) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    const filter = `trim=start_frame=${from}:end_frame=${to},scale=${WIDTH}:${HEIGHT}:flags=area`;
    const args = ['-v', 'error', '-i', path, '-map', '0:v:0', '-vf', filter, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-']; // prettier-ignore
    const chunks: Buffer[] = [];
    const { stdout } = spawn(ffmpeg, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const chunk of stdout) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const frames = Math.floor(bytes.length / BYTES);
    takes.push({
      seconds: frames / rate,
      at: (seconds) => {
        const frame = Math.min(frames - 1, Math.floor(seconds * rate + 1e-6));
        return bytes.subarray(frame * BYTES, (frame + 1) * BYTES);
      },
    });
  }
  return takes;
}

/** A stretch of a take, from a random place. */
function stretchOf({ seconds, at }: Source, wanted: number, source: Random): Source {
  const from = source.next() * Math.max(0, seconds - wanted);
  return { seconds: wanted, at: (t) => at(from + t) };
}

/** How a drawn take looks and moves. */
type Look = { readonly panPx: number; readonly shakePx: number; readonly things: number; readonly grain: number };
const LOOKS: readonly Look[] = [
  { panPx: 0, shakePx: 0, things: 0, grain: 3 },
  { panPx: 0, shakePx: 0, things: 4, grain: 4 },
  { panPx: 14, shakePx: 0, things: 2, grain: 3 },
  { panPx: 4, shakePx: 2, things: 3, grain: 6 },
];
const TEXTURE = { width: 320, height: 180 };
const NOISE = (() => {
  const source = random(5);
  return Int8Array.from({ length: 1 << 17 }, () => Math.max(-127, Math.min(127, Math.round(32 * source.normal()))));
})();

/** A drawn take: a texture of several scales under a camera that pans and shakes, with things that move before it. */
function drawnTake(seed: number, look = LOOKS[seed % LOOKS.length] as Look): Source {
  const source = random(seed);
  const isGrey = source.next() < 0.15;
  const [light, gain] = [50 + 140 * source.next(), source.next() < 0.2 ? 0.35 : 1];
  const texture = textureOf(source, light, gain, isGrey);
  const things = Array.from({ length: look.things }, () => ({
    x: source.next(), y: source.next(), speed: (source.next() - 0.5) * 0.6, radius: 4 + 9 * source.next(),
    colour: [0, 1, 2].map(() => (isGrey ? light : 255 * source.next())),
  })); // prettier-ignore
  const [phase, direction] = [source.next() * 9, source.next() < 0.5 ? -1 : 1];
  return {
    seconds: Infinity,
    at(t) {
      const shake = (k: number): number => look.shakePx * (Math.sin(t * (9 + k) + phase) + Math.sin(t * (23 - k) + k));
      const reach = TEXTURE.width - WIDTH - 8;
      const travelled = look.panPx * t + phase * 10;
      const swing = reach - Math.abs((travelled % (2 * reach)) - reach);
      const left = Math.max(0, Math.min(TEXTURE.width - WIDTH, Math.round(direction > 0 ? swing : reach - swing) + Math.round(shake(1)) + 4)); // prettier-ignore
      const top = Math.max(0, Math.min(TEXTURE.height - HEIGHT, Math.round(50 + shake(2))));
      const picture = new Uint8Array(BYTES);
      const noiseAt = Math.floor((t * 7919 * 31) % 65_000) + (seed % 997);
      for (let y = 0, at = 0; y < HEIGHT; y++) {
        let from = ((top + y) * TEXTURE.width + left) * 3;
        for (let x = 0; x < WIDTH * 3; x++, at++) {
          const value = (texture[from++] as number) + (look.grain * (NOISE[(noiseAt + at) & 0x1ffff] as number)) / 32;
          picture[at] = value < 0 ? 0 : value > 255 ? 255 : value;
        }
      }
      for (const { x, y, speed, radius, colour } of things) {
        const [cx, cy] = [(((x + speed * t) % 1) + 1) % 1 * WIDTH, y * HEIGHT]; // prettier-ignore
        for (let py = Math.max(0, Math.ceil(cy - radius)); py < Math.min(HEIGHT, cy + radius); py++)
          for (let px = Math.max(0, Math.ceil(cx - radius)); px < Math.min(WIDTH, cx + radius); px++)
            if ((px - cx) ** 2 + (py - cy) ** 2 < radius ** 2) picture.set(colour, (py * WIDTH + px) * 3);
      }
      return picture;
    },
  };
}

function textureOf(source: Random, light: number, gain: number, isGrey: boolean): Uint8Array {
  const texture = new Float32Array(TEXTURE.width * TEXTURE.height * 3).fill(light);
  for (const [step, height] of [[90, 70], [36, 45], [12, 25]] as const) {
    const [cols, rows] = [Math.ceil(TEXTURE.width / step) + 2, Math.ceil(TEXTURE.height / step) + 2];
    const knots = Float32Array.from({ length: cols * rows * 3 }, () => gain * height * (source.next() - 0.5) * 2);
    if (isGrey) for (let i = 0; i < knots.length; i++) knots[i] = knots[i - (i % 3)] as number;
    for (let y = 0, at = 0; y < TEXTURE.height; y++) {
      const [row, down] = [Math.floor(y / step), (y % step) / step];
      for (let x = 0; x < TEXTURE.width; x++) {
        const [col, right] = [Math.floor(x / step), (x % step) / step];
        const knot = (row * cols + col) * 3;
        for (let k = knot; k < knot + 3; k++, at++) {
          const [a, b] = [knots[k] as number, knots[k + 3] as number];
          const [c, d] = [knots[k + cols * 3] as number, knots[k + cols * 3 + 3] as number];
          (texture[at] as number) += (a + (b - a) * right) * (1 - down) + (c + (d - c) * right) * down;
        }
      }
    }
  } // prettier-ignore
  return Uint8Array.from(texture, (value) => Math.max(0, Math.min(255, value)));
}

/** A join between takes: seconds it lasts, and the picture at share p of it, from the pictures of both. */
type Join = { readonly seconds: number; mix(a: Uint8Array, b: Uint8Array, p: number, step: number): Uint8Array };

const cut: Join = { seconds: 0, mix: (_, b) => b };
function blend(a: Uint8Array, b: Uint8Array, p: number): Uint8Array {
  const picture = new Uint8Array(BYTES);
  for (let i = 0; i < BYTES; i++) picture[i] = (a[i] as number) + p * ((b[i] as number) - (a[i] as number));
  return picture;
}
const dissolve = (seconds: number): Join => ({ seconds, mix: blend });
const plain = (level: number): Uint8Array => new Uint8Array(BYTES).fill(level);
/** Out to a plain level, a moment of it, and in again. */
const fade = (seconds: number, level: number, hold = 0.2): Join => {
  const through = plain(level);
  const edge = (1 - hold) / 2;
  return {
    seconds,
    mix: (a, b, p) => (p < edge ? blend(a, through, p / edge) : p > 1 - edge ? blend(through, b, (p - 1 + edge) / edge) : through),
  }; // prettier-ignore
};
/** The camera swings from one view to the other, smeared by its speed. */
const whip = (seconds: number): Join => ({
  seconds,
  mix(a, b, p, step) {
    const picture = new Uint8Array(BYTES);
    const [from, to] = [ease(p) * WIDTH, ease(Math.min(1, p + step)) * WIDTH];
    const smear = Math.max(1, Math.round((to - from) / 2));
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++)
        for (let k = 0; k < 3; k++) {
          let sum = 0;
          for (let s = 0; s < smear; s++) {
            const at = Math.min(2 * WIDTH - 1, Math.round(x + from + 2 * s));
            sum += (at < WIDTH ? a[(y * WIDTH + at) * 3 + k] : b[(y * WIDTH + at - WIDTH) * 3 + k]) as number;
          }
          picture[(y * WIDTH + x) * 3 + k] = sum / smear;
        }
    return picture;
  },
});
const ease = (p: number): number => p * p * (3 - 2 * p);

/** What happens inside takes without being a cut: the picture at a time in the take, and the seconds left of it. */
type Event = (picture: Uint8Array, seconds: number, left: number) => Uint8Array;
const lit = (picture: Uint8Array, light: number): Uint8Array => picture.map((value) => Math.min(255, value + light));
/** One plain frame or a few, at half a second and then every 1.3 seconds. */
const flashes =
  (length: number, level: number): Event =>
  (picture, t, left) =>
    t > 0.45 && left > 0.3 && (t - 0.5 + 1.3) % 1.3 < length ? plain(level) : picture;
/** The light of a photographer's flash, which decays. */
const cameraFlashes: Event = (picture, t, left) => {
  const since = (t - 0.4 + 0.9) % 0.9;
  return t > 0.4 && since < 0.4 && left + since > 0.6 ? lit(picture, 190 * Math.exp(-since / 0.08)) : picture;
};
const strobe = (perSecond: number, level: number): Event => (picture, t) =>
  t > 0.3 && (t * perSecond) % 1 < 0.5 ? plain(level) : picture; // prettier-ignore
const none: Event = (picture) => picture;

type Recipe = { kind: string; rate: number; lengths: readonly number[]; joins: readonly Join[]; event?: Event; isUneven?: boolean }; // prettier-ignore

function recipes(): Recipe[] {
  const even = [2.1, 1.4, 3.2, 1.7, 2.6];
  const fast = [0.9, 0.3, 0.24, 0.4, 0.22, 0.5, 0.36, 0.28, 1.1];
  const some = (list: readonly Join[]): readonly Join[] => list;
  const hard: Recipe[] = [
    ...[12, 23.976, 25, 30, 59.94].map((rate) => ({ kind: 'cuts', rate, lengths: even, joins: [cut] })),
    ...[120, 187].map((rate) => ({ kind: 'cuts', rate, lengths: [1.2, 0.7, 1.5, 1.1], joins: [cut] })),
    ...[25, 30, 60].map((rate) => ({ kind: 'fast cutting', rate, lengths: fast, joins: [cut] })),
    { kind: 'variable rate', rate: 30, lengths: even, joins: [cut], isUneven: true },
    { kind: 'flashes', rate: 25, lengths: even, joins: [cut], event: flashes(0.12, 255) },
    { kind: 'flashes', rate: 60, lengths: even, joins: [cut], event: flashes(0.05, 250) },
    { kind: 'flashes', rate: 187, lengths: [1.5, 1.2, 1.4], joins: [cut], event: flashes(0.08, 0) },
    { kind: 'camera flashes', rate: 25, lengths: even, joins: [cut], event: cameraFlashes },
    { kind: 'camera flashes', rate: 60, lengths: even, joins: [cut], event: cameraFlashes },
    { kind: 'strobe', rate: 25, lengths: even, joins: [cut], event: strobe(6, 255) },
    { kind: 'strobe', rate: 60, lengths: even, joins: [cut], event: strobe(9, 0) },
    { kind: 'long takes', rate: 25, lengths: [9, 7], joins: [cut] },
  ];
  const gradual: Recipe[] = [
    ...[0.2, 0.4, 0.8, 1.5, 2].map((seconds) => ({ kind: 'dissolves', rate: 25, lengths: [2.5, 2.5, 3, 2.5, 3], joins: [dissolve(seconds)] })),
    { kind: 'dissolves', rate: 60, lengths: [2.5, 2.5, 3, 2.5, 3], joins: some([dissolve(0.4), dissolve(1.5)]) },
    { kind: 'dissolves', rate: 12, lengths: even.map((s) => s + 1), joins: some([dissolve(0.5), dissolve(1)]) },
    { kind: 'dissolves', rate: 187, lengths: [1.7, 2.3], joins: [dissolve(0.6)] },
    ...[25, 59.94].map((rate) => ({ kind: 'fades', rate, lengths: [2.5, 2, 3, 2.4], joins: some([fade(0.8, 0), fade(1.6, 0), fade(1, 255)]) })),
    ...[25, 60].map((rate) => ({ kind: 'whip pans', rate, lengths: [1.5, 2, 1.6, 2.2], joins: some([whip(0.25), whip(0.4)]) })),
  ]; // prettier-ignore
  return [...hard, ...gradual];
}

/** The sequences of one half, from drawn takes, which the seed tells apart, and from real ones. */
export function sequences(real: readonly Source[], seedFrom: number): Sequence[] {
  const all: Sequence[] = [];
  for (const [at, recipe] of recipes().entries()) {
    for (const isReal of real.length > 1 ? [false, true] : [false]) {
      const seed = seedFrom + at * 50 + (isReal ? 25 : 0);
      const source = random(seed);
      let last = -1;
      const takes = recipe.lengths.map((length, k) => {
        const wanted = length + 4;
        if (!isReal) return stretchOf({ ...drawnTake(seed + k), seconds: wanted + 5 }, wanted, source);
        let chosen = source.below(real.length);
        if (chosen === last) chosen = (chosen + 1) % real.length;
        last = chosen;
        return stretchOf(real[chosen] as Source, wanted, source);
      });
      all.push(assemble(recipe, takes, { isReal, seed }));
    }
  }
  return all;
}

function assemble(
  { kind, rate, lengths, joins, event = none, isUneven = false }: Recipe,
  takes: readonly Source[],
  { isReal, seed }: { isReal: boolean; seed: number },
): Sequence {
  const source = random(seed + 7);
  const begins = lengths.map((_, i) => lengths.slice(0, i).reduce((a, b) => a + b, 0));
  const total = lengths.reduce((a, b) => a + b, 0);
  const times: number[] = [];
  for (let t = 0; t < total;) {
    times.push(t);
    t += isUneven ? (1 + source.below(4)) / rate / 2 + (source.next() < 0.03 ? 0.3 : 0) : 0;
    if (!isUneven) t = times.length / rate;
  }
  const joinBefore = (i: number): Join => joins[(i - 1) % joins.length] as Join;
  // A join ends `seconds` after its take begins; the take before lasts until then.
  const pictureAt = (t: number): Uint8Array => {
    const i = begins.findLastIndex((begin) => begin <= t + 1e-9);
    const since = t - (begins[i] as number);
    const join = i > 0 ? joinBefore(i) : cut;
    const own = event((takes[i] as Source).at(since), since, (lengths[i] as number) - since);
    if (since >= join.seconds) return own;
    const before = takes[i - 1] as Source;
    return join.mix(before.at((lengths[i - 1] as number) + since), own, (since + 0.5 / rate) / join.seconds, 1 / rate / join.seconds); // prettier-ignore
  };
  const frameAt = (t: number): number => {
    const at = times.findIndex((time) => time >= t - 1e-9);
    return at < 0 ? times.length : at;
  };
  const labels = lengths.slice(1).map((_, k): Label => {
    const begin = begins[k + 1] as number;
    return { from: frameAt(begin), to: frameAt(begin + joinBefore(k + 1).seconds) };
  });
  return {
    kind,
    isGradual: joins[0] !== cut,
    isReal,
    name: `${kind}, ${isReal ? 'real' : 'drawn'}, ${rate} fps`,
    times,
    endSeconds: total,
    labels,
    picture: (frame) => pictureAt(times[frame] as number),
  };
}

/** The picture at half its size, as segmenters get it. */
export function halved(picture: Uint8Array): Uint8Array {
  const [width, height] = [WIDTH / 2, HEIGHT / 2];
  const small = new Uint8Array(width * height * 3);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let k = 0; k < 3; k++, at++) {
        const from = (2 * y * WIDTH + 2 * x) * 3 + k;
        const below = from + WIDTH * 3;
        small[at] = ((picture[from] as number) + (picture[from + 3] as number) + (picture[below] as number) + (picture[below + 3] as number) + 2) >> 2; // prettier-ignore
      }
  return small;
}

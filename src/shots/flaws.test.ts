import { describe, expect, it } from 'vitest';

import { random } from '../base/index.js';
import {
  findFlaws,
  frameMeter,
  measureSample,
  pictureQuality,
  readMeasures,
  readSamples,
  refusedShots,
  writeSamples,
  type FrameMeasures,
} from './index.js';

/** The brightness of a point of a scene, 0 to 1 across and down, at a time in seconds; or its colour. */
type Scene = (x: number, y: number, seconds: number) => number | readonly [number, number, number];

const [SMALL, LARGE] = [{ widthPx: 64, heightPx: 36 }, { widthPx: 320, heightPx: 180 }]; // prettier-ignore
const RATE = 25;

function draw(scene: Scene, { widthPx, heightPx }: typeof SMALL, seconds: number): Uint8Array {
  const rgb = new Uint8Array(3 * widthPx * heightPx);
  for (let i = 0; i < widthPx * heightPx; i++) {
    const colour = scene((i % widthPx) / widthPx, Math.floor(i / widthPx) / heightPx, seconds);
    const parts = typeof colour === 'number' ? [colour, colour, colour] : colour;
    for (let c = 0; c < 3; c++) rgb[3 * i + c] = Math.max(0, Math.min(255, parts[c]!));
  }
  return rgb;
}

/** Measures of a scene of so many seconds, with a sample a second. */
function measure(scene: Scene, seconds = 2, damaged: readonly number[] = []): FrameMeasures {
  const meter = frameMeter(SMALL);
  const count = seconds * RATE;
  for (let frame = 0; frame < count; frame++) meter.push(draw(scene, SMALL, frame / RATE));
  const samples = Array.from({ length: seconds }, (_, k) => measureSample(draw(scene, LARGE, k), LARGE, k * RATE));
  return readMeasures(meter.end(damaged), readSamples(writeSamples(samples))!, count)!;
}

function shotOf(startFrame: number, endFrame: number) {
  return { startFrame, endFrame, range: { start: startFrame, end: endFrame, base: { num: 1, den: RATE } } };
}

const kindsOf = (measures: FrameMeasures): string[] =>
  findFlaws([shotOf(0, measures.luma.length)], measures)[0]!.map(({ kind }) => kind);

/** Houses under a sky, in focus, seen from a camera that pans slowly; `soft` is the width of an edge. */
const street =
  (soft = 0.002): Scene =>
  (x, y, seconds) => {
    const at = x + 0.02 * seconds;
    const edge = (distance: number): number => 1 / (1 + Math.exp(-distance / soft));
    const roof = 0.3 + 0.2 * Math.sin(16 * at);
    const window = edge((0.2 - Math.abs(((at * 9) % 1) - 0.5)) / 9) * edge((0.2 - Math.abs(((y * 5) % 1) - 0.5)) / 5);
    const shade = 25 * Math.sin(9 * at + 4 * y) + 15 * Math.sin(23 * y - 7 * at);
    return 190 - 110 * edge(y - roof) + 60 * window * edge(y - roof) + shade;
  };

const still =
  (scene: Scene, at = 0): Scene =>
  (x, y) =>
    scene(x, y, at);
const jitter = (seed: number): number[] => {
  const { next } = random(seed);
  return Array.from({ length: 500 }, () => next() - 0.5);
};

/** Strokes of letters in lines, as on a title card. */
const plate =
  (ink: number, ground: number): Scene =>
  (x, y) => {
    const isLine = y > 0.35 && y < 0.65 && (y * 10) % 1 < 0.55;
    const isStroke = x > 0.2 && x < 0.8 && ((x * 40) % 1 < 0.4 || (y * 20) % 1 < 0.12);
    return isLine && isStroke ? ink : ground;
  };

const BARS = [[191, 191, 191], [191, 191, 0], [0, 191, 191], [0, 191, 0], [191, 0, 191], [191, 0, 0], [0, 0, 191]] as const; // prettier-ignore

describe('flaws', () => {
  const shakes = [jitter(1), jitter(2)];
  const moved = (scene: Scene, share: number): Scene => {
    return (x, y, seconds) => {
      const frame = Math.round(seconds * RATE);
      return scene(x + share * shakes[0]![frame]!, y + share * shakes[1]![frame]!, seconds);
    };
  };
  const cases: readonly [string, Scene, number, string[]][] = [
    ['black', () => 4, 2, ['black']],
    ['a flat colour', () => [20, 90, 200], 2, ['flat']],
    ['nearly black footage', (x, y, t) => Number(street()(x, y, t)) / 14, 2, ['black']],
    ['footage that is far too dark', (x, y, t) => (Number(street()(x, y, t)) / 75) ** 4, 2, ['exposed']],
    ['footage that glares', (x, y, t) => 2 * Number(street()(x, y, t)) + 60, 2, ['exposed']],
    ['footage that is washed out', (x, y, t) => 236 + Number(street()(x, y, t)) / 30, 2, ['exposed']],
    ['footage out of focus', street(0.02), 2, ['blurred']],
    ['violent shaking', moved(street(), 0.12), 2, ['shaken']],
    ['colour bars', (x) => BARS[Math.min(6, Math.floor(x * 7))]!, 2, ['bars']],
    ['a test card', (x, y) => (Math.hypot(x - 0.5, y - 0.5) < 0.4 ? BARS[1 + Math.floor(((Math.atan2(y - 0.5, x - 0.5) / Math.PI + 1) / 2) * 5.999)]! : (x * 12) % 1 < 0.06 || (y * 8) % 1 < 0.06 ? 230 : 110), 2, ['slate']],
    ['white writing on black', plate(235, 5), 2, ['text']],
    ['black writing on white', plate(10, 254), 2, ['text']],
  ]; // prettier-ignore
  it.each(cases)('are found: %s', (_, scene, seconds, kinds) =>
    expect(kindsOf(measure(scene, seconds))).toEqual(kinds),
  );

  const good: readonly [string, Scene, number?][] = [
    ['an ordinary street', street()],
    ['a night with lights', (x, y, t) => (Math.sin(31 * x + 3 * t) * Math.sin(17 * y + 5 * x) * Math.sin(7 * x - 11 * y) > 0.8 ? 240 : 6 + 4 * Math.sin(9 * x))],
    ['fog', (x, y, t) => 170 + Number(street()(x, y, t)) / 6],
    ['backlight', (x, y, t) => (Number(street()(x, y, t)) > 150 ? 252 : 25)],
    ['snow', (x, y, t) => Math.min(248, Number(street()(x, y, t)) * 0.35 + 185)],
    ['a subject in focus before a blurred ground', (x, y, t) => (Math.hypot(x - 0.5, y - 0.5) < 0.2 ? street()(x, y, t) : street(0.02)(x, y, t))],
    ['a fast pan', (x, y, t) => street()(x + 1.5 * t, y, 0)],
    ['a camera held by hand', moved(street(), 0.008)],
    ['pictures held for two seconds each', (x, y, t) => street()(x + 0.37 * Math.floor(t / 2), y, 0), 8],
    ['a still picture', still(street())],
    ['a still after moving footage, from a cut on', (x, y, t) => (t < 1 ? street()(x + 0.3 * t, y, 0) : 255 - Number(street()(x, y, 0))), 3],
  ]; // prettier-ignore
  it.each(good)('are not found in good footage: %s', (_, scene, seconds) =>
    expect(kindsOf(measure(scene, seconds))).toEqual([]),
  );

  it('tell a freeze in moving footage', () => {
    const scene: Scene = (x, y, t) => street()(x + 0.3 * (t < 2 ? t : Math.max(2, t - 2)), y, 0);
    const kinds = findFlaws([shotOf(0, 50), shotOf(50, 100), shotOf(100, 200)], measure(scene, 8));
    expect(kinds).toEqual([[], [{ kind: 'frozen', share: expect.closeTo(1, 1) }], []]);
  });

  it('tell a freeze that an encoder lets drift from a camera that comes to rest', () => {
    const drift = (t: number): number => 0.3 * Math.min(t, 2) + 0.004 * Math.max(0, Math.min(t, 4) - 2) + 0.3 * Math.max(0, t - 4); // prettier-ignore
    const rest = (t: number): number => (t < 2 ? t - 0.25 * t * t : t < 4 ? 1 : 1 + 0.25 * (t - 4) ** 2);
    const kinds = ([drift, rest] as const).map((at) => {
      const measures = measure((x, y, t) => street()(x + at(t) - 0.02 * t, y, t), 6);
      return findFlaws([shotOf(50, 100)], measures)[0]!.map(({ kind }) => kind);
    });
    expect(kinds).toEqual([['frozen'], []]);
  });

  it('tell where the decoder met damage, even if it is brief', () => {
    expect(kindsOf(measure(street(), 2, [10, 11, 12, 13, 14, 15]))).toEqual(['damaged']);
    expect(kindsOf(measure(street(), 2, [10]))).toEqual([]);
  });

  it('belong to the shot that has them', () => {
    const scene: Scene = (x, y, t) => (t < 2 ? street()(x, y, t) : 3);
    const [first, second] = findFlaws([shotOf(0, 50), shotOf(50, 100)], measure(scene, 4));
    expect(first).toEqual([]);
    expect(second).toEqual([{ kind: 'black', share: 1 }]);
  });
});

describe('refusedShots', () => {
  const [good, black, text] = [[], [{ kind: 'black', share: 1 }], [{ kind: 'text', share: 1 }]] as const;
  it('refuses what is flawed while anything else is left, and then prefers writing', () => {
    expect(refusedShots([good, black, text])).toEqual([1, 2]);
    expect(refusedShots([black, text])).toEqual([0]);
    expect(refusedShots([black, black])).toEqual([]);
    expect(refusedShots([])).toEqual([]);
  });
});

describe('pictureQuality', () => {
  const qualityOf = (scene: Scene): number => pictureQuality(shotOf(0, 50), measure(scene));
  it('prefers the sharper, the steadier and the better exposed of two takes', () => {
    const best = qualityOf(street());
    const shakes = jitter(3);
    expect(qualityOf(street(0.05))).toBeLessThan(best);
    expect(qualityOf((x, y, t) => street()(x + 0.05 * shakes[Math.round(t * RATE)]!, y, t))).toBeLessThan(best);
    expect(qualityOf((x, y, t) => Number(street()(x, y, t)) / 3)).toBeLessThan(best);
  });
});

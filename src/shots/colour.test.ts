import { describe, expect, it } from 'vitest';
import { random } from '../base/index.js';
import { colour } from './colour.js';
import { film, grainy, grey, scene, SIZE } from './pictures.case.js';
import { lengthsOf, segmentsOf } from './segmenter.case.js';
import { signalMeter } from './signal.js';

type Pictures = readonly Uint8Array[];

function signalOf(pictures: Pictures, rate = 25) {
  const meter = signalMeter(SIZE.widthPx, SIZE.heightPx);
  for (const [frame, picture] of pictures.entries()) meter.push(picture, frame / rate);
  return meter.end();
}
const changeOf = (pictures: Pictures): number[] => [...signalOf(pictures).change].map((value) => value / 65_535);
const takesOf = (pictures: Pictures, rate = 25): number[] =>
  segmentsOf(colour(SIZE), pictures, rate).takes.map(({ startFrame }) => startFrame);
const mix = (a: Uint8Array, b: Uint8Array, share: number): Uint8Array =>
  a.map((value, i) => value + share * ((b[i] as number) - value));
function still(seed: number, length: number): Uint8Array[] {
  const picture = scene(seed);
  return Array.from({ length }, () => picture);
}

describe('the change between pictures', () => {
  it('is 0 for equal pictures and 1 for black against white, and for red against green', () => {
    expect(changeOf([grey(0), grey(0), grey(255), grey(255)])).toEqual([0, 0, 1, 0]);
    const [red, green] = [grey(0), grey(0)];
    for (let i = 0; i < red.length; i += 3) [red[i], green[i + 1]] = [255, 255];
    expect(changeOf([red, red, green, green])[2]).toBeCloseTo(1, 5);
  });

  it('is large at a cut and small for grain, slow pans and slow light', () => {
    const source = random(5);
    const quiet = Array.from({ length: 20 }, () => grainy(scene(1), 6, source));
    const pan = Array.from({ length: 20 }, (_, t) => scene(2, { shiftPx: t * 0.5 }));
    const dawn = Array.from({ length: 20 }, (_, t) => scene(3, { light: t }));
    const change = changeOf([...quiet, ...pan, ...dawn]);
    expect(Math.min(change[20]!, change[40]!)).toBeGreaterThan(0.25);
    expect(Math.max(...change.filter((_, t) => t !== 20 && t !== 40))).toBeLessThan(0.09);
  });

  it('does not last where the picture comes back', () => {
    const pictures = Array.from({ length: 60 }, (_, t) => scene(t < 40 ? 1 : 2));
    for (const t of [10, 20, 21, 30, 31, 32]) pictures[t] = grey(255);
    const { change, lasting } = signalOf(pictures);
    for (const t of [10, 20, 30]) expect(change[t]).toBeGreaterThan(0.5 * 65_535);
    expect([...lasting.keys()].filter((t) => lasting[t]! > 0)).toEqual([40]);
  });
});

describe('takes', () => {
  it('begin at planted cuts exactly, at any rate and however short the pieces', () => {
    const lengths = [30, 6, 30, 7, 6, 30];
    const cuts = lengths.map((_, i) => lengths.slice(0, i).reduce((a, b) => a + b, 0));
    const pictures = film(lengths, { seed: 3 });
    for (const rate of [12, 25, 30]) expect(takesOf(pictures, rate)).toEqual(cuts);
    // Each picture seven times: a file of 187 pictures a second made from one of 27.
    const repeated = pictures.flatMap((picture) => Array.from({ length: 7 }, () => picture));
    expect(takesOf(repeated, 187)).toEqual(cuts.map((at) => at * 7));
  });

  it('do not end at flashes, camera flashes and strobe', () => {
    const pictures = still(4, 150).map((picture, t) => {
      if ([20, 21, 90, 91, 92].includes(t)) return grey(250);
      if (t >= 50 && t < 62) return picture.map((value) => Math.min(255, value + 180 * 0.6 ** (t - 50)));
      return t >= 110 && t < 140 && t % 4 < 2 ? grey(0) : picture;
    });
    expect(takesOf(pictures)).toEqual([0]);
  });

  it('have one boundary inside a dissolve and a fade through black', () => {
    for (const length of [6, 25, 45]) {
      const ramp = Array.from({ length }, (_, t) => mix(scene(11), scene(12), (t + 0.5) / length));
      const [, at, ...others] = takesOf([...still(11, 50), ...ramp, ...still(12, 50)]);
      expect(others).toEqual([]);
      expect(at).toBeGreaterThanOrEqual(49);
      expect(at).toBeLessThanOrEqual(51 + length);
    }
    const out = Array.from({ length: 12 }, (_, t) => mix(scene(11), grey(0), (t + 1) / 12));
    const back = Array.from({ length: 12 }, (_, t) => mix(grey(0), scene(12), (t + 1) / 12));
    const faded = takesOf([...still(11, 50), ...out, grey(0), grey(0), grey(0), ...back, ...still(12, 50)]);
    expect(faded).toHaveLength(2);
    expect(faded[1]! >= 50 && faded[1]! <= 77).toBe(true);
  });
});

describe('shots', () => {
  it('of a take in which nothing changes are one view, as few as fit, at any rate', () => {
    for (const rate of [12, 25, 60]) {
      const { takes, shots } = segmentsOf(colour(SIZE), still(4, 23 * rate), rate);
      expect(takes).toHaveLength(1);
      expect(shots.map(({ view }) => view)).toEqual([0, 0, 0, 0, 0, 0]);
      const lengths = lengthsOf(shots.map(({ startFrame }) => startFrame), 23 * rate); // prettier-ignore
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
    }
  });

  it('begin where something changes inside a take, as another view', () => {
    // Three seconds of one picture, a move of two seconds, and three of another: too slow for a cut.
    const moved = (t: number): Uint8Array => scene(6, { shiftPx: Math.max(0, Math.min(50, t - 75)) });
    const { takes, shots } = segmentsOf(colour(SIZE), Array.from({ length: 200 }, (_, t) => moved(t)), 25); // prettier-ignore
    expect(takes).toHaveLength(1);
    const views = shots.filter(({ view }, i) => i > 0 && view !== shots[i - 1]!.view);
    // Where the move begins, in its middle (it is twice as long as the shortest shot), and where it ends.
    expect(views.map(({ startFrame }) => startFrame)).toEqual([75, 100, 125]);
  });

  it('are short where a take is shorter than the shortest shot', () => {
    const { shots } = segmentsOf(colour(SIZE), film([40, 12, 60], { seed: 2 }), 25);
    expect(shots.map(({ isShort }) => isShort ?? false)).toEqual([false, true, false]);
    const all = segmentsOf(colour({ ...SIZE, by: 'frames', min: 12, max: 96 }), film([40, 12, 60], { seed: 2 }), 25);
    expect(all.shots.some(({ isShort }) => isShort)).toBe(false);
  });
});

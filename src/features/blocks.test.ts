import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hasUnitRows, matrixOf, random, rowOf, rowSquares } from '../base/index.js';
import {
  appendBlocks,
  type FeatureMatrix,
  motionMeter,
  parseBlocks,
  type ShotBlock,
  SOUND_RATE,
  soundMeter,
} from './index.js';
import { checkMeter } from './meter.case.js';

const SIZE = { widthPx: 64, heightPx: 36 };
const PIXELS = 64 * 36;
const shotsOf = (stretches: readonly (readonly [number, number])[]) =>
  stretches.map(([startFrame, endFrame]) => ({ startFrame, endFrame }));
const grey = (value: (x: number, y: number) => number): Uint8Array =>
  Uint8Array.from({ length: 3 * PIXELS }, (_, k) => value(Math.floor(k / 3) % 64, Math.floor(k / 3 / 64)));
const squares = (row: Float32Array): number[] => [...row].map((value) => value * value);

/** Pictures by kind: black, a hard pattern that drifts, noise anew in each, and white. */
function* pictures(kind: string, count: number): Generator<Uint8Array> {
  const dice = random(7);
  for (let t = 0; t < count; t++) {
    if (kind === 'noise') yield Uint8Array.from({ length: 3 * PIXELS }, () => dice.below(256));
    else if (kind === 'drift') yield grey((x) => (((x + t) >> 3) % 2 ? 200 : 60));
    else yield grey(() => 0);
  }
}

checkMeter(
  'motion',
  (kind, count, stretches) => {
    const meter = motionMeter(SIZE, 25);
    for (const picture of pictures(kind, count)) meter.push(picture);
    return meter.end(shotsOf(stretches));
  },
  ['still', 'drift', 'noise'],
);

const clock = { num: 1, den: SOUND_RATE };
/** Units of 1,024 samples. */
function samplesOf(kind: string, units: number): Int16Array {
  const dice = random(8);
  return Int16Array.from({ length: units * 1024 }, (_, k) => {
    if (kind === 'silence') return 0;
    if (kind === 'hiss') return dice.below(8000) - 4000;
    return Math.round(12_000 * Math.sin((2 * Math.PI * 100 * k) / SOUND_RATE));
  });
}
const timed = (stretches: readonly (readonly [number, number])[], offset = 0) =>
  stretches.map(([from, to]) => ({ range: { start: offset + 1024 * from, end: offset + 1024 * to, base: clock } }));

checkMeter(
  'sound',
  (kind, count, stretches) => {
    const meter = soundMeter();
    meter.push(samplesOf(kind, count));
    return meter.end(timed(stretches), 0);
  },
  ['silence', 'hum', 'hiss'],
);

describe('motion, by hand', () => {
  const measure = (frames: readonly Uint8Array[], stretches: [number, number][], rate: number | null = 25) => {
    const meter = motionMeter(SIZE, rate);
    for (const frame of frames) meter.push(frame);
    return meter.end(shotsOf(stretches));
  };
  /** A 16 × 12 cell, the one in the second column and third row, turns from 100 to 120. */
  const before = grey(() => 100);
  const after = grey((x, y) => (x >= 16 && x < 32 && y >= 24 ? 120 : 100));

  it('says how strong, how steady, and where', () => {
    const { data, dim } = measure([before, after], [[0, 2]]);
    expect(dim).toBe(28);
    const third = squares(data).map((value) => 3 * value);
    // 192 of 2,304 pixels differ by 20, which is from 16 to 31: the fifth level.
    expect(third.slice(0, 8)).toEqual([11 / 12, 0, 0, 0, 1 / 12, 0, 0, 0].map((share) => expect.closeTo(share, 5)));
    // The mean difference is 20 / 12 = 1.667, 0.737 of the way from 1 to 2 in octaves: between the fourth pace and the fifth.
    const paces = [0, 0, 0, 1 - 0.737, 0.737, 0, 0, 0];
    expect(third.slice(8, 16)).toEqual(paces.map((share) => expect.closeTo(share, 3)));
    expect(third.slice(16)).toEqual(Array.from({ length: 12 }, (_, cell) => expect.closeTo(cell === 9 ? 1 : 0, 5)));
  });

  it('does not count the change into a shot', () => {
    const cut = [before, before, after, after];
    const still = measure([before, before], [[0, 2]]).data;
    const { data } = measure(cut, [[0, 2], [2, 4]]); // prettier-ignore
    expect([...data]).toEqual([...still, ...still]);
    expect([...measure(cut, [[0, 4]]).data]).not.toEqual([...still]);
  });

  it('compares pictures a 25th of a second apart, whatever the rate', () => {
    const drift = (step: number, count: number): Uint8Array[] =>
      Array.from({ length: count }, (_, t) => grey((x) => (((x * 4 + t * step) >> 5) % 2 ? 110 : 100)));
    const slow = measure(drift(8, 25), [[0, 25]], 25).data;
    const fast = measure(drift(4, 50), [[0, 50]], 50).data;
    const blind = measure(drift(4, 50), [[0, 50]], 25).data;
    const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, k) => sum + value * b[k]!, 0);
    expect(cosine(slow, fast)).toBeGreaterThan(0.999);
    expect(cosine(slow, blind)).toBeLessThan(0.95);
  });

  it('holds a long video in pieces', () => {
    const meter = motionMeter(SIZE, null);
    const [a, b] = [before, after];
    for (let t = 0; t < 8200; t++) meter.push(t < 8190 ? a : t % 2 ? b : a);
    const { data, dim } = meter.end(shotsOf([[4090, 4100], [8190, 8200]])); // prettier-ignore
    expect([...data.subarray(0, dim)]).toEqual([...measure([a, a], [[0, 2]]).data]);
    expect([...data.subarray(dim)]).toEqual([...measure([a, b], [[0, 2]]).data]);
  });
});

describe('sound, by hand', () => {
  const measure = (samples: Int16Array, stretches: [number, number][]): FeatureMatrix => {
    const meter = soundMeter();
    meter.push(samples);
    return meter.end(timed(stretches), 0);
  };
  const halves = ({ data }: FeatureMatrix): number[] => squares(data).map((value) => 2 * value);

  it('says how loud and how high', () => {
    // A square wave of 500 Hz (16 samples up, 16 down) at an eighth of full scale: −18.06 dB, 0.993 between −18 and −27 dB.
    const wave = Int16Array.from({ length: 4096 }, (_, k) => ((k >> 4) % 2 ? 4096 : -4096));
    const found = halves(measure(wave, [[0, 4]]));
    expect(found).toHaveLength(17);
    expect(found.slice(5, 8)).toEqual([0.007, 0.993, 0].map((share) => expect.closeTo(share, 3)));
    // 63 crossings in 64 ms are 492 Hz, 0.977 of the way from 250 to 500.
    expect(found.slice(10, 13)).toEqual([0.023, 0.977, 0].map((share) => expect.closeTo(share, 2)));
    expect(found[16]).toBe(0);
  });

  it('counts what is past the end, and what is not there, as silent', () => {
    const silence = [1, ...Array.from({ length: 15 }, () => 0), 1].map((share) => expect.closeTo(share, 6));
    expect(halves(measure(new Int16Array(0), [[0, 10]]))).toEqual(silence);
    expect(halves(measure(samplesOf('hum', 5), [[5, 10]]))).toEqual(silence);
    // Half of it sounds: half of the windows are silent, and the tones are those of the other half.
    const half = halves(measure(samplesOf('hum', 5), [[0, 10]]));
    expect(half[0]).toBeCloseTo(0.5, 6);
    expect(half.slice(8)).toEqual(halves(measure(samplesOf('hum', 5), [[0, 5]])).slice(8));
  });

  it('gives the same values in pieces of any size, from any start', () => {
    const hiss = samplesOf('hiss', 8);
    const whole = measure(hiss, [[0, 3], [3, 8]]); // prettier-ignore
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 12 }), (sizes) => {
        const meter = soundMeter();
        for (let at = 0, k = 0; at < hiss.length; at += sizes[k++ % sizes.length]!) {
          meter.push(hiss.subarray(at, at + sizes[k % sizes.length]!));
        }
        expect(meter.end(timed([[0, 3], [3, 8]], 90_000), 90_000)).toEqual(whole); // prettier-ignore
      }),
    );
  });
});

describe('blocks and pictures', () => {
  const rows = (...lines: number[][]): FeatureMatrix => ({
    shotCount: lines.length,
    dim: lines[0]!.length,
    data: Float32Array.from(lines.flat()),
  });
  const vectors = matrixOf([[1, 0], [0.6, 0.8], [0, 0]]); // prettier-ignore
  const blocks: ShotBlock[] = [
    { name: 'motion', weight: 0.3, rows: rows([1, 0], [0, 1], [0, 1]) },
    { name: 'sound', weight: 0.2, rows: rows([1], [1], [1]) },
  ];

  it('stay of length one together, and compare by their shares', () => {
    const joined = appendBlocks(vectors, blocks);
    expect([joined.rows, joined.cols]).toEqual([3, 5]);
    expect(hasUnitRows(joined)).toBe(true);
    expect([...rowOf(joined, 0)]).toEqual([0.5, 0, 0.3, 0, 0.2].map((share) => expect.closeTo(Math.sqrt(share), 12)));
    const inner = rowOf(joined, 0).reduce((sum, value, k) => sum + value * rowOf(joined, 1)[k]!, 0);
    expect(inner).toBeCloseTo(0.5 * 0.6 + 0.3 * 0 + 0.2 * 1, 12);
    // A shot without a vector of its own is described by the blocks alone.
    expect([...rowOf(joined, 2)]).toEqual([0, 0, 0, 0.6, 0.4].map((share) => expect.closeTo(Math.sqrt(share), 12)));
    expect(rowSquares(appendBlocks(vectors, blocks.slice(1)))[1]).toBeCloseTo(1, 14);
  });

  it('without blocks, the vectors are the very same', () => {
    expect(appendBlocks(vectors, [])).toBe(vectors);
  });

  it('are named with commas between them, each with its share', () => {
    expect(parseBlocks('motion')).toEqual([{ name: 'motion', weight: 0.2 }]);
    const both = [{ name: 'motion', weight: 0.3 }, { name: 'sound', weight: 0.2 }]; // prettier-ignore
    expect(parseBlocks(' sound , motion = 0.3 ')).toEqual(both);
    for (const text of ['', 'smell', 'motion,', 'motion,motion', 'motion=', 'motion=0', 'motion=x', 'motion=0.5,sound=0.5', 'motion=1', 'motion=0.1=0.2']) {
      expect(parseBlocks(text), text).toBeNull();
    } // prettier-ignore
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { random } from '../base/index.js';
import { changePoints, kts, refineStarts, scatterRows } from './kts.js';
import { film, scene, SIZE } from './pictures.case.js';
import { cut, lengthsOf } from './segmenter.case.js';

describe('kts', () => {
  it('finds planted cuts to the frame', () => {
    const lengths = [70, 45, 88, 61, 39, 96, 50];
    const cuts = lengths.map((_, i) => lengths.slice(0, i).reduce((a, b) => a + b, 0));
    expect(cut(kts({ ...SIZE, by: 'frames' }), film(lengths, { seed: 21, panPx: 0 }))).toEqual(cuts);
  });

  it('makes few long shots where nothing changes', () => {
    const still = Array.from({ length: 960 }, () => scene(4));
    expect(cut(kts({ ...SIZE, by: 'frames' }), still)).toHaveLength(10);
  });

  it('loses no cut where one window hands over to the next', { tags: 'slow' }, () => {
    // Two pictures in turn, so that thousands of frames are drawn only once.
    const pictures = [scene(1), scene(2)];
    const source = random(8);
    const restless = Array.from({ length: 140 }, () => 40 + source.below(50));
    // Cut 73 lies 20 frames before the end of the first window of 4096, closer than a shot may be to it.
    const closeToTheEdge = [44, ...Array.from({ length: 80 }, () => 56)];
    for (const lengths of [restless, closeToTheEdge]) {
      const film = lengths.flatMap((length, shot) => Array.from({ length }, () => pictures[shot % 2] as Uint8Array));
      expect(lengthsOf(cut(kts({ ...SIZE, by: 'frames' }), film), film.length)).toEqual(lengths);
    }
  });
});

describe('scatterRows', () => {
  it('agrees with the definition, run by run', () => {
    const pictures = film([5, 6], { seed: 2 });
    const rows = scatterRows(SIZE.widthPx, SIZE.heightPx, 4);
    const whole = scatterRows(SIZE.widthPx, SIZE.heightPx, 11);
    const [short, long] = [pictures.map((p) => rows.push(p)), pictures.map((p) => whole.push(p))];
    short.forEach((row, j) => {
      for (let l = 1; l <= Math.min(4, j + 1); l++) expect(row[l - 1]).toBeCloseTo(long[j]?.[l - 1] as number, 9);
    });
    // Half the squared distances of all pairs, over ℓ: another road to the scatter; here from pairs of two.
    const pairs = (i: number, j: number): number => {
      const two = scatterRows(SIZE.widthPx, SIZE.heightPx, 2);
      two.push(pictures[i] as Uint8Array);
      return two.push(pictures[j] as Uint8Array)[1] as number;
    };
    let sum = 0;
    for (let i = 3; i <= 7; i++) for (let j = i + 1; j <= 7; j++) sum += 2 * pairs(i, j);
    expect(long[7]?.[4]).toBeCloseTo(sum / 5, 3);
  });
});

describe('changePoints', () => {
  it('minimises scatter plus penalty, by trying all partitions', () => {
    const window = fc.record({
      samples: fc.integer({ min: 2, max: 12 }),
      rest: fc.integer({ min: 0, max: 1 }),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(window, ({ samples, rest, seed }) => {
        const source = random(seed);
        const scatter = Array.from({ length: samples }, () => Float64Array.from({ length: 4 }, () => source.next()));
        const [step, minFrames, maxFrames] = [2, 4, 8];
        const frames = samples * step - rest;
        if (frames < minFrames) return;
        const costOf = (starts: readonly number[]): number => {
          const inner = starts.length - 1;
          const sum = lengthsOf(starts, samples).reduce(
            (total, length, i) => total + (scatter[(starts[i] as number) + length - 1]?.[length - 1] as number),
            0,
          );
          return sum / samples + (inner === 0 ? 0 : (inner / (2 * frames)) * (Math.log(frames / inner) + 1));
        };
        const all: number[][] = [];
        const extend = (starts: number[]): void => {
          const last = starts.at(-1) as number;
          const lastLength = frames - last * step;
          if (lastLength >= minFrames && lastLength <= maxFrames) all.push(starts);
          for (const length of [2, 3, 4]) if (last + length < samples) extend([...starts, last + length]);
        };
        extend([0]);
        const best = Math.min(...all.map(costOf));
        expect(costOf(changePoints(scatter, { frames, step, minFrames, maxFrames }))).toBeCloseTo(best, 12);
      }),
      { numRuns: 200 },
    );
  });
});

describe('refineStarts', () => {
  const bounds = { minFrames: 4, maxFrames: 10 };

  it('moves each start to the strongest change in reach, and no further', () => {
    const change = new Uint16Array(24);
    [change[7], change[17], change[12]] = [500, 400, 9000];
    expect(refineStarts([0, 8, 16], change, 2, bounds)).toEqual([0, 7, 17]);
  });

  it('stays put when nothing changes, and never breaks the bounds', () => {
    expect(refineStarts([0, 8, 16], new Uint16Array(24), 2, bounds)).toEqual([0, 8, 16]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 4, max: 10 }), { minLength: 1, maxLength: 6 }), fc.nat(), (list, seed) => {
        const source = random(seed);
        const starts = list.map((_, i) => list.slice(0, i).reduce((a, b) => a + b, 0));
        const frames = list.reduce((a, b) => a + b, 0);
        const change = Uint16Array.from({ length: frames }, () => source.below(65_536));
        const lengths = lengthsOf(refineStarts(starts, change, 3, bounds), frames);
        expect(Math.min(...lengths)).toBeGreaterThanOrEqual(4);
        expect(Math.max(...lengths)).toBeLessThanOrEqual(10);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, random, zeros } from '../base/index.js';
import {
  addMoments,
  decodeMoment,
  emptyMoment,
  encodeMoment,
  mergeMoments,
  type Moment,
  momentOf,
  problemOf,
  removeMoment,
} from './index.js';

const DIM = 5;

function shots(seed: number, count: number): Matrix {
  const { normal } = random(seed);
  return { rows: count, cols: DIM, data: Float64Array.from({ length: count * DIM }, normal) };
}

const moments = fc
  .record({ seed: fc.nat(), count: fc.integer({ min: 0, max: 6 }), weight: fc.constantFrom(0, 0.5, 1, 3) })
  .map(({ seed, count, weight }) => momentOf(shots(seed, count), weight));

function expectSame(left: Moment, right: Moment): void {
  expect({ ...left, matrix: null, means: null }).toEqual({ ...right, matrix: null, means: null });
  const scale = Math.max(1, ...left.matrix.data.map(Math.abs));
  const expectNear = (ours: Float64Array, theirs: Float64Array): void =>
    ours.forEach((value, at) => expect(Math.abs(value - theirs[at]!)).toBeLessThanOrEqual(1e-13 * scale));
  expectNear(left.matrix.data, right.matrix.data);
  expectNear(left.means, right.means);
}

describe('a moment', () => {
  it('is the sum of the outer products of the shots', () => {
    const moment = momentOf(
      matrixOf([
        [1, 2],
        [3, 4],
      ]),
      2,
    );
    expect([...moment.matrix.data]).toEqual([2 * (1 + 9), 2 * (2 + 12), 2 * (2 + 12), 2 * (4 + 16)]);
    expect(moment).toMatchObject({ dim: 2, videoCount: 1, shotCount: 2, unitRows: false });
  });

  it('knows whether every shot has unit length', () => {
    expect(
      momentOf(
        matrixOf([
          [0.6, 0.8],
          [0, 0],
        ]),
      ).unitRows,
    ).toBe(true);
    expect(momentOf(matrixOf([[0.6, 0.81]])).unitRows).toBe(false);
  });

  it('adds in any order and grouping', () => {
    fc.assert(
      fc.property(moments, moments, moments, (first, second, third) => {
        expectSame(addMoments(addMoments(first, second), third), addMoments(first, addMoments(second, third)));
        expectSame(addMoments(first, second), addMoments(second, first));
        expectSame(mergeMoments([first, second, third]), addMoments(addMoments(first, second), third));
        expectSame(addMoments(first, emptyMoment(DIM)), first);
      }),
    );
  });

  it('loses what is removed and nothing else', () => {
    fc.assert(
      fc.property(moments, moments, (kept, gone) => {
        const left = removeMoment(addMoments(kept, gone), gone);
        expectSame({ ...left, unitRows: kept.unitRows }, { ...kept });
      }),
    );
  });

  it('refuses to give back more than it holds, or to mix models', () => {
    expect(() => removeMoment(momentOf(shots(1, 2)), momentOf(shots(2, 3)))).toThrow(/Expected a part of/);
    expect(() => addMoments(momentOf(shots(1, 2)), emptyMoment(4))).toThrow(/one length/);
    expect(() => momentOf(matrixOf([[1, Number.NaN]]))).toThrow(/row 0, column 1/);
    expect(() => momentOf(shots(1, 1), -1)).toThrow(/weight/);
  });

  it('comes back from bytes bit for bit', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        expect(decodeMoment(encodeMoment(moment))).toEqual(moment);
      }),
    );
  });

  it('notices every damaged byte and an unknown version', () => {
    const bytes = encodeMoment(momentOf(shots(1, 3)));
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 16;
      expect(() => decodeMoment(damaged)).toThrow(/Build/);
    }
    expect(() => decodeMoment(bytes.subarray(0, bytes.length - 1))).toThrow(/cut off/);
    expect(() => decodeMoment(new Uint8Array(3))).toThrow(/something else/);
  });

  it('is refused where no shots could give it, whoever sealed it', () => {
    const moment = momentOf(shots(1, 3));
    const sealed = (changes: Partial<Moment>): Uint8Array => encodeMoment({ ...moment, ...changes });
    const withEntry = (at: number, value: number): Uint8Array => {
      const data = moment.matrix.data.slice();
      data[at] = value;
      return sealed({ matrix: { ...moment.matrix, data } });
    };
    for (const value of [NaN, Infinity, -1e30, 1e300]) {
      expect(() => decodeMoment(withEntry(0, value))).toThrow(/Expected a valid topic context, found .* Build/);
      expect(() => decodeMoment(withEntry(1, value))).toThrow(/Expected a valid topic context, found .* Build/);
    }
    expect(() => decodeMoment(withEntry(1, 1e3))).toThrow(/between two/);
    for (const shotCount of [NaN, -3, 0.5]) expect(() => decodeMoment(sealed({ shotCount }))).toThrow(/counts/);
  });
});

describe('a problem', () => {
  it('has no context when the context holds only its own shots', () => {
    const features = shots(1, 3);
    expect(problemOf(features, momentOf(features), { ownWeight: 1 }).context).toBeNull();
    expect(problemOf(features, emptyMoment(DIM)).context).toBeNull();
  });

  it('refuses features of another length', () => {
    expect(() => problemOf(zeros(2, 4), momentOf(shots(1, 2)))).toThrow(/one model/);
  });
});

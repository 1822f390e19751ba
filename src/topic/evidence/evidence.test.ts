import { describe, expect, it } from 'vitest';

import { matrixOf, random, rowOf, transpose, unitRows, zeros, type Matrix } from '../../base/index.js';
import { backgroundOf, spreadOfRows } from './background.js';
import { distinct } from './distinct.js';
import { type Evidence, type EvidenceKnobs, likeness, openEvidence } from './evidence.js';
import { comparable, plainlyComparable, sameness } from './sameness.js';
import { MAX_REFERENCES, referencesOf, standardise } from './standardise.js';
import { shareAmongAlike, smoothInTime } from './smooth.js';

/** Rows near a few centres, entries not negative, as a network gives them. */
function drawn(seed: number, rows: number, dim: number, spread = 0.4): Matrix {
  const { normal, below } = random(seed);
  const centres = Array.from({ length: 4 }, () => Array.from({ length: dim }, () => Math.abs(normal())));
  return matrixOf(
    Array.from({ length: rows }, () => centres[below(4)]!.map((value) => Math.abs(value + spread * normal()))),
  );
}

type Given = Parameters<typeof openEvidence>;
const evidenceOf = (looks: Given[0], background: Given[1], knobs?: Partial<EvidenceKnobs>): Evidence =>
  openEvidence(looks, background)(knobs);

const middle = (count: number, every = 2): number[] => Array.from({ length: count }, (_, i) => every * (i + 0.5));
const close = (actual: ArrayLike<number>, expected: readonly number[]): void =>
  expect(Array.from(actual, (value) => Number(value.toFixed(9)))).toEqual(expected.map((value) => Number(value.toFixed(9)))); // prettier-ignore

describe('standardise', () => {
  it('by hand: 1, 2, 3 have mean 2 and deviation √(2/3)', () => {
    close(standardise(Float64Array.of(1, 2, 3)), [-Math.sqrt(1.5), 0, Math.sqrt(1.5)]);
  });

  it('limits outliers to 2.5 deviations, and gives zeros where nothing differs', () => {
    const values = new Float64Array(100).fill(1);
    values[0] = 1e6;
    expect(Math.max(...standardise(values))).toBe(2.5);
    close(standardise(new Float64Array(3).fill(0.1)), [0, 0, 0]);
    expect(standardise(Float64Array.of(7))).toEqual(Float64Array.of(0));
  });
});

describe('the background', () => {
  const raw = drawn(1, 60, 12);
  const rows = unitRows(raw);
  const { mean, whiten } = backgroundOf(rows);

  it.each([1, 0.1])('solves (C + λI) w = v, with λ of %f mean eigenvalues', (ridge) => {
    const v = Float64Array.from({ length: 12 }, (_, k) => Math.sin(k));
    const whitened = spreadOfRows(rows, ridge).whitenRows(matrixOf([mean, v]));
    const w = Float64Array.from(whitened.data.subarray(12));
    if (ridge === 1) whiten(v).forEach((value, k) => expect(value).toBeCloseTo(w[k]!, 12));
    const centred = Array.from({ length: 60 }, (_, i) => Array.from(mean, (m, k) => rows.data[i * 12 + k]! - m));
    const C = (k: number, l: number): number => centred.reduce((sum, row) => sum + row[k]! * row[l]!, 0) / 59;
    const lambda = (ridge * Array.from({ length: 12 }, (_, k) => C(k, k)).reduce((sum, value) => sum + value, 0)) / 12;
    const back = Array.from(v, (_, k) => w.reduce((sum, value, l) => sum + value * C(k, l), lambda * w[k]!));
    back.forEach((value, k) => expect(value).toBeCloseTo(v[k]!, 9));
  });
});

describe('terms', () => {
  it('likeness grows towards the mean of the others', () => {
    const raw = drawn(2, 80, 10);
    const rows = unitRows(raw);
    const background = backgroundOf(rows);
    const others = Float64Array.from(background.mean);
    others[3]! += 0.5;
    const X = matrixOf([background.mean, background.mean.map((value, k) => (k === 3 ? value + 0.2 : value))]);
    const [at, towards] = likeness(X, others, background);
    expect(at).toBeCloseTo(0, 12);
    expect(towards).toBeGreaterThan(0.01);
  });

  it('distinct by hand: three shots alike and one apart, of which only the second kind differs from its nearest', () => {
    const X = matrixOf([[1, 0], [1, 0], [1, 0], [0, 1]]); // prettier-ignore
    // The nearest of each of the first three is at distance 0; the fourth is the least typical: one factor is always 0.
    close(distinct(X, referencesOf(X)), [0, 0, 0, 0]);
    const Y = unitRows(matrixOf([[1, 0], [1, 0.2], [1, 0.6], [0, 1]])); // prettier-ignore
    const values = distinct(Y, referencesOf(Y));
    expect(values[2]).toBe(Math.max(...values));
    expect(values[3]).toBe(0);
  });

  it('compares very long videos with an even selection, nearly as with all shots', { tags: 'slow' }, () => {
    const X = unitRows(drawn(4, MAX_REFERENCES * 2, 6));
    const every = referencesOf(X);
    expect(every.shots.length).toBe(MAX_REFERENCES);
    const all = { shots: Array.from({ length: X.rows }, (_, i) => i), rows: X };
    const [some, whole] = [standardise(distinct(X, every)), standardise(distinct(X, all))];
    const correlation = some.reduce((sum, value, i) => sum + value * whole[i]!, 0) / X.rows;
    expect(correlation).toBeGreaterThan(0.97);
  });
});

describe('smoothing', () => {
  it('by hand: two shots σ apart share 1 and exp(−½)', () => {
    const weight = Math.exp(-0.5);
    close(smoothInTime(Float64Array.of(1, 0), [0, 3], 3), [1 / (1 + weight), weight / (1 + weight)]);
  });

  it('is in seconds: shots half as long reach twice as many neighbours', () => {
    const spike = new Float64Array(41);
    spike[20] = 1;
    const reached = (every: number): number =>
      smoothInTime(spike, middle(41, every), 2).filter((value) => value > 1e-3).length;
    expect(reached(1)).toBeGreaterThan(1.7 * reached(2));
    expect(smoothInTime(spike, middle(41), 0)).toBe(spike);
  });

  it('gives shots that look the same nearer values', () => {
    const X = unitRows(matrixOf([[1, 0, 0], [1, 0.01, 0], [0, 1, 0], [0, 0, 1]])); // prettier-ignore
    const values = Float64Array.of(1, -1, 0.5, -0.5);
    const shared = shareAmongAlike(values, X, referencesOf(X), new Float64Array(3));
    expect(shared[0]! - shared[1]!).toBeLessThan(standardise(values)[0]! - standardise(values)[1]!);
  });
});

describe('evidence', () => {
  const raw = drawn(5, 60, 8);
  const background = backgroundOf(unitRows(raw));
  const X = unitRows(drawn(6, 30, 8));
  const looks = {
    features: X,
    seconds: middle(30),
    strength: Float64Array.from({ length: 30 }, (_, i) => i % 7),
    activity: Float64Array.from({ length: 30 }, (_, i) => (3 * i) % 5),
    others: Float64Array.from({ length: 8 }, (_, k) => 0.3 + 0.01 * k),
  };

  it('has mean zero, deviation one, and all its terms', () => {
    const { total, terms } = evidenceOf(looks, background);
    expect(Object.keys(terms)).toEqual(['likeness', 'distinct', 'strength', 'activity']);
    expect(total.reduce((sum, value) => sum + value, 0) / 30).toBeCloseTo(0, 1);
    expect(total.reduce((sum, value) => sum + value * value, 0) / 30).toBeCloseTo(1, 1);
  });

  it('leaves out what cannot be computed', () => {
    const termsOf = (...given: Parameters<typeof evidenceOf>): string[] => Object.keys(evidenceOf(...given).terms);
    expect(termsOf({ ...looks, others: null }, background)).toEqual(['distinct', 'strength', 'activity']);
    expect(termsOf(looks, null)).toEqual(['distinct', 'strength', 'activity']);
    expect(termsOf({ ...looks, activity: null }, background)).toEqual(['likeness', 'distinct', 'strength']);
    expect(Object.keys(evidenceOf(looks, background, { terms: ['distinct'] }).terms)).toEqual(['distinct']);
  });

  it('counts likeness by its weight: 1 is the default, 0 leaves it out, below 0 it counts against a shot', () => {
    const at = (likenessWeight: number): Evidence => evidenceOf(looks, background, { likenessWeight });
    expect(at(1)).toEqual(evidenceOf(looks, background));
    expect(at(0)).toEqual(evidenceOf(looks, background, { terms: ['distinct', 'strength', 'activity'] }));
    const like = evidenceOf(looks, background, { terms: ['likeness'] }).total;
    const agrees = (weight: number): number => at(weight).total.reduce((sum, value, i) => sum + value * like[i]!, 0);
    const agreements = [-1, -0.5, 0, 0.5, 1].map(agrees);
    expect(agreements).toEqual(agreements.toSorted((a, b) => a - b));
    expect(agreements[0]).toBeLessThan(0);
    expect(agreements[4]).toBeGreaterThan(0);
  });

  it('answers for no, one and two shots with finite numbers', () => {
    for (const count of [0, 1, 2]) {
      const few = {
        features: zeros(count, 8),
        seconds: middle(count),
        strength: new Float64Array(count),
        activity: new Float64Array(count),
        others: null,
      };
      few.features.data.fill(1 / Math.sqrt(8));
      const { total } = evidenceOf(few, background);
      expect(total.length).toBe(count);
      expect(total.every(Number.isFinite)).toBe(true);
    }
  });

  it('refuses a background of other vectors', () => {
    const other = backgroundOf(unitRows(drawn(7, 9, 5)));
    expect(() => evidenceOf(looks, other)).toThrow('Expected a background of vectors of length 8, found 5.');
  });
});

describe('sameness', () => {
  const raw = drawn(8, 60, 6);
  const background = backgroundOf(unitRows(raw));

  it('by the formula: the mean of both standardised cosines', () => {
    const X = unitRows(drawn(9, 3, 6));
    const prepared = comparable(X, background);
    const S = sameness(prepared, prepared);
    const hat = (i: number): number[] => {
      const row = Array.from({ length: 6 }, (_, k) => X.data[i * 6 + k]! - background.mean[k]!);
      const length = Math.hypot(...row);
      return row.map((value) => value / length);
    };
    const cosine = (x: number[], y: number[]): number => x.reduce((sum, value, k) => sum + value * y[k]!, 0);
    const unrelated = transpose(background.unrelated);
    const standardised = (i: number, value: number): number => {
      const all = Array.from({ length: 60 }, (_, b) => cosine(hat(i), [...rowOf(unrelated, b)]));
      const mean = all.reduce((sum, each) => sum + each, 0) / 60;
      return (value - mean) / Math.sqrt(all.reduce((sum, each) => sum + (each - mean) ** 2, 0) / 60);
    };
    const value = cosine(hat(0), hat(2));
    expect(S.data[2]).toBeCloseTo((standardised(0, value) + standardised(2, value)) / 2, 9);
    expect(S.data[6]).toBeCloseTo(S.data[2]!, 12);
  });

  it('asks more of shots that resemble unrelated footage', () => {
    // Half of the background lies along the first axis; nothing lies along the last.
    const common = matrixOf(Array.from({ length: 40 }, (_, i) => [i % 2, i % 2 ? 0 : 1, 0.01 * i, 0]));
    const against = backgroundOf(common);
    const X = unitRows(matrixOf([[1, 0, 0.2, 0], [1, 0.1, 0.2, 0], [0, 0, 0.2, 1], [0.1, 0, 0.2, 1]])); // prettier-ignore
    const prepared = comparable(X, against);
    const { data } = sameness(prepared, prepared);
    expect(data[2 * 4 + 3]).toBeGreaterThan(3 * data[0 * 4 + 1]!);
  });

  it('is the cosine where there is no background', () => {
    const X = unitRows(drawn(10, 2, 6));
    const plain = plainlyComparable(X);
    expect(sameness(plain, plain).data[0]).toBeCloseTo(1, 12);
  });
});

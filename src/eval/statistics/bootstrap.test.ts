import { describe, expect, it } from 'vitest';
import { random } from '../../base/index.js';
import { bootstrapIntervals } from '../index.js';

const knobs = { seed: 7, resamples: 4000, confidence: 0.95 };

describe('bootstrap intervals', () => {
  it('by hand: two topics of a 0 and a 1 give 0, ½, 1 with chances ¼, ½, ¼', () => {
    const pair = [0, 1];
    expect(bootstrapIntervals(knobs)([pair, pair])).toEqual({ low: 0, high: 1 });
    expect(bootstrapIntervals({ ...knobs, confidence: 0.4 })([pair, pair])).toEqual({ low: 0.5, high: 0.5 });
  });

  it('is as wide as the standard error of a mean of topic means says', () => {
    const { normal } = random(3);
    const topics = Array.from({ length: 40 }, () => Array.from({ length: 5 }, normal));
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    const variances = topics.map((values) => values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / 4);
    const error = Math.sqrt(mean(variances) / 5 / 40);
    const { low, high } = bootstrapIntervals({ ...knobs, resamples: 20_000 })(topics)!;
    expect(Math.abs((high - low) / (2 * 1.959964 * error) - 1)).toBeLessThan(0.03);
    expect((high + low) / 2).toBeCloseTo(mean(topics.map(mean)), 2);
  });

  it('counts topics alike, whatever their size', () => {
    const { low, high } = bootstrapIntervals(knobs)([new Array<number>(50).fill(1), [0, 0]])!;
    expect([low, high]).toEqual([0.5, 0.5]);
  });

  it('passes over empty topics, holds single videos still, and is null when nothing can vary', () => {
    const make = bootstrapIntervals(knobs);
    expect(make([[0, 1], []])).toEqual(make([[0, 1]]));
    const { low, high } = make([[0, 1], [5]])!;
    expect([low, high]).toEqual([2.5, 3]);
    expect(make([[3], [4]])).toBeNull();
    expect(make([])).toBeNull();
  });

  it('draws the same for the same seed, other for another', () => {
    const values = [Array.from({ length: 9 }, (_, i) => i ** 2 / 7), Array.from({ length: 4 }, (_, i) => i / 3)];
    expect(bootstrapIntervals(knobs)(values)).toEqual(bootstrapIntervals(knobs)(values));
    expect(bootstrapIntervals({ ...knobs, seed: 8 })(values)).not.toEqual(bootstrapIntervals(knobs)(values));
  });

  it('moves with its values', () => {
    const make = bootstrapIntervals(knobs);
    const values = [
      [0.1, 0.4, 0.3],
      [0.9, 0.2],
    ];
    const here = make(values)!;
    const there = make(values.map((topic) => topic.map((value) => 2 * value + 1)))!;
    expect(there.low).toBeCloseTo(2 * here.low + 1, 12);
    expect(there.high).toBeCloseTo(2 * here.high + 1, 12);
  });
});

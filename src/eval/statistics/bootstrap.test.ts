import { describe, expect, it } from 'vitest';
import { random } from '../../base/index.js';
import { bootstrapIntervals } from '../index.js';

const knobs = { seed: 7, resamples: 4000, confidence: 0.95 };

describe('bootstrap intervals', () => {
  it('by hand: one of two topics is drawn, then two of its two videos: 0 and 1 give 0, ½, 1 with chances ¼, ½, ¼', () => {
    const pair = [0, 1];
    expect(bootstrapIntervals(knobs)([pair, pair])).toEqual({ low: 0, high: 1 });
    expect(bootstrapIntervals({ ...knobs, confidence: 0.4 })([pair, pair])).toEqual({ low: 0.5, high: 0.5 });
  });

  it(
    'is as wide as topics that differ make it, whatever the videos: no narrower for more videos',
    { tags: 'slow' },
    () => {
      const { normal } = random(3);
      const means = Array.from({ length: 40 }, normal);
      const mean = means.reduce((sum, value) => sum + value, 0) / 40;
      const error = Math.sqrt(means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 39 / 40);
      for (const videos of [1, 50]) {
        const topics = means.map((value) => new Array<number>(videos).fill(value));
        const { low, high } = bootstrapIntervals({ ...knobs, resamples: 8000 })(topics)!;
        expect(Math.abs((high - low) / (2 * 1.959964 * error) - 1)).toBeLessThan(0.05);
        expect(Math.abs((high + low) / 2 - mean)).toBeLessThan(0.1 * error);
      }
    },
  );

  it('adds what the videos inside topics vary by: variance s²/n for the topics, as much again for the draws', () => {
    const { normal } = random(4);
    const topics = Array.from({ length: 40 }, () => Array.from({ length: 20 }, normal));
    const { low, high } = bootstrapIntervals({ ...knobs, resamples: 8000 })(topics)!;
    const error = Math.sqrt(2 / 20 / 40);
    expect(Math.abs((high - low) / (2 * 1.959964 * error) - 1)).toBeLessThan(0.15);
  });

  it('counts topics alike, whatever their size', () => {
    const many = Array.from({ length: 9 }, (_, topic) => new Array<number>(topic % 2 === 0 ? 50 : 1).fill(topic));
    const few = Array.from({ length: 9 }, (_, topic) => [topic]);
    const middle = ({ low, high }: { low: number; high: number }): number => (low + high) / 2;
    expect(middle(bootstrapIntervals(knobs)(many)!)).toBeCloseTo(middle(bootstrapIntervals(knobs)(few)!), 0);
  });

  it('passes over empty topics, resamples the videos of a single topic, and is null for a single video', () => {
    const make = bootstrapIntervals(knobs);
    expect(make([[0, 1], []])).toEqual(make([[0, 1]]));
    expect(make([[0, 1]])).toEqual({ low: 0, high: 1 });
    expect(make([[3], [4]])).toEqual({ low: 3, high: 4 });
    expect(make([[3]])).toBeNull();
    expect(make([])).toBeNull();
  });

  it('draws the same for the same seed, other for another', () => {
    const values = [Array.from({ length: 9 }, (_, i) => i ** 2 / 7), Array.from({ length: 4 }, (_, i) => i / 3)];
    expect(bootstrapIntervals(knobs)(values)).toEqual(bootstrapIntervals(knobs)(values));
    expect(bootstrapIntervals({ ...knobs, seed: 8 })(values)).not.toEqual(bootstrapIntervals(knobs)(values));
  });

  it('shifts with its values', () => {
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

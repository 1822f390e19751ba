import { describe, expect, it } from 'vitest';

import { normaliseShots } from './index.js';

const shots = { shotCount: 3, dim: 2, data: Float32Array.of(3, -4, 16, 9, 0, 0) };

describe('vectors of shots', () => {
  it('are brought to length one: (3, −4) has 5', () => {
    expect([...normaliseShots(shots, 'length').data.slice(0, 2)]).toEqual([0.6, -0.8]);
  });

  it('or first to their roots, signs kept: (16, 9) becomes (4, 3)', () => {
    const { data } = normaliseShots(shots, 'root');
    expect(data[2]).toBeCloseTo(0.8, 15);
    expect(data[3]).toBeCloseTo(0.6, 15);
    expect(data[1]).toBeCloseTo(-Math.sqrt(4 / 7), 15);
  });

  it('stay zero where there is nothing', () => {
    for (const how of ['length', 'root'] as const)
      expect([...normaliseShots(shots, how).data.slice(4)]).toEqual([0, 0]);
  });
});

import { describe, expect, it } from 'vitest';

import { random, type Matrix } from '../base/index.js';
import { createSelector, cvs, METHOD_NAMES, pooledChoice } from './index.js';

/** Unit vectors around three directions, four each. */
function pool(): Matrix {
  const { next } = random(7);
  const data = new Float64Array(12 * 6);
  for (let i = 0; i < 12; i++) {
    const row = Float64Array.from({ length: 6 }, (_, k) => (k === i % 3 ? 1 : 0.2 * next()));
    const length = Math.hypot(...row);
    data.set(row.map((value) => value / length), i * 6); // prettier-ignore
  }
  return { rows: 12, cols: 6, data };
}

describe('a method among pooled shots', () => {
  it('is itself, cvs without others, or none where it knows only others', () => {
    const methodOf = Object.fromEntries(
      METHOD_NAMES.map((method) => [method, pooledChoice({ method })?.method ?? null]),
    );
    expect(methodOf).toEqual({
      ...{ cvs: 'cvs-neighborhood', 'cvs-neighborhood': 'cvs-neighborhood', 'cvs-diversity': 'cvs-neighborhood' },
      'cvs-paper': 'cvs-neighborhood',
      ...{ kmeans: 'kmeans', spectral: 'spectral', smrs: 'smrs', livelight: 'livelight' },
      ...{ cocluster: null, cosum: null, random: 'random', uniform: 'uniform' },
    });
    expect(pooledChoice({ method: 'random', seed: 5 })).toEqual({ method: 'random', seed: 5 });
  });

  it('of cvs keeps its knobs but those of the others, and the ablation its missing diversity', () => {
    const knobs = { diversity: 0.02, sparsity: 0.4, contextWeight: 0.5 };
    expect(pooledChoice({ method: 'cvs', knobs })?.knobs).toEqual({ ...knobs, contextWeight: 0, consensus: 0 });
    expect(pooledChoice({ method: 'cvs-diversity', knobs })?.knobs).toMatchObject({ diversity: 0 });
  });

  it('of cvs is eq. 5 with α = β = 0: the problem of a video alone', () => {
    const problem = { features: pool(), context: null, ownWeight: 0 };
    const found = createSelector(pooledChoice({ method: 'cvs' })!).select(problem);
    expect(found.certificate.converged).toBe(true);
    expect(found).toEqual(cvs({ smoothing: 0.3, sparsity: 0.3 }).select(problem));
    expect([...found.shared]).toEqual(new Array(12).fill(0));
    // The three directions come first.
    expect(new Set(found.order.slice(0, 3).map((i) => i % 3)).size).toBe(3);
  });
});

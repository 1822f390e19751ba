import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf, NumericError, random, takeRows, zeros } from '../../base/index.js';
import { momentOf, type Neighbor, problemOf } from '../../topic/index.js';
import { scenes } from '../algorithm1.case.js';
import { cosum, type CosumKnobs, cosumDefaults, type Ranking } from '../index.js';
import { checkSelector } from '../selector.case.js';

checkSelector(cosum);
const centred = (): ReturnType<typeof cosum> => ({ ...cosum({ centering: 'topic' }), name: 'cosum, centred' });
checkSelector(centred);

const select = (features: Matrix, neighbors: readonly Neighbor[], knobs: Partial<CosumKnobs> = {}): Ranking =>
  cosum(knobs).select(problemOf(features, null, { neighbors }));
const expectClose = (found: Float64Array, expected: ArrayLike<number>): void =>
  found.forEach((score, i) => expect(score).toBeCloseTo(expected[i]!, 10));

/** Two videos with exactly these cosines between their shots: axes, and unit vectors that lean on them. */
function withCosines(cosines: number[][]): [Matrix, Matrix] {
  const [n, m] = [cosines.length, cosines[0]!.length];
  const own = zeros(n, n + m);
  for (let i = 0; i < n; i++) own.data[i * (n + m) + i] = 1;
  const others = zeros(m, n + m);
  for (let j = 0; j < m; j++) {
    const column = cosines.map((row) => row[j]!);
    column.forEach((cosine, i) => (others.data[j * (n + m) + i] = cosine));
    others.data[j * (n + m) + n + j] = Math.sqrt(1 - column.reduce((sum, cosine) => sum + cosine ** 2, 0));
  }
  return [own, others];
}

describe('cosum', () => {
  it('scores three shots against three as by hand', () => {
    // Edges are 0.3 and more. {0,1}×{0,1} has f = 2.2 − 4·0.3 = 1.0. Left: shot 2 with 0.5, and 0.5 − 2·0.3 < 0.
    const [own, others] = withCosines([
      [0.6, 0.7, 0.1],
      [0.5, 0.4, 0.2],
      [0.2, 0.0, 0.5],
    ]);
    const { scores, shared, own: alone, order, support, certificate } = select(own, [{ features: others }]);
    expectClose(scores, [1.3, 0.9, 0]);
    expect(shared).toEqual(scores);
    expect([...alone]).toEqual([0, 0, 0]);
    expect(order).toEqual([0, 1, 2]);
    expect(certificate).toEqual({ iterations: 1, converged: true, residual: 0 });
    expect(support!.map((parts) => parts.map(({ neighbor, shot }) => ({ neighbor, shot })))).toEqual([
      [{ neighbor: 0, shot: 1 }],
      [{ neighbor: 0, shot: 0 }],
      [],
    ]);
    expect(support![0]![0]).toMatchObject({ share: 1 });
    expect(support![0]![0]!.weight).toBeCloseTo(0.7, 12);
    // Where a pair of shots pays, at 2λ < 0.5, shot 2 counts too.
    expectClose(select(own, [{ features: others }], { sparsity: 0.2 }).scores, [1.3, 0.9, 0.5]);
  });

  it('joins shots at the threshold and not below it', () => {
    const own = matrixOf([[1, 0]]);
    const at = (cosine: [number, number], threshold: number): number =>
      select(own, [{ features: matrixOf([cosine]) }], { threshold, sparsity: 0 }).scores[0]!;
    expect(at([0.6, 0.8], 0.6)).toBe(0.6);
    expect(at([0.6, 0.8], 0.6000001)).toBe(0);
  });

  // Two videos share two scenes; their other shots are random directions, about orthogonal in 400 dimensions.
  const dim = 400;
  const { normal } = random(21);
  const direction = (): number[] => Array.from({ length: dim }, () => normal());
  const near = (scene: number[]): number[] => scene.map((value) => value + 0.5 * normal());
  const [sea, sky] = [direction(), direction()];
  const video = (shots: string): Matrix =>
    matrixOf([...shots].map((shot) => (shot === 'a' ? near(sea) : shot === 'b' ? near(sky) : direction())));
  const [seaShots, skyShots] = ['..aa..bbb...a.', '.b..aaa...b.'].map(video) as [Matrix, Matrix];

  for (const centering of ['none', 'topic'] as const) {
    it(`finds exactly the scenes two videos share (centering "${centering}")`, () => {
      const { scores, order, support, certificate } = select(seaShots, [{ features: skyShots }], { centering });
      // The sea is 3 × 3, the sky 3 × 2 shots: two bicliques, the larger first.
      expect(certificate.iterations).toBe(2);
      expect([...order.slice(0, 3)].sort((i, j) => i - j)).toEqual([2, 3, 12]);
      expect([...order.slice(3, 6)].sort((i, j) => i - j)).toEqual([6, 7, 8]);
      expect(order.slice(6).every((shot) => scores[shot] === 0 && support![shot]!.length === 0)).toBe(true);
      for (const shot of [2, 3, 12]) expect([4, 5, 6]).toContain(support![shot]![0]!.shot);
      for (const shot of [6, 7, 8]) expect([1, 10]).toContain(support![shot]![0]!.shot);
    });
  }

  it('lets shots without co-occurrence follow by their nearest counterparts', () => {
    const [own, others] = withCosines([
      [0.1, 0],
      [0.2, 0],
      [0, 0.25],
      [-0.4, 0],
    ]);
    const { order, places, scores } = select(own, [{ features: others }]);
    expect([...scores]).toEqual([0, 0, 0, 0]);
    expect(order).toEqual([2, 1, 0, 3]);
    expect(places).toEqual([2, 1, 0, 3]);
  });

  const target = scenes(1, 24, 16);
  const neighbors: Neighbor[] = [2, 3, 4].map((seed) => ({ features: scenes(seed, 15 + seed, 16) }));
  const variants: Partial<CosumKnobs>[] = [
    {},
    { centering: 'topic' },
    { threshold: 0.7 },
    { threshold: 0.6, sparsity: 2 },
  ];

  it('does not depend on the order of the shots, nor on that of the neighbours or of their shots', () => {
    // 7 and 24 have no common factor, so this is a shuffle.
    const shuffle = Array.from({ length: 24 }, (_, i) => (7 * i + 3) % 24);
    const reverse = ({ features }: Neighbor): Neighbor => ({
      features: takeRows(features, [...Array(features.rows).keys()].toReversed()),
    });
    for (const knobs of variants) {
      const { scores } = select(target, neighbors, knobs);
      const shuffled = select(takeRows(target, shuffle), neighbors, knobs).scores;
      expectClose(shuffled, shuffle.map((i) => scores[i]!)); // prettier-ignore
      expectClose(select(target, neighbors.toReversed(), knobs).scores, scores);
      expectClose(select(target, neighbors.map(reverse), knobs).scores, scores);
    }
  });

  it('counts a neighbour of weight two as two, one of weight zero as none', () => {
    const [first, second, third] = neighbors as [Neighbor, Neighbor, Neighbor];
    for (const knobs of variants) {
      const weighted = select(target, [first, { ...second, weight: 2 }, { ...third, weight: 0 }], knobs);
      expectClose(weighted.scores, select(target, [first, second, second], knobs).scores);
      expect(weighted.support!.flat().every(({ neighbor }) => neighbor < 2)).toBe(true);
    }
  });

  it('splits each shot’s score by neighbour', () => {
    const { scores, support } = select(target, neighbors);
    const single = neighbors.map((neighbor) => select(target, [neighbor]).scores);
    scores.forEach((score, i) => {
      for (const { neighbor, share, shot, weight } of support![i]!) {
        expect(share * score).toBeCloseTo(single[neighbor]![i]!, 10);
        expect(shot).toBeLessThan(neighbors[neighbor]!.features.rows);
        expect(weight).toBeGreaterThanOrEqual(cosumDefaults.threshold);
      }
      if (score > 0) expect(support![i]!.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
    });
  });

  it('does not see lengths, and, centred, not what all shots have in common', () => {
    const longer = (M: Matrix): Matrix => ({ ...M, data: M.data.map((value) => 3 * value) });
    expectClose(select(longer(target), neighbors).scores, select(target, neighbors).scores);
    const moved = (M: Matrix): Matrix => ({ ...M, data: M.data.map((value, at) => value + (at % M.cols)) });
    const shifted = neighbors.map(({ features }) => ({ features: moved(features) }));
    const knobs = { centering: 'topic' } as const;
    expectClose(select(moved(target), shifted, knobs).scores, select(target, neighbors, knobs).scores);
    // Nothing but the common part: what is left are roundings, and they must not become directions.
    const same = matrixOf(Array.from({ length: 7 }, () => [0.1, 0.7, 0.3]));
    expect([...select(same, [{ features: same }], knobs).scores]).toEqual(Array(7).fill(0));
  });

  it('counts at most so many bicliques for a neighbour, and collects more with each', () => {
    const { trace, certificate } = select(target, neighbors, { threshold: 0.7, maxBicliques: 2 });
    expect(certificate).toEqual({ iterations: 6, converged: true, residual: 0 });
    trace.slice(1).forEach(({ objective }, at) => expect(objective).toBeLessThan(trace[at]!.objective));
    expect(trace.map(({ residual }) => Math.round(3 * residual))).toEqual([3, 3, 2, 2, 1, 1]);
  });

  it('scores nothing without neighbours, and in film order', () => {
    const { order, scores, support } = cosum().select(problemOf(target, null));
    expect(order).toEqual([...Array(24).keys()]);
    expect(scores.every((score) => score === 0)).toBe(true);
    expect(support!.every((parts) => parts.length === 0)).toBe(true);
    expect(select(target, [{ features: zeros(0, 16) }, { features: zeros(2, 16) }]).order).toEqual(order);
  });

  it('says what it needs', () => {
    const moment = momentOf(neighbors[0]!.features);
    expect(() => cosum().select(problemOf(target, moment))).toThrow(/features as neighbours/);
    for (const knobs of [
      { threshold: 0 },
      { threshold: 1.1 },
      { sparsity: -1 },
      { maxBicliques: 0 },
      { starts: 1.5 },
    ]) {
      expect(() => cosum(knobs)).toThrow(NumericError);
    }
  });
});

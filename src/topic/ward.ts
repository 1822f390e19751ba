import { type Matrix, rowOf, squaredDistance } from '../base/index.js';

type Merge = { readonly kept: number; readonly gone: number; readonly height: number };

/**
 * Divides rows into 1, 2, … `most` clusters by Ward's method, each division refining the one before: entry k holds a label
 * for each row. Found by chains of nearest neighbours (Murtagh 1983) in rows² steps, with the Lance–Williams formula
 *   d²(a∪b, c) = ((|a|+|c|) d²(a,c) + (|b|+|c|) d²(b,c) − |c| d²(a,b)) / (|a|+|b|+|c|)
 */
export function wardDivisions(points: Matrix, most: number): number[][] {
  const merges = mergesOf(points).sort((a, b) => a.height - b.height || a.kept - b.kept || a.gone - b.gone);
  const count = points.rows;
  const leader = Array.from({ length: count }, (_, i) => i);
  const lead = (i: number): number => (leader[i] === i ? i : lead(leader[i]!));
  const ways: number[][] = [];
  for (let done = 0, clusters = count; clusters > 0; clusters--) {
    if (clusters <= most) ways[clusters] = leader.map((_, i) => lead(i));
    const merge = merges[done++];
    if (merge === undefined) break;
    const [a, b] = [lead(merge.kept), lead(merge.gone)];
    leader[Math.max(a, b)] = Math.min(a, b);
  }
  return ways;
}

function mergesOf(points: Matrix): Merge[] {
  const count = points.rows;
  const D = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++)
      D[i * count + j] = D[j * count + i] = squaredDistance(rowOf(points, i), rowOf(points, j));
  }
  const sizes = new Float64Array(count).fill(1);
  const merges: Merge[] = [];
  const chain: number[] = [];
  while (merges.length < count - 1) {
    if (chain.length === 0) chain.push(sizes.findIndex((size) => size > 0));
    const [last, before] = [chain.at(-1)!, chain.at(-2)];
    // On a tie, the chain turns back to where it came from, so that it ends.
    let nearest = before ?? -1;
    for (let other = 0; other < count; other++) {
      if (other === last || sizes[other] === 0) continue;
      if (nearest < 0 || D[last * count + other]! < D[last * count + nearest]!) nearest = other;
    }
    if (nearest !== before) {
      chain.push(nearest);
      continue;
    }
    chain.length -= 2;
    const [kept, gone] = [Math.min(last, nearest), Math.max(last, nearest)];
    merges.push({ kept, gone, height: D[kept * count + gone]! });
    join(D, sizes, kept, gone);
  }
  return merges;
}

function join(D: Float64Array, sizes: Float64Array, kept: number, gone: number): void {
  const count = sizes.length;
  const [a, b, apart] = [sizes[kept]!, sizes[gone]!, D[kept * count + gone]!];
  for (let other = 0; other < count; other++) {
    const c = sizes[other]!;
    if (c === 0 || other === kept || other === gone) continue;
    const from = (a + c) * D[kept * count + other]! + (b + c) * D[gone * count + other]! - c * apart;
    D[kept * count + other] = D[other * count + kept] = from / (a + b + c);
  }
  [sizes[kept], sizes[gone]] = [a + b, 0];
}

import type { Matrix } from '../base/index.js';

/** One division on the way from single rows to one cluster. */
export type Division = {
  /** A label for each row. */
  readonly labels: readonly number[];
  /** The least mean likeness of two clusters that were joined so far; infinite while none were. */
  readonly joined: number;
};

type Merge = { readonly kept: number; readonly gone: number; readonly distance: number };

/**
 * Divides n things by average linkage, given how alike they are (n × n, symmetric): entry k has k clusters, each division
 * refining the one before. Found by chains of nearest neighbours (Murtagh 1983) in n² steps, with the Lance–Williams formula
 *   d(a∪b, c) = (|a| d(a,c) + |b| d(b,c)) / (|a|+|b|),     d = −likeness
 */
export function averageDivisions(likeness: Matrix): Division[] {
  const count = likeness.rows;
  const merges = mergesOf(likeness).sort((a, b) => a.distance - b.distance || a.kept - b.kept || a.gone - b.gone);
  const leader = Array.from({ length: count }, (_, i) => i);
  const lead = (i: number): number => (leader[i] === i ? i : lead(leader[i]!));
  const divisions: Division[] = [];
  for (let clusters = count; clusters > 0; clusters--) {
    const last = merges[count - clusters - 1];
    if (last) {
      const [a, b] = [lead(last.kept), lead(last.gone)];
      leader[Math.max(a, b)] = Math.min(a, b);
    }
    divisions[clusters] = { labels: leader.map((_, i) => lead(i)), joined: last ? -last.distance : Infinity };
  }
  return divisions;
}

function mergesOf({ rows: count, data }: Matrix): Merge[] {
  const D = data.map((value) => -value);
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
    merges.push({ kept, gone, distance: D[kept * count + gone]! });
    join(D, sizes, kept, gone);
  }
  return merges;
}

function join(D: Float64Array, sizes: Float64Array, kept: number, gone: number): void {
  const count = sizes.length;
  const [a, b] = [sizes[kept]!, sizes[gone]!];
  for (let other = 0; other < count; other++) {
    if (sizes[other] === 0 || other === kept || other === gone) continue;
    const mean = (a * D[kept * count + other]! + b * D[gone * count + other]!) / (a + b);
    D[kept * count + other] = D[other * count + kept] = mean;
  }
  [sizes[kept], sizes[gone]] = [a + b, 0];
}

import { meanJudged } from './names.js';

/** Shots, best first, in tiers: shots of one tier are tied, and every order of them is as likely. */
export type Tiers = readonly (readonly number[])[];

/**
 * The shots a person wants: those of `sure`, and `inside` of those of `tied`, every choice of them as likely. A plain
 * set has no tied shots.
 */
export type Reference = {
  readonly sure: ReadonlySet<number>;
  readonly tied: ReadonlySet<number>;
  readonly inside: number;
};

/** An average precision in the two forms that papers use, mostly without saying which. */
export type AveragePrecision = {
  /** Divided by min(k, |reference|): what a perfect ranking could have reached. */
  readonly textbook: number;
  /** Divided by the hits among the first k; 0 if there is none. Never below `textbook`. */
  readonly retrieved: number;
};

/**
 * AP@k = (1/m) Σ hits(i)/i over the positions i ≤ k whose shot is in the reference.   (m by form; hits(i): hits in the first i)
 * `null` for an empty reference: there is nothing to find.
 */
export function averagePrecision(
  order: readonly number[],
  reference: ReadonlySet<number>,
  k: number,
): AveragePrecision | null {
  return precisionAt(tiersOf(order), referenceOf(reference), k);
}

/** The same where shots are tied: the expected sum, divided by min(k, |reference|) or by the expected hits. */
function precisionAt(tiers: Tiers, reference: Reference, k: number): AveragePrecision | null {
  const size = sizeOf(reference);
  if (size === 0) return null;
  const { hits, sum } = expectedHits(tiers, reference, k);
  return { textbook: sum / Math.min(k, size), retrieved: hits === 0 ? 0 : sum / hits };
}

/** P@k: the share of the first k shots (of all, if there are fewer) that are in the reference; `null` for an empty one. */
export function shareOfHits(tiers: Tiers, reference: Reference, k: number): number | null {
  const { hits, places } = expectedHits(tiers, reference, k);
  return sizeOf(reference) === 0 || places === 0 ? null : hits / places;
}

/** A tier for each shot: nothing is tied. */
export function tiersOf(order: readonly number[]): Tiers {
  return order.map((shot) => [shot]);
}

/** The shots of a set, in which nothing is tied. With `marks`, shots that tie with the worst of the set share its positions. */
export function referenceOf(set: ReadonlySet<number>, marks: Float64Array | null = null): Reference {
  const whole = { sure: set, tied: new Set<number>(), inside: 0 };
  if (marks === null || set.size === 0) return whole;
  let cut = Infinity;
  for (const shot of set) cut = Math.min(cut, marks[shot]!);
  const tied = new Set([...marks.keys()].filter((shot) => marks[shot] === cut));
  const sure = new Set([...set].filter((shot) => !tied.has(shot)));
  return { sure, tied, inside: set.size - sure.size };
}

/** The chance that a shot is in a reference. */
export function membership({ sure, tied, inside }: Reference, shot: number): number {
  return sure.has(shot) ? 1 : tied.has(shot) ? inside / tied.size : 0;
}

function sizeOf({ sure, inside }: Reference): number {
  return sure.size + inside;
}

/**
 * The expected number of hits among the first k positions, and the expected Σ hits(i)/i over those hits:
 *
 *   E[Σ] = Σ_{i≤k} (1/i) Σ_{j≤i} P(shots at i and j are both in the reference)
 *
 * A tied shot is in the reference with chance f = inside/t, two of them together with g = f·(inside − 1)/(t − 1).
 */
function expectedHits(tiers: Tiers, { sure, tied, inside }: Reference, k: number) {
  const f = tied.size > 0 ? inside / tied.size : 0;
  const g = tied.size > 1 ? (f * (inside - 1)) / (tied.size - 1) : 0;
  let [position, hits, sum] = [0, 0, 0];
  // Of the tiers before: shots in the reference for certain, and tied ones.
  let [C, U] = [0, 0];
  for (const tier of tiers) {
    if (position >= k) break;
    let [c, u] = [0, 0];
    for (const shot of tier) {
      if (sure.has(shot)) c++;
      else if (tied.has(shot)) u++;
    }
    const size = tier.length;
    const single = (c + f * u) / size;
    const withBefore = (c * (C + f * U) + u * (f * C + g * U)) / size;
    const pair = size > 1 ? (c * (c - 1) + 2 * c * u * f + u * (u - 1) * g) / (size * (size - 1)) : 0;
    for (let inTier = 0; inTier < size && position < k; inTier++) {
      position++;
      hits += single;
      sum += (single + withBefore + inTier * pair) / position;
    }
    [C, U] = [C + c, U + u];
  }
  return { places: position, hits, sum };
}

/** P@5, AP@5 and AP@15, averaged over the references that are not empty; the plain names of AP are the textbook form. */
export function precisionsOf(tiers: Tiers, references: readonly Reference[]) {
  const at = (k: number): (AveragePrecision | null)[] => references.map((one) => precisionAt(tiers, one, k));
  const [at5, at15] = [at(5), at(15)];
  return {
    p5: meanJudged(references.map((one) => shareOfHits(tiers, one, 5))),
    ap5: meanJudged(at5.map((ap) => ap && ap.textbook)),
    ap15: meanJudged(at15.map((ap) => ap && ap.textbook)),
    ap5Retrieved: meanJudged(at5.map((ap) => ap && ap.retrieved)),
    ap15Retrieved: meanJudged(at15.map((ap) => ap && ap.retrieved)),
  };
}

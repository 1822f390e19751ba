import { type JudgedMean, meanJudged } from './means.js';

/** An average precision in the two forms that papers use, mostly without saying which. */
export type AveragePrecision = {
  /** Divided by min(k, |reference|): what a perfect ranking could have reached. */
  readonly textbook: number;
  /** Divided by the hits among the first k; 0 if there is none. Never below `textbook`. */
  readonly retrieved: number;
};

/**
 * AP@k = (1/m) Σ hits(i)/i over the places i ≤ k whose shot is in the reference.   (m by form; hits(i): hits in the first i)
 * `null` for an empty reference: there is nothing to find.
 */
export function averagePrecision(
  order: readonly number[],
  reference: ReadonlySet<number>,
  k: number,
): AveragePrecision | null {
  if (reference.size === 0) return null;
  let [hits, sum] = [0, 0];
  const depth = Math.min(k, order.length);
  for (let i = 1; i <= depth; i++) if (reference.has(order[i - 1]!)) sum += ++hits / i;
  return { textbook: sum / Math.min(k, reference.size), retrieved: hits === 0 ? 0 : sum / hits };
}

/** AP@5 and AP@15 against several references; the plain names are the textbook form. */
export type RankingScores = {
  readonly ap5: JudgedMean;
  readonly ap15: JudgedMean;
  readonly ap5Retrieved: JudgedMean;
  readonly ap15Retrieved: JudgedMean;
};

/** Both forms at both depths, averaged over the references that are not empty. */
export function precisionsOf(order: readonly number[], references: readonly ReadonlySet<number>[]): RankingScores {
  const at = (k: number): (AveragePrecision | null)[] => references.map((one) => averagePrecision(order, one, k));
  const [at5, at15] = [at(5), at(15)];
  return {
    ap5: meanJudged(at5.map((ap) => ap && ap.textbook)),
    ap15: meanJudged(at15.map((ap) => ap && ap.textbook)),
    ap5Retrieved: meanJudged(at5.map((ap) => ap && ap.retrieved)),
    ap15Retrieved: meanJudged(at15.map((ap) => ap && ap.retrieved)),
  };
}

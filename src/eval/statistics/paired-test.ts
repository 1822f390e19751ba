import { powerOfTTest, twoSidedP } from './student-t.js';

/** Student's paired t-test, two-sided, with what it could have seen. */
export type PairedTest = {
  readonly pairCount: number;
  readonly meanDifference: number;
  /** mean / standard deviation of the differences (Cohen's d); `null` when they are all equal and not zero. */
  readonly effectSize: number | null;
  /** `null` stands for infinity: the differences are all equal and not zero. */
  readonly t: number | null;
  readonly degreesOfFreedom: number;
  readonly p: number;
  /** Chance that such a test finds a true effect of the observed size, at the level given. */
  readonly power: number;
};

/** Differences that vary by less than this share of the largest are equal: their spread is rounding. */
const ROUNDING = 1e-12;

/**
 * Tests whether differences of pairs have mean zero; `null` for fewer than two. Equal differences have an answer too:
 * all zero is no effect (t 0, p 1, power = level), all the same other value an infinite one (t `null`, p 0, power 1).
 */
export function pairedTest(differences: readonly number[], level: number): PairedTest | null {
  const pairCount = differences.length;
  if (pairCount < 2) return null;
  const meanDifference = differences.reduce((sum, value) => sum + value, 0) / pairCount;
  const degreesOfFreedom = pairCount - 1;
  const squares = differences.reduce((sum, value) => sum + (value - meanDifference) ** 2, 0);
  const deviation = Math.sqrt(squares / degreesOfFreedom);
  const largest = differences.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const common = { pairCount, meanDifference, degreesOfFreedom };
  if (largest <= ROUNDING) return { ...common, effectSize: 0, t: 0, p: 1, power: level };
  if (deviation <= ROUNDING * largest) return { ...common, effectSize: null, t: null, p: 0, power: 1 };
  const effectSize = meanDifference / deviation;
  const t = effectSize * Math.sqrt(pairCount);
  return {
    ...common,
    effectSize,
    t,
    p: twoSidedP(t, degreesOfFreedom),
    power: powerOfTTest(t, degreesOfFreedom, level),
  };
}

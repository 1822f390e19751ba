import { EVIDENCE_TERMS, type EvidenceTerm } from '../evidence/index.js';
import type { Candidate, CandidateLists } from './nested.js';

/** κ: how much evidence counts in the price of a shot. 0 is the problem of the paper. */
const WEIGHTS = [0, 0.5, 1, 2];
/** σ of smoothing in time. */
const SECONDS = [1.5, 3, 6];
/** Little and much sparsity, each with the smoothing of row norms that goes with it. */
const SPARSITIES = [
  { sparsity: 0.5, smoothing: 2 },
  { sparsity: 0.33, smoothing: 0.3 },
];
/** All terms of evidence, and all but one. */
const TERMS: readonly (readonly EvidenceTerm[])[] = [
  EVIDENCE_TERMS,
  ...EVIDENCE_TERMS.map((left) => EVIDENCE_TERMS.filter((term) => term !== left)),
];

/**
 * What `bench --nested` chooses from: how much evidence counts, its terms, its smoothing, and sparsity; with the other
 * videos and without. Nothing else may be tuned on the topics that are scored.
 */
export const CANDIDATES: CandidateLists = {
  nested: grid('cvs'),
  'nested-alone': grid('cvs-neighborhood'),
};

function grid(method: 'cvs' | 'cvs-neighborhood'): Candidate[] {
  return SPARSITIES.flatMap((knobs) =>
    WEIGHTS.flatMap((evidence) =>
      (evidence === 0 ? SECONDS.slice(0, 1) : SECONDS).flatMap((smoothSeconds) =>
        (evidence === 0 ? TERMS.slice(0, 1) : TERMS).map((terms) => ({
          name: `evidence ${evidence}${evidence === 0 ? '' : ` (${terms.join(' + ')}, ${smoothSeconds} s)`}, sparsity ${knobs.sparsity}`,
          choice: { method, knobs: { ...knobs, evidence }, weighing: { smoothSeconds, terms } },
        })),
      ),
    ),
  );
}

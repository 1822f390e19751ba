import { NORMALISATIONS } from '../features/index.js';
import type { Candidate, CandidateLists } from './nested.js';

const SPARSITIES = [0.3, 0.5, 0.6];
const SMOOTHINGS = [0.3, 1, 2];

/**
 * What `bench --nested` chooses from: every combination of normalisation, sparsity and smoothing, with the other videos
 * and without. Nothing else may be tuned on the topics that are scored.
 */
export const CANDIDATES: CandidateLists = {
  nested: grid('cvs'),
  'nested-alone': grid('cvs-neighborhood'),
};

function grid(method: 'cvs' | 'cvs-neighborhood'): Candidate[] {
  return NORMALISATIONS.flatMap((normalise) =>
    SPARSITIES.flatMap((sparsity) =>
      SMOOTHINGS.map((smoothing) => ({
        name: `${normalise}, sparsity ${sparsity}, smoothing ${smoothing}`,
        choice: { method, knobs: { sparsity, smoothing } },
        options: { normalise },
      })),
    ),
  );
}

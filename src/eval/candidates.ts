import { EVIDENCE_TERMS, type EvidenceTerm } from '../evidence/index.js';
import type { Candidate, CandidateLists } from './nested.js';

type Setting = {
  /** κ: how much evidence counts in the price of a shot; 0 is the problem of the paper. */
  readonly evidence: number;
  /** σ of smoothing in time, in seconds. */
  readonly smoothSeconds: number;
  readonly terms: readonly EvidenceTerm[];
  readonly sparsity: number;
  /** Of row norms, as it goes with the sparsity. */
  readonly smoothing: number;
};

const COMMON: Setting = { evidence: 1, smoothSeconds: 3, terms: EVIDENCE_TERMS, sparsity: 0.5, smoothing: 2 };

/** One setting changed at a time: how much evidence counts, its smoothing, its terms, and sparsity. */
const SETTINGS: readonly Setting[] = [
  COMMON,
  ...[0, 0.5, 2].map((evidence) => ({ ...COMMON, evidence })),
  ...[1.5, 6].map((smoothSeconds) => ({ ...COMMON, smoothSeconds })),
  ...EVIDENCE_TERMS.map((left) => ({ ...COMMON, terms: EVIDENCE_TERMS.filter((term) => term !== left) })),
  { ...COMMON, sparsity: 0.33, smoothing: 0.3 },
];

/** What `bench --nested` chooses from, with the other videos and without. Nothing else may be tuned on the scored topics. */
export const CANDIDATES: CandidateLists = {
  nested: SETTINGS.map((setting) => candidateOf('cvs', setting)),
  'nested-alone': SETTINGS.map((setting) => candidateOf('cvs-neighborhood', setting)),
};

function candidateOf(method: 'cvs' | 'cvs-neighborhood', setting: Setting): Candidate {
  const { evidence, smoothSeconds, terms, sparsity, smoothing } = setting;
  const how = evidence === 0 ? '' : ` (${terms.join(' + ')}, ${smoothSeconds} s)`;
  return {
    name: `evidence ${evidence}${how}, sparsity ${sparsity}`,
    choice: { method, knobs: { sparsity, smoothing, evidence }, weighing: { smoothSeconds, terms } },
  };
}

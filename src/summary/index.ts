/** summary: cuts a ranking to a length, and reads and writes the published record of a run. It touches no files. */
export { budgetTicks, formatBudget, parseBudget } from './budget.js';
export { clipsOf, planClips, type ClipRules, type Footage } from './clips.js';
export { compareSummaries, type SummaryChange } from './compare.js';
export { cutToLength, type CutWishes } from './cut.js';
export {
  rangeSchema,
  rationalSchema,
  summaryDocument,
  type Clip,
  type SummaryDocument,
  type SummaryShot,
  type Support,
  type VideoSummary,
} from './document.js';
export { rankShots } from './rank.js';
export { parseSummary, serialiseSummary } from './record.js';
export type { Budget, Cut, Importance } from './types.js';
export { upgradeRecord } from './upgrade.js';

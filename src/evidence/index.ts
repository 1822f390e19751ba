/**
 * evidence: how much each shot of a video is worth showing, from vectors and motion. Four terms, standardised within the video
 * and added with equal weights; no labels, no training. The result is a price for each shot in select (docs/evidence.md).
 * Also whether two shots show the same thing, measured against unrelated footage.
 * Pure: it knows neither files nor how shots are chosen. A term that cannot be computed is left out.
 */
export { type Background, backgroundOf, spreadOfRows } from './background.js';
export { type BackgroundFile, decodeBackground, encodeBackground } from './background-file.js';
export { type Evidence, evidenceOf, type EvidenceKnobs, EVIDENCE_TERMS, type EvidenceTerm } from './evidence.js';
export { type Comparable, comparable, plainlyComparable, SAME_FROM, sameness } from './sameness.js';

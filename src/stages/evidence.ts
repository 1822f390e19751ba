import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { dot, matrixOf, takeRows, type TallMatrix, toSeconds, UsageError, whyUnreadable } from '../base/index.js';
import {
  type Background,
  type BackgroundFile,
  backgroundOf,
  decodeBackground,
  type Evidence,
  type EvidenceKnobs,
  evidenceOf,
} from '../evidence/index.js';
import { EMBEDDED_MODEL, normaliseShots, parseBlocks, type FeatureSource } from '../features/index.js';
import type { Options } from '../options/index.js';
import type { Shot } from '../shots/index.js';
import { evenly, meanOfOthers, type Problem } from '../topic/index.js';
import type { AnalysedVideo } from './analyse-videos.js';

/** The background of the embedded network; docs/evidence.md says what it was made from. */
const EMBEDDED_BACKGROUND = fileURLToPath(new URL(`../../models/${EMBEDDED_MODEL.name}.background`, import.meta.url));

/** Shots whose raw vectors are read at a time. */
const AT_ONCE = 1024;

/** The options that decide evidence, besides those of analysis. */
export type EvidenceOptions = Pick<Options, 'background' | 'normalise' | 'whiten' | 'blocks'>;
/** What evidence needs of a video: its raw vectors, its shots, and what made the vectors. */
export type Weighed = Pick<AnalysedVideo, 'extractor'> & {
  readonly analysis: { readonly features: FeatureSource; readonly shots: readonly Pick<Shot, 'range'>[] };
};

/** Names features in a background file: vectors of other features cannot be compared with it. */
function featuresName({ name, version, sha256, layer }: Weighed['extractor']): string {
  return sha256 === null ? `${name} ${version}` : `${name} ${sha256} ${layer}`;
}

/** The evidence for the shots of a video, as a function of its problem. */
export type Weigh = (problem: Problem<TallMatrix>, knobs?: Partial<EvidenceKnobs>) => Evidence;

/**
 * Prepares the evidence of a video. `looks` are the vectors of its pictures alone, `topic` the content hashes of the topic's
 * videos: rows of the background that come from them are left out. The background is that of the embedded network, or the
 * file named by --background; without one, evidence does without the terms that need it.
 */
export async function weigher(
  video: Weighed,
  looks: TallMatrix,
  options: EvidenceOptions,
  topic: ReadonlySet<string>,
): Promise<Weigh> {
  return weigherAgainst(await openBackground(video.extractor, options, topic), video, looks, options);
}

/** The same against a given background. */
export async function weigherAgainst(
  background: Background | null,
  { analysis }: Weighed,
  looks: TallMatrix,
  options: EvidenceOptions,
): Promise<Weigh> {
  const strength = await strengthOf(analysis.features, background?.tail ?? null);
  const seconds = analysis.shots.map(({ range: { start, end, base } }) => toSeconds((start + end) / 2, base));
  return (problem, knobs) => {
    const others = picturesOfOthers(problem, looks.cols, options);
    return evidenceOf({ features: looks, seconds, strength, others }, background, knobs);
  };
}

/** What the pictures of the other videos show on average; `null` without others, or if vectors are whitened by the topic. */
function picturesOfOthers(
  problem: Problem<TallMatrix>,
  dim: number,
  { blocks, whiten }: EvidenceOptions,
): Float64Array | null {
  const others = whiten === undefined ? meanOfOthers(problem) : null;
  if (others === null || blocks === undefined) return others;
  // Blocks (motion, sound) are columns after those of the pictures, which have the rest of the squared length.
  const taken = parseBlocks(blocks)!.reduce((sum, { weight }) => sum + weight, 0);
  return others.slice(0, dim).map((value) => value / Math.sqrt(1 - taken));
}

/** Backgrounds by file, normalisation and what was left out: the same for all videos of a topic. */
const opened = new Map<string, Background | null>();
const files = new Map<string, Promise<BackgroundFile | null>>();

/** The background for these features without rows of the topic itself; `null` if there is none. */
async function openBackground(
  extractor: Weighed['extractor'],
  options: EvidenceOptions,
  topic: ReadonlySet<string>,
): Promise<Background | null> {
  const name = JSON.stringify([options.background, featuresName(extractor)]);
  const reading = files.get(name) ?? readBackground(extractor, options);
  files.set(name, reading);
  const file = await reading.catch((error: unknown) => {
    files.delete(name);
    throw error;
  });
  if (file === null) return null;
  const own = new Set(file.sources.flatMap(({ sha256 }) => (topic.has(sha256) ? [sha256] : [])));
  const key = JSON.stringify([name, options.normalise, ...own]);
  if (!opened.has(key)) {
    // The latest is enough: one topic is ranked at a time.
    opened.clear();
    opened.set(key, backgroundFrom(file, options, own));
  }
  return opened.get(key)!;
}

/** The background file for these features: the one asked for, or that of the embedded network; `null` if there is none. */
export async function readBackground(
  extractor: Weighed['extractor'],
  { background: asked }: Pick<EvidenceOptions, 'background'>,
): Promise<BackgroundFile | null> {
  const expected = featuresName(extractor);
  if (asked === undefined && extractor.sha256 !== EMBEDDED_MODEL.sha256) return null;
  const path = asked ?? EMBEDDED_BACKGROUND;
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError('no-background', `Expected a background file at "${path}", found none: ${whyUnreadable(error)}.`); // prettier-ignore
  });
  const file = decodeBackground(bytes, path);
  if (file.features === expected) return file;
  throw new UsageError(
    'other-background',
    `Expected a background of the features "${expected}" in "${path}", found "${file.features}". Make one with "throughline background".`,
  );
}

/** A background from a file, normalised as the vectors of a run are, without the rows of the videos named by their hashes. */
export function backgroundFrom(
  { raw: all, sources }: BackgroundFile,
  { normalise }: Pick<EvidenceOptions, 'normalise'>,
  without: ReadonlySet<string> = new Set(),
): Background | null {
  const kept = sources.flatMap(({ sha256, shots }) => new Array<boolean>(shots).fill(!without.has(sha256)));
  const raw = takeRows(all, [...kept.keys()].filter((row) => kept[row]!)); // prettier-ignore
  if (raw.rows === 0) return null;
  const { rows: shotCount, cols: dim } = raw;
  return backgroundOf(raw, normaliseShots({ shotCount, dim, data: Float32Array.from(raw.data) }, normalise));
}

/** How much there is to see in each shot: x·tail of the raw vectors x, or ‖x‖ without a background. */
async function strengthOf(features: FeatureSource, tail: Float64Array | null): Promise<Float64Array> {
  const strength = new Float64Array(features.shotCount);
  for (let first = 0; first < features.shotCount; first += AT_ONCE) {
    const { shotCount, dim, data } = await features.read(first, Math.min(AT_ONCE, features.shotCount - first));
    for (let i = 0; i < shotCount; i++) {
      const row = Float64Array.from(data.subarray(i * dim, (i + 1) * dim));
      strength[first + i] = tail === null ? Math.sqrt(dot(row, row)) : dot(row, tail);
    }
  }
  return strength;
}

/** A background from videos: raw vectors of shots spread evenly over each, so many of each as far as it has them. */
export async function sampleBackground(videos: readonly AnalysedVideo[], perVideo: number): Promise<BackgroundFile> {
  const rows: Float32Array[] = [];
  const sources: { sha256: string; shots: number }[] = [];
  for (const { sha256, analysis } of videos) {
    const { features } = analysis;
    const shots = evenly(features.shotCount, perVideo);
    for (const shot of shots) rows.push((await features.read(shot, 1)).data);
    sources.push({ sha256, shots: shots.length });
  }
  return { raw: matrixOf(rows), features: featuresName(videos[0]!.extractor), sources };
}

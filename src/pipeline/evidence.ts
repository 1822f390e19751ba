import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  dot,
  type Matrix,
  matrixOf,
  StoreError,
  takeRows,
  type TallMatrix,
  toSeconds,
  UsageError,
  whyUnreadable,
  zeros,
} from '../base/index.js';
import { EMBEDDED_MODEL, type FeatureSource, normaliseShots, parseBlocks } from '../features/index.js';
import type { Options } from '../options/index.js';
import { activityOf } from '../shots/index.js';
import {
  type Background,
  backgroundOf,
  evenly,
  type Evidence,
  type EvidenceKnobs,
  openEvidence,
  meanOfOthers,
  type Problem,
  sameViewFrom,
  usualLikeness,
  viewsOf,
} from '../topic/index.js';
import type { AnalysedVideo } from './analyse-videos.js';

/** The background of the embedded network; docs/evidence.md says what it was made from. */
export const EMBEDDED_BACKGROUND = fileURLToPath(
  new URL(`../../models/${EMBEDDED_MODEL.name}.background`, import.meta.url),
);

/** Shots whose raw vectors are read at a time. */
const AT_ONCE = 1024;

/** The options that decide evidence, besides those of analysis. */
export type EvidenceOptions = Pick<Options, 'background' | 'normalise' | 'whiten' | 'blocks'>;
/** What evidence needs of a video: its raw vectors, its shots, how they move, and what made the vectors. */
type Weighed = Pick<AnalysedVideo, 'extractor'> & {
  readonly analysis: Pick<AnalysedVideo['analysis'], 'features' | 'shots' | 'measures'>;
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

/** What unrelated shots are like, by background and normalisation. */
const usual = new Map<string, Promise<number | null>>();

/**
 * The view that each shot of a video shows, as a number. Unrelated shots are those of the background, the topic's own rows
 * included, or without one all shots of the video.
 */
export async function viewsOfVideo(
  { extractor }: Pick<Weighed, 'extractor'>,
  looks: TallMatrix,
  options: EvidenceOptions,
): Promise<number[]> {
  const key = JSON.stringify([options.background, featuresName(extractor), options.normalise]);
  const reading = usual.get(key) ?? usualIn(extractor, options);
  usual.set(key, reading);
  reading.catch(() => usual.delete(key));
  return viewsOf(looks, sameViewFrom((await reading) ?? usualLikeness(looks)));
}

async function usualIn(extractor: Weighed['extractor'], options: EvidenceOptions): Promise<number | null> {
  const file = await readBackground(extractor, options);
  const background = file && backgroundFrom(file, options);
  return background && dot(background.mean, background.mean);
}

/** The same against a given background. */
export async function weigherAgainst(
  background: Background | null,
  { analysis }: Weighed,
  looks: TallMatrix,
  options: EvidenceOptions,
): Promise<Weigh> {
  const strength = await strengthOf(analysis.features);
  const activity = activityOf(analysis.shots, await analysis.measures());
  const seconds = analysis.shots.map(({ range: { start, end, base } }) => toSeconds((start + end) / 2, base));
  // A topic that is ranked again and again poses the same problem under other knobs.
  const opened = new WeakMap<Problem<TallMatrix>, ReturnType<typeof openEvidence>>();
  return (problem, knobs) => {
    const known = opened.get(problem);
    if (known) return known(knobs);
    const others = picturesOfOthers(problem, looks.cols, options);
    const evidence = openEvidence({ features: looks, seconds, strength, activity, others }, background);
    opened.set(problem, evidence);
    return evidence(knobs);
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
export async function openBackground(
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

/** Whether there is a background for these features: the one asked for, or that of the embedded network. */
export function hasBackground(
  { sha256 }: Weighed['extractor'],
  { background }: Pick<EvidenceOptions, 'background'>,
): boolean {
  return background !== undefined || sha256 === EMBEDDED_MODEL.sha256;
}

/** The background file for these features: the one asked for, or that of the embedded network; `null` if there is none. */
export async function readBackground(
  extractor: Weighed['extractor'],
  options: Pick<EvidenceOptions, 'background'>,
): Promise<BackgroundFile | null> {
  if (!hasBackground(extractor, options)) return null;
  const expected = featuresName(extractor);
  const path = options.background ?? EMBEDDED_BACKGROUND;
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

/** The videos of the embedded background, by the hash of their content. */
export async function embeddedSources(): Promise<ReadonlySet<string>> {
  const { sources } = decodeBackground(await readFile(EMBEDDED_BACKGROUND), EMBEDDED_BACKGROUND);
  return new Set(sources.map(({ sha256 }) => sha256));
}

/** A background from a file, normalised as the vectors of a run are, without the rows of the videos named by their hashes. */
export function backgroundFrom(
  file: BackgroundFile,
  { normalise }: Pick<EvidenceOptions, 'normalise'>,
  without: ReadonlySet<string> = new Set(),
): Background | null {
  const raw = backgroundRows(file, without);
  if (raw.rows === 0) return null;
  const { rows: shotCount, cols: dim } = raw;
  return backgroundOf(normaliseShots({ shotCount, dim, data: Float32Array.from(raw.data) }, normalise));
}

/** The raw vectors of a background, without those of the videos named by their hashes. */
export function backgroundRows({ raw, sources }: BackgroundFile, without: ReadonlySet<string>): Matrix {
  const kept = sources.flatMap(({ sha256, shots }) => new Array<boolean>(shots).fill(!without.has(sha256)));
  return takeRows(raw, [...kept.keys()].filter((row) => kept[row]!)); // prettier-ignore
}

/** How much there is to see in each shot: the length of its raw vector, which is that of its pictures (`poolPictures`). */
async function strengthOf(features: FeatureSource): Promise<Float64Array> {
  const strength = new Float64Array(features.shotCount);
  for (let first = 0; first < features.shotCount; first += AT_ONCE) {
    const { shotCount, dim, data } = await features.read(first, Math.min(AT_ONCE, features.shotCount - first));
    for (let i = 0; i < shotCount; i++) {
      const row = Float64Array.from(data.subarray(i * dim, (i + 1) * dim));
      strength[first + i] = Math.sqrt(dot(row, row));
    }
  }
  return strength;
}

/** Shots that a background takes of each video. */
export const BACKGROUND_SHOTS = 20;

/** A background from videos: raw vectors of shots spread evenly over each, so many of each as far as it has them. */
export async function sampleBackground(
  videos: readonly AnalysedVideo[],
  perVideo = BACKGROUND_SHOTS,
): Promise<BackgroundFile> {
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

/*
 * background.1, little-endian:
 *   0  8 bytes  "TLBACKGR"
 *   8  uint32   length of the header
 *  12  UTF-8    header, JSON: features, dim, sources
 *  ..  float32  for each row the largest size of its entries
 *  ..  int8     127·sign(v)·√(|v|/largest), row after row
 *  end 32 bytes SHA-256 of everything before
 * Square roots, because shots are compared by the roots of their entries.
 */
const MAGIC = 'TLBACKGR';
const HEADER_AT = 12;
const CHECKSUM_BYTES = 32;
const STEPS = 127;

const headerSchema = z.object({
  schema: z.literal('background.1'),
  features: z.string(),
  dim: z.int().positive(),
  sources: z.array(z.object({ sha256: z.string(), shots: z.int().nonnegative() })),
});

/** Raw vectors of unrelated footage, one row per shot, video after video. */
type BackgroundFile = {
  readonly raw: Matrix;
  /** Names the features: vectors of others cannot be compared with these. */
  readonly features: string;
  /** The videos that the rows are from, in order, by the hash of their content. */
  readonly sources: readonly { readonly sha256: string; readonly shots: number }[];
};

/** A background as a file. */
export function encodeBackground({ raw, features, sources }: BackgroundFile): Buffer {
  const header = Buffer.from(JSON.stringify({ schema: 'background.1', features, dim: raw.cols, sources }), 'utf8');
  const first = HEADER_AT + header.length;
  const body = first + 4 * raw.rows + raw.data.length;
  const bytes = Buffer.alloc(body + CHECKSUM_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(header.length, 8);
  header.copy(bytes, HEADER_AT);
  for (let i = 0; i < raw.rows; i++) {
    const row = raw.data.subarray(i * raw.cols, (i + 1) * raw.cols);
    const largest = Math.fround(row.reduce((size, value) => Math.max(size, Math.abs(value)), 0));
    bytes.writeFloatLE(largest, first + 4 * i);
    row.forEach((value, k) => {
      const root = largest > 0 ? Math.sign(value) * Math.sqrt(Math.min(1, Math.abs(value) / largest)) : 0;
      bytes.writeInt8(Math.round(STEPS * root), first + 4 * raw.rows + i * raw.cols + k);
    });
  }
  checksum(bytes, body).copy(bytes, body);
  return bytes;
}

/** Reads such a file. Anything damaged or unknown is refused; `source` names the file in errors. */
export function decodeBackground(bytes: Uint8Array, source: string): BackgroundFile {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const body = buffer.length - CHECKSUM_BYTES;
  const refuse = (found: string): StoreError =>
    new StoreError('bad-background', `Expected a background file in "${source}", found ${found}. Make it again.`);
  if (body < HEADER_AT || buffer.toString('latin1', 0, 8) !== MAGIC) throw refuse('something else');
  if (!checksum(buffer, body).equals(buffer.subarray(body))) throw refuse('one that is cut off or altered');
  const first = HEADER_AT + buffer.readUInt32LE(8);
  const header = headerSchema.safeParse(parseJson(buffer.toString('utf8', HEADER_AT, first)));
  if (!header.success) throw refuse('another version');
  const { features, dim, sources } = header.data;
  const rows = sources.reduce((sum, { shots }) => sum + shots, 0);
  if (body !== first + rows * (4 + dim)) throw refuse('another number of rows than it says');
  const raw = zeros(rows, dim);
  for (let i = 0; i < rows; i++) {
    const largest = buffer.readFloatLE(first + 4 * i);
    if (!Number.isFinite(largest)) throw refuse('an entry that is not finite');
    for (let k = 0; k < dim; k++) {
      const root = buffer.readInt8(first + 4 * rows + i * dim + k) / STEPS;
      raw.data[i * dim + k] = largest * Math.sign(root) * root * root;
    }
  }
  return { raw, features, sources };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function checksum(bytes: Buffer, length: number): Buffer {
  return createHash('sha256').update(bytes.subarray(0, length)).digest();
}

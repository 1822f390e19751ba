import { inMemory, type Matrix, rowBlocks, sharedZeros, takeRows, type TallMatrix, zeros } from '../base/index.js';
import {
  appendBlocks,
  normaliseShots,
  someShots,
  type FeatureSource,
  type Normalisation,
  type ShotBlock,
} from '../features/index.js';
import type { Options } from '../options/index.js';
import type { Run } from './run.js';
import { alikeFrom, evenly, sumOfShots, whitenTopic } from '../topic/index.js';
import type { AnalysedVideo } from './analyse-videos.js';
import { COMPARED_VIDEOS, HELD_NUMBERS } from './limits.js';

/** Shots whose vectors are made at a time. */
const AT_ONCE = 1024;

/** The most videos of a sample of the topic, and the most shots of each. */
export const SAMPLED = 32;

/** How many numbers may be in memory, and the disk for what is more. */
export type Room = Pick<Run, 'workspace' | 'heldNumbers'>;
/** The options that decide the vectors of a topic, besides those of analysis. */
export type VectorOptions = Pick<Options, 'normalise' | 'whiten'>;
type Described = Pick<AnalysedVideo, 'analysis' | 'blocks'>;

/** Vectors made before: videos are compared first, and ranked by the same vectors later. */
const known = new WeakMap<AnalysedVideo['analysis'], Map<Normalisation, Promise<TallMatrix>>>();

/** The vectors of the pictures alone. Whole videos are compared by these: a copy without sound is still a copy. */
export async function pictureVectors(
  videos: readonly Pick<Described, 'analysis'>[],
  { normalise }: Pick<Options, 'normalise'>,
  room: Room,
): Promise<TallMatrix[]> {
  const gather = gathererFor(videos.map(({ analysis: { features } }) => [features.shotCount, features.dim]), room); // prettier-ignore
  const vectors: TallMatrix[] = [];
  for (const { analysis } of videos) {
    const { features } = analysis;
    const made = known.get(analysis) ?? new Map<Normalisation, Promise<TallMatrix>>();
    known.set(analysis, made);
    if (!made.has(normalise)) made.set(normalise, gather(features.shotCount, features.dim, normalised(features, normalise))); // prettier-ignore
    const making = made.get(normalise)!;
    // What failed, on a full disk, may be made later.
    making.catch(() => made.delete(normalise));
    vectors.push(await making);
  }
  return vectors;
}

/**
 * The vectors by which the shots of a topic are compared, one matrix per video; every row has length one, or is zero.
 * Whitening needs those of all videos in memory.
 */
export async function shotVectors(
  videos: readonly Described[],
  { normalise, whiten }: VectorOptions,
  room: Room,
): Promise<TallMatrix[]> {
  const pictures = await pictureVectors(videos, { normalise }, room);
  const even = whiten === undefined ? pictures : whitenTopic(pictures.map(inMemory), { dims: whiten });
  const colsOf = (place: number): number =>
    videos[place]!.blocks.reduce((sum, { rows }) => sum + rows.dim, even[place]!.cols);
  const gather = gathererFor(even.map(({ rows }, place) => [rows, colsOf(place)]), room); // prettier-ignore
  const vectors: TallMatrix[] = [];
  for (const [place, { blocks }] of videos.entries()) {
    const own = even[place]!;
    vectors.push(blocks.length === 0 ? own : await gather(own.rows, colsOf(place), appended(own, blocks)));
  }
  return vectors;
}

type Gather = (rows: number, cols: number, blocks: AsyncIterable<Matrix> | Iterable<Matrix>) => Promise<TallMatrix>;

/** Puts matrices of these sizes, some rows at a time, into memory that threads share, or on disk if they are too many. */
function gathererFor(
  sizes: readonly (readonly [rows: number, cols: number])[],
  { workspace, heldNumbers = HELD_NUMBERS }: Room,
): Gather {
  if (sizes.reduce((sum, [rows, cols]) => sum + rows * cols, 0) > heldNumbers) return workspace.storeRows;
  return async (rows, cols, blocks) => {
    const whole = sharedZeros(rows, cols);
    let at = 0;
    for await (const { data } of blocks) {
      whole.data.set(data, at);
      at += data.length;
    }
    return whole;
  };
}

async function* normalised(features: FeatureSource, how: Normalisation): AsyncGenerator<Matrix> {
  const { data } = zeros(Math.min(AT_ONCE, features.shotCount), features.dim);
  for (let first = 0; first < features.shotCount; first += AT_ONCE) {
    const some = await features.read(first, Math.min(AT_ONCE, features.shotCount - first));
    const [rows, cols] = [some.shotCount, some.dim];
    yield normaliseShots(some, how, { rows, cols, data: data.subarray(0, rows * cols) });
  }
}

function* appended(vectors: TallMatrix, blocks: readonly ShotBlock[]): Generator<Matrix> {
  for (const { first, block } of rowBlocks(vectors)) {
    yield appendBlocks(
      block,
      blocks.map((each) => ({ ...each, rows: someShots(each.rows, first, block.rows) })),
    );
  }
}

/** What the film of a topic has to know about its shots. */
export type ShotVectors = {
  /** Of one video: the vectors its shots are ranked by, and those of their looks. */
  of(video: number): Promise<{ readonly features: TallMatrix; readonly looks: TallMatrix }>;
  /** The cosine of looks from which two shots show nearly the same. */
  alike(): Promise<number>;
  /** The looks of some shots of some videos, spread evenly: one matrix per video. */
  sample(): Promise<Matrix[]>;
};

/** The vectors of a topic, each kind computed when first asked for and kept. */
export type Vectors = ShotVectors & { features(): Promise<readonly TallMatrix[]> };

/** The vectors of these videos under the options of a run. */
export function vectorsOf(videos: readonly Described[], options: VectorOptions, room: Room): Vectors {
  const features = once(() => shotVectors(videos, options, room));
  const looks = once(() => pictureVectors(videos, options, room));
  return {
    features,
    of: async (video) => ({ features: (await features())[video]!, looks: (await looks())[video]! }),
    alike: once(async () => {
      const seen = await looks();
      return alikeFrom(spreadOver(videos.length).map((video) => sumOfShots(seen[video]!)));
    }),
    sample: once(async () => {
      const seen = await looks();
      return evenly(videos.length, SAMPLED).map((video) => sampleShots(seen[video]!));
    }),
  };
}

/** The videos that decide which shots count as alike: all, or an even selection of very many. */
export function spreadOver(videoCount: number): number[] {
  return evenly(videoCount, COMPARED_VIDEOS);
}

/** Some shots of a video, spread evenly. */
export function sampleShots(looks: TallMatrix): Matrix {
  return takeRows(looks, evenly(looks.rows, SAMPLED));
}

/** Makes something when it is first asked for, and keeps it; what failed is made again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make().catch((error: unknown) => ((made = null), Promise.reject(error))));
}

import type { Matrix } from '../base/index.js';
import { appendBlocks, normaliseShots } from '../features/index.js';
import type { Options } from '../options/index.js';
import { alikeFrom, evenly, sumOfShots, whitenTopic } from '../topic/index.js';
import type { AnalysedVideo } from './analyse-videos.js';
import { COMPARED_VIDEOS } from './limits.js';

/** The vectors of the pictures alone. Whole videos are compared by these: a copy without sound is still a copy. */
export function pictureVectors(
  videos: readonly Pick<AnalysedVideo, 'analysis'>[],
  { normalise }: Pick<Options, 'normalise'>,
): Matrix[] {
  return videos.map(({ analysis }) => normaliseShots(analysis.features, normalise));
}

/** The vectors by which the shots of a topic are compared, one matrix per video; every row has length one, or is zero. */
export function shotVectors(
  videos: readonly Pick<AnalysedVideo, 'analysis' | 'blocks'>[],
  { normalise, whiten }: Pick<Options, 'normalise' | 'whiten'>,
): Matrix[] {
  const pictures = pictureVectors(videos, { normalise });
  const even = whiten === undefined ? pictures : whitenTopic(pictures, { dims: whiten });
  return even.map((vectors, place) => appendBlocks(vectors, videos[place]!.blocks));
}

/** What the film of a topic has to know about its shots. */
export type ShotVectors = {
  /** Of one video: the vectors its shots are ranked by, and those of their looks. */
  of(video: number): Promise<{ readonly features: Matrix; readonly looks: Matrix }>;
  /** The cosine of looks from which two shots show nearly the same. */
  alike(): Promise<number>;
};

/** The vectors of a topic, each kind computed when first asked for and kept. */
export type Vectors = ShotVectors & { features(): readonly Matrix[] };

/** The vectors of these videos under the options of a run. */
export function vectorsOf(
  videos: readonly Pick<AnalysedVideo, 'analysis' | 'blocks'>[],
  options: Pick<Options, 'normalise' | 'whiten'>,
): Vectors {
  const features = once(() => shotVectors(videos, options));
  // Without sound, motion or whitening, shots are ranked by their looks alone: one set of numbers serves both.
  const isLooks = options.whiten === undefined && videos.every(({ blocks }) => blocks.length === 0);
  const looks = isLooks ? features : once(() => pictureVectors(videos, options));
  return {
    features,
    of: async (video) => ({ features: features()[video]!, looks: looks()[video]! }),
    alike: once(async () => alikeFrom(spreadOver(videos.length).map((video) => sumOfShots(looks()[video]!)))),
  };
}

/** The videos that decide which shots count as alike: all, or an even selection of very many. */
export function spreadOver(videoCount: number): number[] {
  return evenly(videoCount, COMPARED_VIDEOS);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

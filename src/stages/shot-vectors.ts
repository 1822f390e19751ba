import type { Matrix } from '../base/index.js';
import { appendBlocks, normaliseShots } from '../features/index.js';
import type { Options } from '../options/index.js';
import { alikeFrom, evenly, sumOfShots, whitenTopic } from '../topic/index.js';
import type { AnalysedVideo } from './analyse-videos.js';
import { COMPARED_VIDEOS } from './limits.js';

/** The vectors of the pictures alone, by which whole videos are compared: a copy without sound is still a copy. */
export function pictureVectors(
  videos: readonly Pick<AnalysedVideo, 'analysis'>[],
  { normalise }: Pick<Options, 'normalise'>,
): Matrix[] {
  return videos.map(({ analysis }) => normaliseShots(analysis.features, normalise));
}

/** The vectors by which the shots of one topic are compared, a matrix a video; every row has length one, or is zero. */
export function shotVectors(
  videos: readonly Pick<AnalysedVideo, 'analysis' | 'blocks'>[],
  { normalise, whiten }: Pick<Options, 'normalise' | 'whiten'>,
): Matrix[] {
  const pictures = pictureVectors(videos, { normalise });
  const even = whiten === undefined ? pictures : whitenTopic(pictures, { dims: whiten });
  return even.map((vectors, place) => appendBlocks(vectors, videos[place]!.blocks));
}

/** What the film of a topic asks of its shots. */
export type ShotVectors = {
  /** Of one video: what its shots are ranked by, and how they look. */
  of(video: number): Promise<{ readonly features: Matrix; readonly looks: Matrix }>;
  /** From this cosine of looks on, two shots show nearly the same. */
  alike(): Promise<number>;
};

/** What is known of the shots of a topic, each part made when first asked for and kept. */
export type Vectors = ShotVectors & { features(): readonly Matrix[] };

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

/** The videos by which it is told how alike the shots of a topic are: all, or of very many as many as say the same. */
export function spreadOver(videoCount: number): number[] {
  return evenly(videoCount, COMPARED_VIDEOS);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

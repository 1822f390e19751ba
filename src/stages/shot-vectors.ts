import type { Matrix } from '../base/index.js';
import { appendBlocks, normaliseShots } from '../features/index.js';
import type { Options } from '../options.js';
import { alikeFrom, whitenTopic } from '../topic/index.js';
import type { AnalysedVideo } from './analyse-videos.js';

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

/** What is known of the shots of a topic, each part made when first asked for and kept. */
export type Vectors = {
  features(): readonly Matrix[];
  looks(): readonly Matrix[];
  /** From this cosine of looks on, two shots show nearly the same. */
  alike(): number;
};

export function vectorsOf(
  videos: readonly Pick<AnalysedVideo, 'analysis' | 'blocks'>[],
  options: Pick<Options, 'normalise' | 'whiten'>,
): Vectors {
  const features = once(() => shotVectors(videos, options));
  const looks = once(() => pictureVectors(videos, options));
  return { features, looks, alike: once(() => alikeFrom(looks())) };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

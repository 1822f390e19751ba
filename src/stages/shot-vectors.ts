import type { Matrix } from '../base/index.js';
import { normaliseShots } from '../features/index.js';
import type { Options } from '../options.js';
import type { AnalysedVideo } from './analyse-videos.js';

/** The vectors by which the shots of one topic are compared, a matrix a video; every row has length one, or is zero. */
export function shotVectors(
  videos: readonly Pick<AnalysedVideo, 'analysis'>[],
  options: Pick<Options, 'normalise'>,
): Matrix[] {
  return videos.map(({ analysis }) => normaliseShots(analysis.features, options.normalise));
}

/**
 * features: one vector a shot. Pictures sampled from a video go through a network in processes beside the decoder and
 * are mean-pooled over each shot. This room knows no topics; the network runtime is known to `onnx.ts` alone.
 */
export { EMBEDDED_MODEL, openPictureNetwork } from './picture-network.js';
export { poolPictures } from './pool.js';
export type { Extractor, FeatureMatrix, SampleSpec } from './types.js';

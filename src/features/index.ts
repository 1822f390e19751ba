/**
 * features: one vector per shot. Pictures sampled from a video go through a network, in processes next to the decoder, and
 * are averaged over each shot. This room knows no topics; only `onnx.ts` knows the network runtime.
 *
 * - The same sample gives the same vector, bit for bit on one machine, for any number of workers: a session computes in one
 *   thread and takes one sample at a time. Batches gain nothing on one thread (`npm run bench:features`).
 * - `version` changes whenever a vector would; it is part of the cache key.
 * - Processes start with the first sample and end with `close()`. One that dies is replaced and its samples are tried once
 *   more (`network-failed`).
 * - Vectors are finite and have the stated length (`bad-model`). Model files are data: offsets and sizes are checked before
 *   use.
 * - A graph is written before its record, each with one rename; a graph without a record cannot be used by name.
 */
export {
  appendBlocks,
  BLOCK_NAMES,
  BLOCK_VERSIONS,
  BLOCK_WEIGHT,
  MOTION_DIM,
  motionMeter,
  parseBlocks,
  SOUND_DIM,
  SOUND_RATE,
  soundMeter,
  type BlockName,
  type MotionMeter,
  type ShotBlock,
  NORMALISATIONS,
  normaliseShots,
  poolPictures,
  type Normalisation,
} from './blocks.js';
export {
  usableDevices,
  checkModel,
  importNetwork,
  listModels,
  modelsFolder,
  removeStored,
  type ImportChoice,
  type ListedModel,
  type ModelCheck,
} from './models.js';
export { classRoots, EMBEDDED_MODEL, embeddedClassHead, readEmbeddedNetwork } from './embedded.js';
export {
  decodeNpy,
  npyHeader,
  openNpy,
  type CutVideo,
  type NumberTable,
  type Refuse,
  type RowTable,
  openHdf5,
  type Hdf5Array,
  type Hdf5File,
} from './npy.js';
export { openGiven, openTable, parseRowStep, placeRows, poolRows } from './given.js';
export { openSpeechNetwork, SPEECH_MODEL, type SpeechNetwork } from './speech-network.js';
export { MEAN_BOUNDS, parseColour, parseSize, STD_BOUNDS, type Asked, type FileFeatures } from './network-of.js';
export { networkRecord } from './network.js';
export {
  FEATURE_NAMES,
  FETCHED_NAMES,
  openExtractor,
  type ChosenExtractor,
  type FeatureChoice,
  type FeatureName,
} from './open-extractor.js';
export {
  DEVICES,
  PICTURES_EVERY,
  picturesEvery,
  someShots,
  sourceOf,
  type Device,
  type Extractor,
  type FeatureMatrix,
  type FeatureSource,
  type NetworkInput,
} from './types.js';

/*
 * sound/: one pass over the sound track that a player plays, decoded once: where somebody speaks, how loud it is, and where
 * sounds begin. Every moment counts from the first picture. A broken track is a warning, not an error. This room knows no
 * shots.
 */
export { analyseSound, gapsBetweenWords, type SoundAnalysis, type SoundTrack } from './sound/analyse-sound.js';
export { alignTracks, CURVE_RATE } from './sound/align.js';

/**
 * features: one vector per shot. Pictures sampled from a video go through a network, in processes next to the decoder, and
 * are averaged over each shot. This room knows no topics; only `onnx.ts` knows the network runtime.
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
  type BlockChoice,
  type BlockName,
  type MotionMeter,
  type ShotBlock,
  type SoundMeter,
} from './blocks/index.js';
export { usableDevices } from './devices.js';
export { type ClassHead, classRoots } from './classes.js';
export { EMBEDDED_MODEL, embeddedClassHead, readEmbeddedNetwork } from './embedded.js';
export {
  decodeNpy,
  openGiven,
  openHdf5,
  openNpy,
  openTable,
  parseRowStep,
  placeRows,
  poolRows,
  type CutVideo,
  type GivenVectors,
  type Hdf5Array,
  type Hdf5File,
  type NumberTable,
  type Refuse,
  type RowStep,
  type RowTable,
} from './given/index.js';
export { NORMALISATIONS, normaliseShots, type Normalisation } from './normalise.js';
export type { Network } from './network.js';
export { openSpeechNetwork, SPEECH_MODEL, type SpeechNetwork } from './speech-network.js';
export {
  ADDABLE_NAMES,
  addNetwork,
  checkModel,
  importNetwork,
  listModels,
  MEAN_BOUNDS,
  modelsFolder,
  parseColour,
  parseSize,
  removeStored,
  STD_BOUNDS,
  type Asked,
  type FileFeatures,
  type ImportChoice,
  type ListedModel,
  type ModelCheck,
} from './models/index.js';
export { networkRecord } from './models/record.js';
export {
  FEATURE_NAMES,
  openExtractor,
  type ChosenExtractor,
  type FeatureChoice,
  type FeatureName,
} from './open-extractor.js';
export { poolPictures } from './pool.js';
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
} from './types.js';
export {
  describeOnnx,
  importWeights,
  type ImportedNetwork,
  type ImportOptions,
  type NetworkInput,
  type NetworkLayer,
  type NetworkName,
  type OnnxDescription,
} from './weights/index.js';

/** blocks: what describes a shot besides its pictures, and how it is joined with their vectors. */
export { appendBlocks, BLOCK_WEIGHT, parseBlocks } from './append.js';
export { MOTION_DIM, motionMeter, type MotionMeter } from './motion.js';
export { SOUND_DIM, SOUND_RATE, soundMeter, type SoundMeter } from './sound.js';
export { BLOCK_NAMES, BLOCK_VERSIONS, type BlockChoice, type BlockName, type ShotBlock } from './types.js';

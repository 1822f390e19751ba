/** quality: what is wrong with pictures, from small measures of every frame. It knows no files and no decoder. */
export { detailScale } from './detail-scale.js';
export { findFlaws, FLAW_KINDS, isUsable, pictureQuality, refusedShots, type Flaw } from './flaws.js';
export { activityOf } from './motion.js';
export { frameMeter, readMeasures, type FrameMeasures } from './measures.js';
export { measureSample, readSamples, writeSamples, type SampleMeasures } from './samples.js';

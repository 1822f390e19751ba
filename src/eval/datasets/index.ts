/**
 * datasets: reads the labelled data sets of the field from their official files, and features made elsewhere, and finds
 * videos. Every length read from a file is checked; errors about damage say where the official files are.
 */
export { readCosum } from './cosum.js';
export { readFeatures } from './features.js';
export {
  fitsLabels,
  judgeShots,
  uniformShots,
  type FrameLabelledDataset,
  type FrameScores,
  type FileRecord,
  findVideos,
} from './source.js';
export { decodeMat5, type MatArray } from './mat5.js';
export { readSumme } from './summe.js';
export { readTvsum, TVSUM_GRIDS, type TvsumGrid } from './tvsum.js';

/** given: vectors made elsewhere, found by the names of the videos and averaged over shots. */
export { openHdf5, type Hdf5Array, type Hdf5File } from './hdf5.js';
export { decodeNpy, openNpy } from './npy.js';
export { openGiven, openTable, type GivenPlace, type GivenVectors, type NamedVideo } from './open-given.js';
export { parseRowStep, placeRows, type RowPlaces, type RowStep, type TimedVideo } from './place-rows.js';
export { poolRows } from './pool-rows.js';
export type { CutVideo, NumberTable, Refuse, RowTable } from './types.js';

/**
 * models: the available networks. Files with their records, the models folder, networks that can be fetched, and any ONNX
 * file as a network. It writes files only through the writer that callers pass in.
 */
export { ADDABLE_NAMES, addNetwork, isAddable, type AddableName } from './addable.js';
export { MEAN_BOUNDS, parseColour, parseSize, STD_BOUNDS, type Asked } from './asked.js';
export { checkModel, type ModelCheck } from './check.js';
export { findStored, modelsFolder, removeStored } from './folder.js';
export { importNetwork, type ImportChoice } from './import.js';
export { listModels, type ListedModel } from './list.js';
export { locateModel } from './locate.js';
export { networkOf, readModelFile } from './network-of.js';
export { PRESUMED, type FileFeatures, type Presumed } from './presumed.js';

/**
 * store: keeps bytes. A cache of results by content, files that appear whole or not at all, objects for many machines.
 * It does not know what the bytes mean.
 */
export { openCache, type Cache, type CacheDraft, type CacheEntry } from './cache.js';
export { openFolder, refuseLinks, sourcesOf, writeParts, writeWhole } from './files.js';
export { openObjectCache } from './object-cache.js';
export { type ByteRange, type ObjectStore, openObjects } from './objects.js';
export { hashFile, keyOf, readText, type ContentHash } from './hash.js';
export { openRowsFile, type RowsFile } from './rows-file.js';
export { localShelf } from './shelf.js';

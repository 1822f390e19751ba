/**
 * storage: keeps bytes. A cache of results by content, files that appear whole or not at all, objects for many machines in a
 * folder or a bucket. It does not know what the bytes mean.
 *
 * - Files and entries are made under a draft name, flushed, and put in place by one rename. Drafts of killed runs are
 *   removed later.
 * - `find` compares every checksum; an entry that does not match is removed and counts as missing. Equal keys have equal
 *   contents, so several runs may share a cache.
 * - A file that was hashed is not read again while device, inode, size and times (in nanoseconds, that of the last change
 *   included) stay the same. `verify` reads all.
 * - A key is the SHA-256 of a record as written: stage, version, content, options. Names and dates of files are not part of
 *   it.
 * - An object is complete or not there, and checked when read (`object-damaged`). No name can leave the store.
 * - Results go only into folders that are empty or marked with `.throughline`; links inside them are not followed.
 */
export { openCache, type Cache, openObjectCache } from './cache.js';
export { openFolder, refuseLinks, sourcesOf, writeParts, writeWhole, hashFile, keyOf, readText } from './files.js';
export { type ObjectStore, openBucket, openObjects, parseAddress } from './objects.js';
export { claimFolder, localWorkspace, openKnownFiles, openRowsFile, stampOf } from './workspace.js';

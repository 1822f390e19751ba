import { UsageError } from '../base/index.js';

/** Characters that mean something else to some file system, such as control characters, \ and :. */
const UNSAFE = /[\u0000-\u001f\u007f\\<>:"|?*]/;

/**
 * Names are parts joined by `/`. No part is empty, starts with a dot (`..`, drafts, our own records) or ends in a dot or
 * space: so no name leaves its folder, on any system.
 */
export function checkName(name: string): string {
  const isSafe = (part: string): boolean =>
    part !== '' && !part.startsWith('.') && !/[. ]$/.test(part) && !UNSAFE.test(part) && Buffer.byteLength(part) <= 200;
  // 1,024 bytes is S3's bound for a key; the rest is for the prefix.
  if (name.split('/').every(isSafe) && Buffer.byteLength(name) <= 800) return name;
  throw new UsageError(
    'object-name',
    `${JSON.stringify(name.slice(0, 200))} cannot name an object in the store. Names are parts joined by "/", none empty, none with a dot in front or \\ < > : " | ? * inside, at most 200 bytes each.`,
  );
}

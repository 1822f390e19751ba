import { MediaError } from '../../base/index.js';

/** A film cannot be made by copying; `reason` is the end of a sentence such as "it was encoded, not copied: …". */
export class CopyRefused extends MediaError {
  constructor(readonly reason: string) {
    super('copy-refused', `Expected pictures that can be copied, but ${reason}.`);
  }
}

/** The error for a film that cannot be made by copying. */
export function refuse(reason: string): CopyRefused {
  return new CopyRefused(reason);
}

import { MediaError } from '../../base/index.js';

/** Thrown where a film cannot be made by copying; `reason` ends the sentence "it was encoded anew, because ...". */
export class CopyRefused extends MediaError {
  constructor(readonly reason: string) {
    super('copy-refused', `Expected pictures that can be taken over as they are, but ${reason}.`);
  }
}

export function refuse(reason: string): CopyRefused {
  return new CopyRefused(reason);
}

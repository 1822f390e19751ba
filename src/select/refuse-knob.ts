import { NumericError } from '../base/index.js';

/** Refuses a knob with a sentence. */
export function refuseKnob(name: string, wanted: string, found: number): never {
  throw new NumericError('bad-knob', `Expected "${name}" to be ${wanted}, found ${found}.`);
}

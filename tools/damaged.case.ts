import fc from 'fast-check';

import { random, ThroughlineError } from '../src/base/index.js';
import { valuesOf } from './tensor.js';
import type { Weights } from './weights.js';

/** Reads files that may be damaged: each read must end in whole tensors or in a sentence. Counts the sentences. */
export function damagedReader(read: (file: Uint8Array) => Pick<Weights, 'tensors'>) {
  let refused = 0;
  const survives = (file: Uint8Array): void => {
    try {
      for (const tensor of read(file).tensors.values()) {
        const count = tensor.shape.reduce((product, size) => product * size, 1);
        if (valuesOf(tensor).length !== count) throw new Error('The values do not fill the shape.');
      }
    } catch (error) {
      if (!(error instanceof ThroughlineError)) throw error;
      refused++;
    }
  };
  return {
    survives,
    refused: () => refused,
    /** Reads the files with a few random bytes changed. */
    survivesChanges(
      files: readonly Uint8Array[],
      most: number,
      runs: { readonly numRuns: number; readonly seed: number },
    ) {
      fc.assert(
        fc.property(fc.nat(files.length - 1), fc.nat(1e6), fc.integer({ min: 1, max: most }), (which, seed, count) => {
          const dice = random(seed);
          const changed = Uint8Array.from(files[which]!);
          for (let k = 0; k < count; k++) changed[dice.below(changed.length)] = dice.below(256);
          survives(changed);
        }),
        runs,
      );
    },
  };
}

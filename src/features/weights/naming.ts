import { UsageError } from '../../base/index.js';
import type { PerChannel, Weights } from './types.js';

/** The names of a network's layers in some published files, and the colours those files were trained on. */
export type Naming = {
  readonly form: Weights['form'];
  /** The name of each layer in the file, by our name for it. */
  readonly names: ReadonlyMap<string, string>;
  readonly channelOrder: 'rgb' | 'bgr';
  readonly mean: PerChannel;
  readonly std: PerChannel;
};

/** Pairs our layer names with a file's, in order. */
export function pairNames(layers: readonly string[], fileNames: readonly string[]): ReadonlyMap<string, string> {
  return new Map(layers.map((layer, k) => [layer, fileNames[k]!]));
}

/**
 * Finds the naming a file follows for the layers needed. A state dict may put one prefix before all names (`module.`,
 * `backbone.`); it is part of the names returned.
 */
export function findNaming(
  weights: Weights,
  namings: readonly Naming[],
  needed: readonly string[],
): Naming & { readonly names: ReadonlyMap<string, string> } {
  let nearest: string | undefined;
  for (const naming of namings) {
    if (naming.form !== weights.form) continue;
    const first = `${naming.names.get(needed[0]!)}.weight`;
    const key = [...weights.tensors.keys()].find((name) => name === first || name.endsWith(`.${first}`));
    if (key === undefined) continue;
    const prefix = key.slice(0, -first.length);
    const names = new Map([...naming.names].map(([layer, name]) => [layer, prefix + name]));
    const missing = needed.find((layer) => !weights.tensors.has(`${names.get(layer)}.weight`));
    if (missing === undefined) return { ...naming, names };
    nearest ??= names.get(missing);
  }
  const found = [...weights.tensors.keys()].slice(0, 6).map((name) => name.slice(0, 60));
  throw new UsageError(
    'bad-model',
    `Expected ${nearest === undefined ? 'the layers of the network named' : `a layer "${nearest}"`}, found ${found.join(', ')}${weights.tensors.size > found.length ? ' …' : ''}. Choose the weights of that network.`,
  );
}

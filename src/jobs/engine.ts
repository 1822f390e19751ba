import { createRequire } from 'node:module';

import { ANALYSIS_VERSION } from '../pipeline/index.js';
import { ThroughlineError } from '../base/index.js';
import { locateFfmpeg } from '../media/index.js';
import { VERSION } from '../version.js';

/** Everything about a machine that influences the bytes it produces. Machines with different engines must not share a topic. */
export type Engine = {
  readonly throughline: string;
  readonly analysis: number;
  readonly decoder: string;
  readonly network: string;
  readonly node: string;
  readonly processor: string;
};

/** The engine of this machine. */
export async function engineHere(): Promise<Engine> {
  const require = createRequire(import.meta.url);
  return {
    throughline: VERSION,
    analysis: ANALYSIS_VERSION,
    decoder: (await locateFfmpeg()).version,
    network: (require('onnxruntime-node/package.json') as { version: string }).version,
    node: process.versions.node.split('.')[0]!,
    processor: process.arch,
  };
}

/** Throws if a topic was submitted with another engine; the error names the first difference. */
export function refuseOtherEngine(wanted: Engine, here: Engine): void {
  const differs = (Object.keys(wanted) as (keyof Engine)[]).find((part) => wanted[part] !== here[part]);
  if (differs === undefined) return;
  throw otherEngine(`${differs} "${wanted[differs]}"`, `"${here[differs]}"`);
}

/** The error of a worker that would produce other bytes than the rest of the fleet. */
export function otherEngine(wanted: string, found: string): ThroughlineError {
  return new ThroughlineError(
    'other-engine',
    `Expected ${wanted}, as when the topic was submitted, found ${found}. Their results must not be mixed: run the same release on all machines, or submit the topic again.`,
  );
}

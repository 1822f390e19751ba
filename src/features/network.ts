import { NumericError, ThroughlineError } from '../base/index.js';
import { closed, openNetworkProcess, type NetworkProcess } from './network-process.js';
import type { Device, Extractor } from './types.js';
import type { NetworkInput } from './weights/index.js';

/** A network ready to run, and the input it expects. */
export type Network = {
  readonly name: string;
  /** sha256 of the file it came from. */
  readonly sha256: string;
  /** The ONNX file: its bytes, or its path, which saves this process a copy. */
  readonly onnx: Uint8Array | string;
  readonly input: NetworkInput;
  /** Name of the output that is the feature, and its length. */
  readonly output: string;
  readonly dim: number;
};

/** Part of the version: raise it when preparation or pooling of samples changes. */
const PREPARATION = 2;

/**
 * The extractor of a network, in up to `workers` processes next to the decoder, started when samples come. Why processes, not
 * threads: docs/decisions/0007-network-in-processes.md. Each works on one sample at a time: batches gain nothing
 * (docs/rooms/features.md).
 */
export function openNetwork(
  network: Network,
  { workers, every, device = 'cpu' }: { workers: number; every: number; device?: Device },
): Extractor {
  const { onnx, input, output, dim } = network;
  const frames = input.frames ?? 1;
  const sampleBytes = 3 * input.width * input.height * frames;
  const processes: NetworkProcess[] = [];
  let isClosed = false;

  /** The least busy process, or a new one while all are busy. All give the same vectors. */
  const choose = (): NetworkProcess => {
    const alive = processes.filter((each) => each.isAlive());
    const [best] = alive.toSorted((a, b) => a.waitingCount() - b.waitingCount());
    if (best && (best.waitingCount() === 0 || alive.length >= workers)) return best;
    const started = openNetworkProcess({ onnx, input, output, dim, device });
    processes.push(started);
    return started;
  };

  return {
    name: network.name,
    version: [network.sha256.slice(0, 16), PREPARATION, ...(device === 'cpu' ? [] : [device])].join('.'),
    dim,
    sample: { widthPx: input.width, heightPx: input.height, scaleTo: input.scaleTo, every, frames },
    async embed(sample) {
      if (isClosed) throw closed();
      if (sample.length === sampleBytes) {
        // A process may be killed for lack of memory; the sample is tried once more in another one.
        return choose()
          .embed(sample)
          .catch((error: unknown) => {
            if (isClosed || !(error instanceof ThroughlineError) || error.code !== 'network-failed') throw error;
            return choose().embed(sample);
          });
      }
      const shape = `${input.width} × ${input.height} pixels${frames > 1 ? ` × ${frames} frames` : ''}`;
      throw new NumericError(
        'bad-picture',
        `Expected a sample of ${shape} (${sampleBytes} bytes), found ${sample.length} bytes.`,
      );
    },
    async close() {
      isClosed = true;
      await Promise.all(processes.map((each) => each.close()));
    },
  };
}

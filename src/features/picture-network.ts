import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { NumericError, ThroughlineError, UsageError } from '../base/index.js';
import { closed, openNetworkProcess, type EmbedSetup, type NetworkProcess } from './network-process.js';
import { convertTflite } from './tflite-to-onnx.js';
import type { Extractor } from './types.js';

/** The network shipped with Throughline; `models/README.md` tells where it comes from. */
export const EMBEDDED_MODEL = {
  name: 'efficientnet-lite0',
  file: new URL('../../models/efficientnet-lite0.tflite', import.meta.url),
  sha256: 'aa03e4017f54fd5c743bd397b0a3e136fab0942f9c7cd715064a31ca3e4fc996',
  /** The file's own metadata: the network was trained on (value − 127) / 128. */
  mean: 127,
  spread: 128,
} as const;

/** Every shot found has at least 32 frames, so each holds two pictures or more. */
const SAMPLE_EVERY = 16;

/** Part of the version: raise it when conversion, preparation or pooling of pictures changes. */
const PREPARATION = 2;

/**
 * The default extractor: EfficientNet-Lite0's 1280-d picture vector, in up to `workers` processes beside the decoder,
 * started when pictures come. Processes, not threads: docs/decisions/0007-network-in-processes.md. One picture at a
 * time each: batches gain nothing (docs/rooms/features.md).
 */
export async function openPictureNetwork(options: { workers: number }): Promise<Extractor> {
  const { file, hash } = await readModel();
  const network = convertTflite(file);
  const setup: EmbedSetup = { ...network, mean: EMBEDDED_MODEL.mean, spread: EMBEDDED_MODEL.spread };
  const pictureBytes = 3 * network.widthPx * network.heightPx;
  const processes: NetworkProcess[] = [];
  let isClosed = false;

  /** The least busy process, a new one while all are busy. Which one answers makes no difference to the vector. */
  const choose = (): NetworkProcess => {
    const alive = processes.filter((each) => each.isAlive());
    const [best] = alive.toSorted((a, b) => a.waitingCount() - b.waitingCount());
    if (best && (best.waitingCount() === 0 || alive.length >= options.workers)) return best;
    const started = openNetworkProcess(setup);
    processes.push(started);
    return started;
  };

  return {
    name: EMBEDDED_MODEL.name,
    version: `${hash.slice(0, 16)}.${PREPARATION}`,
    dim: network.dim,
    sample: { widthPx: network.widthPx, heightPx: network.heightPx, every: SAMPLE_EVERY },
    async embed(picture) {
      if (isClosed) throw closed();
      if (picture.length === pictureBytes) {
        // A process may be killed for memory; another one gets the picture, once.
        return choose()
          .embed(picture)
          .catch((error: unknown) => {
            if (isClosed || !(error instanceof ThroughlineError) || error.code !== 'network-failed') throw error;
            return choose().embed(picture);
          });
      }
      throw new NumericError(
        'bad-picture',
        `Expected a picture of ${network.widthPx} × ${network.heightPx} pixels (${pictureBytes} bytes), found ${picture.length} bytes.`,
      );
    },
    async close() {
      isClosed = true;
      await Promise.all(processes.map((each) => each.close()));
    },
  };
}

async function readModel(): Promise<{ file: Uint8Array; hash: string }> {
  const file = await readFile(EMBEDDED_MODEL.file).catch((error: unknown) => {
    throw new UsageError(
      'no-model',
      'The embedded network is missing from the installation. Install Throughline again.',
      { cause: error },
    );
  });
  const hash = createHash('sha256').update(file).digest('hex');
  if (hash === EMBEDDED_MODEL.sha256) return { file, hash };
  throw new UsageError(
    'bad-model',
    `The embedded network is damaged: expected sha256 ${EMBEDDED_MODEL.sha256}, found ${hash}. Install Throughline again.`,
  );
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';

import { startWorker, ThroughlineError, UsageError } from '../base/index.js';
import { convertTflite } from './tflite-to-onnx.js';
import type { Extractor } from './types.js';

export type EmbedSetup = {
  readonly onnx: Uint8Array;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly mean: number;
  readonly spread: number;
};
export type EmbedRequest = { readonly id: number; readonly picture: Uint8Array };
export type EmbedReply =
  { readonly id: number; readonly vector: Float32Array } | { readonly id: number; readonly error: string };

/** The network shipped with Throughline; `models/README.md` tells where it comes from. */
export const EMBEDDED_MODEL = {
  name: 'efficientnet-lite0',
  file: new URL('../../models/efficientnet-lite0.tflite', import.meta.url),
  sha256: 'aa03e4017f54fd5c743bd397b0a3e136fab0942f9c7cd715064a31ca3e4fc996',
  /** The network was trained on (value − 127) / 128. */
  mean: 127,
  spread: 128,
} as const;

/** Every shot has at least 32 frames, so each holds two pictures or more. */
const SAMPLE_EVERY = 16;

/** Part of the version: raise it when preparation or pooling of pictures changes. */
const PREPARATION = 1;

/**
 * The default extractor: EfficientNet-Lite0's 1280-d picture vector, on `workers` threads beside the decoder.
 * Pictures go through the network one by one: larger batches were slower a picture (docs/rooms/features.md).
 */
export async function openPictureNetwork(options: { workers: number }): Promise<Extractor> {
  const file = await readFile(EMBEDDED_MODEL.file).catch((error: unknown) => {
    throw new UsageError(
      'no-model',
      'The embedded network is missing from the installation. Install Throughline again.',
      { cause: error },
    );
  });
  const hash = createHash('sha256').update(file).digest('hex');
  if (hash !== EMBEDDED_MODEL.sha256) {
    throw new UsageError(
      'bad-model',
      `The embedded network is damaged: expected sha256 ${EMBEDDED_MODEL.sha256}, found ${hash}. Install Throughline again.`,
    );
  }
  const network = convertTflite(file);
  const setup: EmbedSetup = { ...network, mean: EMBEDDED_MODEL.mean, spread: EMBEDDED_MODEL.spread };
  const waiting = new Map<number, { resolve: (vector: Float32Array) => void; reject: (error: Error) => void }>();
  const threads = Array.from({ length: options.workers }, () => openThread(setup));
  let nextId = 0;

  function openThread(workerData: EmbedSetup): Worker {
    const thread = startWorker(import.meta.url, './embed-worker', { workerData });
    thread.on('message', (reply: EmbedReply) => {
      const call = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('vector' in reply) call?.resolve(reply.vector);
      else
        call?.reject(
          new ThroughlineError('network-failed', `The network could not work on a picture (${reply.error}).`),
        );
    });
    thread.on('error', (error) => {
      for (const call of waiting.values()) call.reject(error);
      waiting.clear();
    });
    // An idle network must not keep a program alive that forgot to close it.
    thread.unref();
    return thread;
  }

  return {
    name: EMBEDDED_MODEL.name,
    version: `${hash.slice(0, 16)}.${PREPARATION}`,
    dim: network.dim,
    sample: { widthPx: network.widthPx, heightPx: network.heightPx, every: SAMPLE_EVERY },
    embed(picture) {
      const id = nextId++;
      const thread = threads[id % threads.length] as Worker;
      thread.ref();
      return new Promise<Float32Array>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        const request: EmbedRequest = { id, picture };
        thread.postMessage(request, [picture.buffer as ArrayBuffer]);
      }).finally(() => {
        if (waiting.size === 0) for (const idle of threads) idle.unref();
      });
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.terminate()));
    },
  };
}

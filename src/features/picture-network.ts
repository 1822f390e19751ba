import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { startProcess, ThroughlineError, UsageError } from '../base/index.js';
import { convertTflite } from './tflite-to-onnx.js';
import type { Extractor } from './types.js';

/** What a network process is told first. */
export type EmbedSetup = {
  readonly onnx: Uint8Array;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly mean: number;
  readonly spread: number;
};
export type EmbedMessage = EmbedSetup | { readonly id: number; readonly picture: Uint8Array };
/** A failure without an id concerns the process as a whole. */
export type EmbedReply =
  | { readonly id: number; readonly vector: Float32Array }
  | { readonly id: number | null; readonly code: string; readonly error: string };

/** The network shipped with Throughline; `models/README.md` tells where it comes from. */
export const EMBEDDED_MODEL = {
  name: 'efficientnet-lite0',
  file: new URL('../../models/efficientnet-lite0.tflite', import.meta.url),
  sha256: 'aa03e4017f54fd5c743bd397b0a3e136fab0942f9c7cd715064a31ca3e4fc996',
  /** The network was trained on (value − 127) / 128. */
  mean: 127,
  spread: 128,
} as const;

/** Every shot found has at least 32 frames, so each holds two pictures or more. */
const SAMPLE_EVERY = 16;

/** Part of the version: raise it when preparation or pooling of pictures changes. */
const PREPARATION = 1;

/**
 * The default extractor: EfficientNet-Lite0's 1280-d picture vector, in `workers` processes beside the decoder. They are
 * processes, not threads, because the runtime's native part does not survive being unloaded from a thread. Pictures go
 * through the network one by one: larger batches were slower a picture (docs/rooms/features.md).
 */
export async function openPictureNetwork(options: { workers: number }): Promise<Extractor> {
  const { file, hash } = await readModel();
  const network = convertTflite(file);
  const setup: EmbedSetup = { ...network, mean: EMBEDDED_MODEL.mean, spread: EMBEDDED_MODEL.spread };
  const lanes = Array.from({ length: options.workers }, () => openLane(setup));
  let next = 0;
  return {
    name: EMBEDDED_MODEL.name,
    version: `${hash.slice(0, 16)}.${PREPARATION}`,
    dim: network.dim,
    sample: { widthPx: network.widthPx, heightPx: network.heightPx, every: SAMPLE_EVERY },
    embed: (picture) => lanes[next++ % lanes.length]!.embed(picture),
    close: async () => void (await Promise.all(lanes.map((lane) => lane.close()))),
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

type Lane = { embed(picture: Uint8Array): Promise<Float32Array>; close(): Promise<void> };

/** One network process and the calls waiting for it. */
function openLane(setup: EmbedSetup): Lane {
  const waiting = new Map<number, { resolve: (vector: Float32Array) => void; reject: (error: Error) => void }>();
  let broken: Error | null = null;
  let nextId = 0;
  const child: ChildProcess = startProcess(import.meta.url, './embed-process');
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const breakOff = (error: Error): void => {
    broken ??= error;
    for (const call of waiting.values()) call.reject(broken);
    waiting.clear();
  };
  child.on('error', breakOff);
  child.on('exit', () =>
    breakOff(
      new ThroughlineError('network-failed', 'The network process ended unexpectedly. Check memory and try again.'),
    ),
  );
  child.on('message', (reply: EmbedReply) => {
    if ('vector' in reply) {
      waiting.get(reply.id)?.resolve(reply.vector);
      waiting.delete(reply.id);
      return;
    }
    const error = new ThroughlineError(
      reply.code,
      reply.code === 'network-failed' ? `The network could not work on a picture (${reply.error}).` : reply.error,
    );
    if (reply.id === null) return breakOff(error);
    waiting.get(reply.id)?.reject(error);
    waiting.delete(reply.id);
  });
  child.send(setup);
  return {
    embed: (picture) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken);
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        child.send({ id, picture } satisfies EmbedMessage, (error) => error && breakOff(error));
      }),
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

import type { Worker } from 'node:worker_threads';

import { NumericError, startWorker, ThroughlineError } from '../base/index.js';
import { type RgbPicture, SHALLOW_DIM } from './describe.js';
import { type Extractor, PICTURES_EVERY } from './types.js';

const SAMPLE = { widthPx: 128, heightPx: 128, every: PICTURES_EVERY, frames: 1 } as const;

const PICTURE_BYTES = 3 * SAMPLE.widthPx * SAMPLE.heightPx;

/** Raise this when the same picture would give a different vector. */
const VERSION = '1';

/** A thread and the calls waiting for it; it answers in the order it was asked. */
type Lane = { readonly thread: Worker; readonly waiting: Call[] };
type Call = { readonly resolve: (vector: Float32Array) => void; readonly reject: (error: Error) => void };

/**
 * The hand-made features of video co-summarisation (Chu, Song and Jaimes 2015), without weights: CENTRIST, dense SIFT and
 * HSV colour moments, on up to `workers` threads, started when pictures come. docs/features.md
 */
export function openShallow({ workers }: { workers: number }): Extractor {
  const lanes = new Set<Lane>();
  let isClosed = false;

  const open = (): Lane => {
    const lane: Lane = { thread: startWorker(import.meta.url, './describe-thread'), waiting: [] };
    const breakOff = (error: Error): void => {
      lanes.delete(lane);
      for (const call of lane.waiting.splice(0)) call.reject(error);
    };
    lane.thread.on('message', (vector: Float32Array) => lane.waiting.shift()?.resolve(vector));
    lane.thread.on('error', (error) => breakOff(failed(error.message, error)));
    lane.thread.on('exit', (code) => breakOff(isClosed ? closed() : failed(`it ended with code ${code}`)));
    lanes.add(lane);
    return lane;
  };

  /** The least busy thread, or a new one while all are busy. All give the same vectors. */
  const choose = (): Lane => {
    const [best] = [...lanes].sort((a, b) => a.waiting.length - b.waiting.length);
    return best && (best.waiting.length === 0 || lanes.size >= workers) ? best : open();
  };

  return {
    name: 'shallow',
    version: VERSION,
    dim: SHALLOW_DIM,
    sample: SAMPLE,
    async embed(sample) {
      if (isClosed) throw closed();
      if (sample.length !== PICTURE_BYTES) {
        throw new NumericError(
          'bad-picture',
          `Expected a picture of ${SAMPLE.widthPx} × ${SAMPLE.heightPx} pixels (${PICTURE_BYTES} bytes), found ${sample.length} bytes.`,
        );
      }
      const { thread, waiting } = choose();
      return new Promise((resolve, reject) => {
        // A copy: for a view, the whole buffer behind it would be sent.
        const data = new Uint8Array(sample);
        const picture: RgbPicture = { widthPx: SAMPLE.widthPx, heightPx: SAMPLE.heightPx, data };
        waiting.push({ resolve, reject });
        thread.postMessage(picture, [data.buffer]);
      });
    },
    async close() {
      isClosed = true;
      await Promise.all([...lanes].map(({ thread }) => thread.terminate()));
    },
  };
}

function closed(): ThroughlineError {
  return new ThroughlineError(
    'extractor-closed',
    'The shallow features were closed while pictures were still being described.',
  );
}

function failed(reason: string, cause?: Error): ThroughlineError {
  return new ThroughlineError(
    'extractor-failed',
    `A thread of the shallow features failed (${reason}). Check memory and try again.`,
    { cause },
  );
}

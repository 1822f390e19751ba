import { parentPort, workerData } from 'node:worker_threads';

import { openOnnx } from './onnx.js';
import type { EmbedReply, EmbedRequest, EmbedSetup } from './picture-network.js';

/** A thread that owns one copy of the network and answers one picture at a time. */
const setup = workerData as EmbedSetup;
const session = await openOnnx(setup.onnx, 'input', 'feature');
const pixels = setup.widthPx * setup.heightPx;
const values = new Float32Array(3 * pixels);

parentPort?.on('message', (request: EmbedRequest) => {
  void answer(request).then((reply) =>
    parentPort?.postMessage(reply, 'vector' in reply ? [reply.vector.buffer as ArrayBuffer] : []),
  );
});

async function answer({ id, picture }: EmbedRequest): Promise<EmbedReply> {
  try {
    for (let pixel = 0; pixel < pixels; pixel++) {
      for (let channel = 0; channel < 3; channel++) {
        values[channel * pixels + pixel] = ((picture[3 * pixel + channel] ?? 0) - setup.mean) / setup.spread;
      }
    }
    const vector = await session.run(values, [1, 3, setup.heightPx, setup.widthPx]);
    return { id, vector: Float32Array.from(vector) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

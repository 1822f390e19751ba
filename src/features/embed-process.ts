import { messageOf, ThroughlineError } from '../base/index.js';
import type { EmbedMessage, EmbedReply, EmbedSetup } from './network-process.js';
import { openOnnx, type OnnxSession } from './onnx.js';

/** A process that owns one copy of the network and answers one picture at a time. It ends with whoever started it. */
let network: { setup: Omit<EmbedSetup, 'onnx'>; session: OnnxSession; values: Float32Array } | null = null;
let queue = Promise.resolve();

process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of a terminal; when to stop is for the one that started this to say.
process.on('SIGINT', () => undefined);
process.on('message', (message: EmbedMessage) => {
  queue = queue.then(async () => {
    const reply = await answer(message);
    if (reply) process.send?.(reply);
  });
});

async function answer(message: EmbedMessage): Promise<EmbedReply | null> {
  if ('onnx' in message) {
    try {
      // The runtime keeps a form of its own; the file would only fill memory.
      const { onnx, ...setup } = message;
      const session = await openOnnx(onnx, 'input', 'feature');
      network = { setup, session, values: new Float32Array(3 * setup.widthPx * setup.heightPx) };
      return null;
    } catch (error) {
      return { id: null, ...explain(error) };
    }
  }
  try {
    return { id: message.id, vector: await embed(message.picture) };
  } catch (error) {
    return { id: message.id, ...explain(error) };
  }
}

async function embed(picture: Uint8Array): Promise<Float32Array> {
  if (!network) throw new Error('no network was loaded before it');
  const { setup, session, values } = network;
  const pixels = setup.widthPx * setup.heightPx;
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      values[channel * pixels + pixel] = (picture[3 * pixel + channel]! - setup.mean) / setup.spread;
    }
  }
  return session.run(values, [1, 3, setup.heightPx, setup.widthPx]);
}

function explain(error: unknown): { code: string; error: string } {
  if (error instanceof ThroughlineError) return { code: error.code, error: error.message };
  return { code: 'network-failed', error: `The network could not work on a picture (${messageOf(error)}).` };
}

import { messageOf, ThroughlineError } from '../base/index.js';
import { openOnnx, type OnnxSession } from './onnx.js';
import type { EmbedMessage, EmbedReply, EmbedSetup } from './picture-network.js';

/** A process that owns one copy of the network and answers one picture at a time. It ends with whoever started it. */
let network: { setup: EmbedSetup; session: OnnxSession; values: Float32Array } | null = null;
let queue = Promise.resolve();

process.on('disconnect', () => process.exit());
process.on('message', (message: EmbedMessage) => {
  queue = queue.then(async () => {
    const reply = await answer(message);
    if (reply) process.send?.(reply);
  });
});

async function answer(message: EmbedMessage): Promise<EmbedReply | null> {
  try {
    if ('onnx' in message) {
      const session = await openOnnx(message.onnx, 'input', 'feature');
      network = { setup: message, session, values: new Float32Array(3 * message.widthPx * message.heightPx) };
      return null;
    }
    if (!network) throw new Error('a picture came before the network');
    const { setup, session, values } = network;
    const pixels = setup.widthPx * setup.heightPx;
    for (let pixel = 0; pixel < pixels; pixel++) {
      for (let channel = 0; channel < 3; channel++) {
        values[channel * pixels + pixel] = (message.picture[3 * pixel + channel]! - setup.mean) / setup.spread;
      }
    }
    const vector = await session.run(values, [1, 3, setup.heightPx, setup.widthPx]);
    return { id: message.id, vector };
  } catch (error) {
    const code = error instanceof ThroughlineError ? error.code : 'network-failed';
    return { id: 'id' in message ? message.id : null, code, error: messageOf(error) };
  }
}

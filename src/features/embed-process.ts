import { messageOf, ThroughlineError } from '../base/index.js';
import type { EmbedMessage, EmbedReply } from './network-process.js';
import { openOnnx, type OnnxSession } from './onnx.js';
import { prepareSample } from './prepare.js';
import { reduceOutput } from './reduce-output.js';
import type { NetworkInput } from './weights/index.js';

/** A process that owns one copy of the network and answers one sample at a time. It ends with whoever started it. */
let network: { input: NetworkInput; dim: number | null; session: OnnxSession; values: Float32Array } | null = null;
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
      const { onnx, input, output, dim, device } = message;
      const session = await openOnnx(onnx, input.name, output, device);
      const values = new Float32Array(3 * (input.frames ?? 1) * input.width * input.height);
      network = { input, dim, session, values };
      return null;
    } catch (error) {
      return { id: null, ...explain(error) };
    }
  }
  try {
    return { id: message.id, vector: await embed(message.sample) };
  } catch (error) {
    return { id: message.id, ...explain(error) };
  }
}

async function embed(sample: Uint8Array): Promise<Float32Array> {
  if (!network) throw new Error('no network was loaded before it');
  const { input, dim, session, values } = network;
  prepareSample(sample, input, values);
  const { frames, height, width } = input;
  return reduceOutput(
    await session.runShaped(values, [1, 3, ...(frames === undefined ? [] : [frames]), height, width]),
    dim,
  );
}

function explain(error: unknown): { code: string; error: string } {
  if (error instanceof ThroughlineError) return { code: error.code, error: error.message };
  return { code: 'network-failed', error: `The network could not work on a sample (${messageOf(error)}).` };
}

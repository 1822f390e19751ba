import { read } from 'node:fs';
import { promisify } from 'node:util';

import { messageOf, ThroughlineError } from '../base/index.js';
import type { EmbedReply, EmbedSetup } from './network.js';
import { openOnnx } from './onnx.js';
import { reduceOutput } from './onnx.js';
import type { NetworkInput } from './types.js';

const readInto = promisify(read);

// A process that has its own copy of the network and answers one sample at a time. It ends with its parent.
process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of a terminal; the parent decides when this one stops.
process.on('SIGINT', () => undefined);
process.once('message', (setup: EmbedSetup) => void serve(setup));

/** Reads samples, all of one size, from standard input and answers in the same order. */
async function serve(setup: EmbedSetup): Promise<void> {
  try {
    const embed = await openNetwork(setup);
    const { width, height, frames = 1 } = setup.input;
    const sample = new Uint8Array(3 * width * height * frames);
    for (let id = 0; await fill(sample); id++) {
      const result = await embed(sample).then((vector) => ({ vector }), explain);
      reply({ id, ...result });
    }
    process.exit();
  } catch (error) {
    reply({ id: null, ...explain(error) });
  }
}

async function openNetwork({ onnx, input, output, dim, device }: EmbedSetup) {
  const session = await openOnnx(onnx, input.name, output, device);
  const { frames, height, width } = input;
  const values = new Float32Array(3 * (frames ?? 1) * width * height);
  const shape = [1, 3, ...(frames === undefined ? [] : [frames]), height, width];
  return async (sample: Uint8Array): Promise<Float32Array> => {
    prepareSample(sample, input, values);
    return reduceOutput(await session.runShaped(values, shape), dim);
  };
}

/** Reads until the sample is complete; false if the input has ended. */
async function fill(sample: Uint8Array): Promise<boolean> {
  for (let filled = 0; filled < sample.length;) {
    const { bytesRead } = await readInto(0, sample, filled, sample.length - filled, null);
    if (bytesRead === 0) return false;
    filled += bytesRead;
  }
  return true;
}

function reply(message: EmbedReply): void {
  process.send?.(message);
}

function explain(error: unknown): { code: string; error: string } {
  if (error instanceof ThroughlineError) return { code: error.code, error: error.message };
  return {
    code: 'network-failed',
    error: `The network failed on a sample (${messageOf(error)}). Choose another model.`,
  };
}

/**
 * v[c, t, y, x] = (byte − mean_c) / std_c: converts the frames of a sample from RGB pixel by pixel to one channel after the
 * other, as networks expect them, in the channel order the network was trained on.
 */
export function prepareSample(sample: Uint8Array, input: NetworkInput, values: Float32Array): void {
  const pixels = input.width * input.height * (input.frames ?? 1);
  for (let channel = 0; channel < 3; channel++) {
    const source = input.channelOrder === 'bgr' ? 2 - channel : channel;
    const [mean, std] = [input.mean[channel]!, input.std[channel]!];
    const levels = Float32Array.from({ length: 256 }, (_, byte) => (byte - mean) / std);
    const start = channel * pixels;
    for (let pixel = 0; pixel < pixels; pixel++) values[start + pixel] = levels[sample[3 * pixel + source]!]!;
  }
}

import { messageOf } from '../base/index.js';
import { openSpeechOnnx } from './onnx.js';
import type { SpeechReply, SpeechSetup } from './speech-network.js';

// A process with its own copy of the speech network. It reads blocks from standard input (the length in bytes as a 32-bit
// number, then 16-bit samples); a block of no bytes ends a track and is answered with the probabilities of its windows.
process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of a terminal; the parent decides when this one stops.
process.on('SIGINT', () => undefined);
process.once('message', (setup: SpeechSetup) => void serve(setup));

async function serve({ model, windowSamples, contextSamples }: SpeechSetup): Promise<void> {
  try {
    const network = await openSpeechOnnx(model, windowSamples, contextSamples);
    let probabilities: number[] = [];
    let rest = Buffer.alloc(0);
    const take = async (window: Buffer): Promise<void> => {
      const samples = new Float32Array(windowSamples);
      for (let k = 0; 2 * k + 1 < window.length; k++) samples[k] = window.readInt16LE(2 * k) / 32_768;
      probabilities.push(Math.round(255 * (await network.run(samples))));
    };
    for await (const block of blocksOf(process.stdin as AsyncIterable<Buffer>)) {
      rest = Buffer.concat([rest, block]);
      for (; rest.length >= 2 * windowSamples; rest = rest.subarray(2 * windowSamples)) {
        await take(rest.subarray(0, 2 * windowSamples));
      }
      if (block.length > 0) continue;
      // The last window is filled up with silence.
      if (rest.length > 0) await take(rest);
      reply({ probabilities: Uint8Array.from(probabilities) });
      [probabilities, rest] = [[], Buffer.alloc(0)];
      network.reset();
    }
    process.exit();
  } catch (error) {
    reply({ error: messageOf(error) });
  }
}

async function* blocksOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of input) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE(0)) {
      const end = 4 + rest.readUInt32LE(0);
      yield rest.subarray(4, end);
      rest = rest.subarray(end);
    }
  }
}

function reply(message: SpeechReply): void {
  process.send?.(message);
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { messageOf, startProcess, ThroughlineError } from '../base/index.js';

/** The network that detects speech, included in Throughline; `models/README.md` says where it comes from. */
export const SPEECH_MODEL = {
  name: 'silero-vad-v6',
  file: new URL('../../models/silero-vad-v6.onnx', import.meta.url),
  sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
  sampleRate: 16_000,
  windowSamples: 512,
  /** Samples before a window that the network sees again. */
  contextSamples: 64,
} as const;

/** The first message to a speech process. */
export type SpeechSetup = {
  readonly model: string;
  readonly windowSamples: number;
  readonly contextSamples: number;
};
/** The answer to one track, or why there will be none. */
export type SpeechReply = { readonly probabilities: Uint8Array } | { readonly error: string };

/** One sound track on its way through the network: one channel, 16,000 samples per second. */
type SpeechStream = {
  push(samples: Int16Array): Promise<void>;
  /** The probability of speech in each window of 512 samples, 0 to 255; rejects if the network failed. */
  end(): Promise<Uint8Array>;
  /** Gives up; after `end` it does nothing. */
  cancel(): void;
};

/** The speech network in processes that are used for one track after the other. Must be closed. */
export type SpeechNetwork = { open(): SpeechStream; close(): Promise<void> };

type SpeechProcess = { write(block: Uint8Array): Promise<void>; answer(): Promise<Uint8Array>; kill(): Promise<void> };

/** Opens the speech network. A process is started for each track heard at the same time, and kept for the next. */
export function openSpeechNetwork(file: URL = SPEECH_MODEL.file): SpeechNetwork {
  const all = new Set<SpeechProcess>();
  const idle: SpeechProcess[] = [];
  return {
    open() {
      const worker = idle.pop() ?? startSpeechProcess(file);
      all.add(worker);
      let isBusy = true;
      const drop = (): void => {
        isBusy = false;
        all.delete(worker);
        void worker.kill();
      };
      const send = async (bytes: Uint8Array): Promise<void> => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(bytes.length);
        await worker.write(Buffer.concat([length, bytes]));
      };
      return {
        push: ({ buffer, byteOffset, byteLength }) =>
          byteLength === 0 ? Promise.resolve() : send(new Uint8Array(buffer, byteOffset, byteLength)),
        async end() {
          try {
            const answer = worker.answer();
            await send(new Uint8Array());
            const probabilities = await answer;
            isBusy = false;
            idle.push(worker);
            return probabilities;
          } catch (error) {
            drop();
            throw error;
          }
        },
        cancel: () => (isBusy ? drop() : undefined),
      };
    },
    async close() {
      await Promise.all([...all].map((worker) => worker.kill()));
    },
  };
}

function startSpeechProcess(file: URL): SpeechProcess {
  const child = startProcess(import.meta.url, './speech-process');
  const ended = new Promise<void>((resolve) => (child.pid ? child.once('close', () => resolve()) : resolve()));
  let broken: Error | null = null;
  let waiting: { resolve(probabilities: Uint8Array): void; reject(error: Error): void } | null = null;
  const fail = (why: string): void => {
    broken ??= new ThroughlineError('network-failed', `The speech network failed (${why}).`);
    waiting?.reject(broken);
  };
  child.on('error', (error) => fail(error.message));
  child.on('exit', (code, signal) => fail(`its process ended with ${signal ?? `exit ${code}`}`));
  child.on('message', (reply: SpeechReply) => {
    if ('error' in reply) fail(reply.error);
    else waiting?.resolve(reply.probabilities);
    waiting = null;
  });
  // 'exit' reports a process that has ended; samples it no longer reads must not be an error of their own.
  child.stdin?.on('error', () => undefined);
  const { windowSamples, contextSamples } = SPEECH_MODEL;
  checkSpeechModel(file).then(
    (model) => child.send({ model, windowSamples, contextSamples } satisfies SpeechSetup, () => undefined),
    (error: unknown) => fail(messageOf(error)),
  );
  return {
    write: (block) => new Promise((resolve) => (broken ? resolve() : child.stdin?.write(block, () => resolve()))),
    answer: () =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken);
        waiting = { resolve, reject };
      }),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The path of the model; rejects if the file is not the one we know. */
async function checkSpeechModel(file: URL): Promise<string> {
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  if (sha256 !== SPEECH_MODEL.sha256) throw new Error(`its file has sha256 ${sha256}, expected ${SPEECH_MODEL.sha256}`);
  return fileURLToPath(file);
}

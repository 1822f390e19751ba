import { startProcess, ThroughlineError } from '../base/index.js';
import type { Network } from './network.js';
import type { Device } from './types.js';

/** The first message to a network process. */
export type EmbedSetup = Pick<Network, 'onnx' | 'input' | 'output'> & {
  /** The length that every vector must have; `null` if it is not known yet. */
  readonly dim: number | null;
  readonly device: Device;
};
/** An answer to the sample with this number, from 0, on standard input. A failure without an id is about the whole process. */
export type EmbedReply =
  | { readonly id: number; readonly vector: Float32Array }
  | { readonly id: number | null; readonly code: string; readonly error: string };

/** A process with its own copy of the network, and the calls waiting for it. Must be closed. */
export type NetworkProcess = {
  embed(sample: Uint8Array): Promise<Float32Array>;
  waitingCount(): number;
  /** False once the whole process has failed; every later call is then rejected with the reason. */
  isAlive(): boolean;
  /** Ends the process; calls still waiting are rejected. */
  close(): Promise<void>;
};

/** Starts a network process. If it cannot start or load the network, the calls reject. */
export function openNetworkProcess(setup: EmbedSetup): NetworkProcess {
  const waiting = new Map<number, { resolve: (vector: Float32Array) => void; reject: (error: Error) => void }>();
  let broken: Error | null = null;
  let nextId = 0;
  const breakOff = (error: Error): void => {
    broken ??= error;
    for (const call of waiting.values()) call.reject(broken);
    waiting.clear();
  };
  const child = startProcess(import.meta.url, './embed-process');
  // A process that never started sends no 'close'.
  const ended = new Promise<void>((resolve) => (child.pid ? child.once('close', () => resolve()) : resolve()));
  child.on('error', (error) =>
    breakOff(failed(`The network process could not be started or reached (${error.message}).`, error)),
  );
  child.on('exit', (code, signal) =>
    breakOff(
      failed(`The network process ended unexpectedly (${signal ?? `exit ${code}`}). Check memory and try again.`),
    ),
  );
  child.on('message', (reply: EmbedReply) => {
    if ('error' in reply && reply.id === null) return breakOff(new ThroughlineError(reply.code, reply.error));
    const call = waiting.get(reply.id as number);
    waiting.delete(reply.id as number);
    if ('vector' in reply) call?.resolve(reply.vector);
    else call?.reject(new ThroughlineError(reply.code, reply.error));
  });
  // 'exit' reports a process that has ended; a sample it no longer reads must not be an error of its own.
  child.stdin?.on('error', () => undefined);
  child.send(setup, (error) => error && child.emit('error', error));
  return {
    embed: (sample) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken);
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        child.stdin?.write(sample);
      }),
    waitingCount: () => waiting.size,
    isAlive: () => broken === null,
    async close() {
      breakOff(closed());
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The error of a call that comes after closing, or was under way then. */
export function closed(): ThroughlineError {
  return new ThroughlineError('network-closed', 'The network was closed while samples were still given to it.');
}

function failed(message: string, cause?: Error): ThroughlineError {
  return new ThroughlineError('network-failed', message, { cause });
}

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { NumericError, startProcess, ThroughlineError, UsageError } from '../base/index.js';
import type { Device, Extractor, NetworkInput } from './types.js';

const side = z.int().positive().max(4096);
const perChannel = z.tuple([z.number(), z.number(), z.number()]).readonly();
const spread = z.number().refine((value) => value !== 0, 'must not be zero');

/** The most characters about licence and origin in a record. */
export const LONGEST_NOTE = 1000;

/**
 * The record next to an ONNX file: which network it is, and the input it expects. `weights` writes the first fields for
 * networks that it imports; a record written by hand works for any network.
 */
export const networkRecord = z.object({
  schema: z.literal('network.1'),
  network: z.string().max(200),
  /** The format of the file that the graph was made from. */
  form: z.string().max(200),
  input: z.object({
    name: z.string().max(1000),
    width: side,
    height: side,
    frames: z.int().min(2).max(256).optional(),
    scaleTo: z.union([z.object({ width: side, height: side }), z.object({ shorterSide: side })]),
    channelOrder: z.enum(['rgb', 'bgr']),
    mean: perChannel,
    std: z.tuple([spread, spread, spread]).readonly(),
  }),
  hasPixelMean: z.boolean().default(false),
  pool5: z.enum(['end', 'both']).optional(),
  /** The first is the default feature. */
  layers: z
    .array(z.object({ name: z.string().max(1000), dim: z.int().positive(), isOutput: z.boolean() }))
    .min(1)
    .max(1000),
  dim: z.int().positive(),
  /** Of the ONNX file; a different file is refused. */
  sha256: z.string().optional(),
  /** What its source says about using it. */
  licence: z.string().max(LONGEST_NOTE).optional(),
  /** Where it came from. */
  origin: z.string().max(LONGEST_NOTE).optional(),
});
/** The content of such a record. */
export type NetworkRecord = z.infer<typeof networkRecord>;

/** The path of the record of an ONNX file: `c3d.json` for `c3d.onnx`. */
export function recordPath(onnxPath: string): string {
  return `${onnxPath.replace(/\.onnx$/i, '')}.json`;
}

/** The record next to an ONNX file; `null` if there is none. */
export async function readRecord(onnxPath: string): Promise<NetworkRecord | null> {
  const path = recordPath(onnxPath);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new UsageError('bad-record', `Could not read "${path}" (${code}). Check its permissions.`, { cause: error });
  }
  let issue = 'it is not JSON';
  try {
    const parsed = networkRecord.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    const [first] = parsed.error.issues;
    issue = `${first?.path.join('.') || 'top level'}: ${first?.message ?? 'not understood'}`;
  } catch {
    // Reported below.
  }
  throw new UsageError(
    'bad-record',
    `Expected the record of a network (schema network.1) in "${path}", found a problem: ${issue}. Correct it, or remove it to use the model without one.`,
  );
}

/** A network ready to run, and the input it expects. */
export type Network = {
  readonly name: string;
  /** sha256 of the file it came from. */
  readonly sha256: string;
  /** The ONNX file: its bytes, or its path, which saves this process a copy. */
  readonly onnx: Uint8Array | string;
  readonly input: NetworkInput;
  /** Name of the output that is the feature, and its length. */
  readonly output: string;
  readonly dim: number;
};

/** Part of the version: raise it when preparation or pooling of samples changes. */
const PREPARATION = 2;

/**
 * The extractor of a network, in up to `workers` processes next to the decoder, started when samples come. Why processes, not
 * threads: docs/decisions/0007-network-in-processes.md. Each works on one sample at a time: batches gain nothing.
 */
export function openNetwork(
  network: Network,
  { workers, every, device = 'cpu' }: { workers: number; every: number; device?: Device },
): Extractor {
  const { onnx, input, output, dim } = network;
  const frames = input.frames ?? 1;
  const sampleBytes = 3 * input.width * input.height * frames;
  const processes: NetworkProcess[] = [];
  let isClosed = false;

  /** The least busy process, or a new one while all are busy. All give the same vectors. */
  const choose = (): NetworkProcess => {
    const alive = processes.filter((each) => each.isAlive());
    const [best] = alive.toSorted((a, b) => a.waitingCount() - b.waitingCount());
    if (best && (best.waitingCount() === 0 || alive.length >= workers)) return best;
    const started = openNetworkProcess({ onnx, input, output, dim, device });
    processes.push(started);
    return started;
  };

  return {
    name: network.name,
    version: [network.sha256.slice(0, 16), PREPARATION, ...(device === 'cpu' ? [] : [device])].join('.'),
    dim,
    sample: { widthPx: input.width, heightPx: input.height, scaleTo: input.scaleTo, every, frames },
    async embed(sample) {
      if (isClosed) throw closed();
      if (sample.length === sampleBytes) {
        // A process may be killed for lack of memory; the sample is tried once more in another one.
        return choose()
          .embed(sample)
          .catch((error: unknown) => {
            if (isClosed || !(error instanceof ThroughlineError) || error.code !== 'network-failed') throw error;
            return choose().embed(sample);
          });
      }
      const shape = `${input.width} × ${input.height} pixels${frames > 1 ? ` × ${frames} frames` : ''}`;
      throw new NumericError(
        'bad-picture',
        `Expected a sample of ${shape} (${sampleBytes} bytes), found ${sample.length} bytes.`,
      );
    },
    async close() {
      isClosed = true;
      await Promise.all(processes.map((each) => each.close()));
    },
  };
}

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
type NetworkProcess = {
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
function closed(): ThroughlineError {
  return new ThroughlineError('network-closed', 'The network was closed while samples were still given to it.');
}

function failed(message: string, cause?: Error): ThroughlineError {
  return new ThroughlineError('network-failed', message, { cause });
}

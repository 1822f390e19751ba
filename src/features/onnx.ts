import { messageOf, UsageError } from '../base/index.js';
import type { Device } from './types.js';

/** Row-major values and their shape. */
export type ShapedValues = { readonly values: Float32Array; readonly shape: readonly number[] };

/** A loaded network: one float tensor in, one out. Must be closed. */
type OnnxSession = {
  /** Runs one batch. `shape` is the full input shape; returns the output's values. */
  run(values: Float32Array, shape: readonly number[]): Promise<Float32Array>;
  /** The same with the shape of the output. */
  runShaped(values: Float32Array, shape: readonly number[]): Promise<ShapedValues>;
  close(): Promise<void>;
};

/**
 * Loads an ONNX file, by its bytes or its path, into the runtime. A session has one thread: sums are then always taken in the
 * same order, and several sessions use a machine better than one session with several threads.
 */
export async function openOnnx(
  model: Uint8Array | string,
  input: string,
  output: string,
  device: Device = 'cpu',
): Promise<OnnxSession> {
  const { session, Tensor } = await loadOnnx(model, device);
  for (const [kind, name, names] of [
    ['input', input, session.inputNames],
    ['output', output, session.outputNames],
  ] as const) {
    if (names.includes(name)) continue;
    await session.release();
    throw new UsageError(
      'bad-model',
      `Expected an ${kind} "${name}" in the model, found ${names.join(', ') || 'none'}. Choose another model.`,
    );
  }
  const runShaped = async (values: Float32Array, shape: readonly number[]): Promise<ShapedValues> => {
    const results = await session.run({ [input]: new Tensor('float32', values, shape) }, [output]);
    // Version 1.17 returns the result under the name of the model's first output, whichever was asked for; there is only one.
    const [result] = Object.values(results);
    if (result?.type === 'float32') return { values: result.data as Float32Array, shape: result.dims };
    throw new UsageError(
      'bad-model',
      `Expected 32-bit floats as output "${output}", found ${result?.type ?? 'nothing'}. Choose another layer or model.`,
    );
  };
  return {
    run: async (values, shape) => (await runShaped(values, shape)).values,
    runShaped,
    close: () => session.release(),
  };
}

/** Loads a model into the runtime, with one thread. */
async function loadOnnx(model: Uint8Array | string, device: Device) {
  const { InferenceSession, Tensor } = await import('onnxruntime-node').catch((error: unknown) => {
    throw new UsageError(
      'no-runtime',
      `Expected the network runtime (onnxruntime-node), could not load it (${firstLine(error)}). Install Throughline again.`,
      { cause: error },
    );
  });
  // The runtime declares one function for bytes and one for paths; both are the same function.
  const session = await InferenceSession.create(model as Uint8Array, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // Errors are thrown; the runtime would print them as well.
    logSeverityLevel: 4,
    executionProviders: device === 'cpu' ? ['cpu'] : [device, 'cpu'],
  }).catch((error: unknown) => {
    if (device !== 'cpu') {
      throw new UsageError(
        'no-device',
        `Expected a network runtime for the device "${device}", found that it cannot be used here (${firstLine(error)}). Use "cpu".`,
        { cause: error },
      );
    }
    throw new UsageError(
      'bad-model',
      `Expected a model that the network runtime can load, found that it cannot (${firstLine(error)}). Choose another model.`,
      { cause: error },
    );
  });
  return { session, Tensor };
}

/**
 * Loads the network that detects speech (models/README.md), which carries a state from one window to the next:
 *   (p, state) ← network(last samples of the window before + window, state)
 */
export async function openSpeechOnnx(
  model: string,
  windowSamples: number,
  contextSamples: number,
): Promise<{ run(window: Float32Array): Promise<number>; reset(): void }> {
  const { session, Tensor } = await loadOnnx(model, 'cpu');
  const rate = new Tensor('int64', BigInt64Array.of(16_000n), []);
  const silence = () => new Float32Array(contextSamples + windowSamples);
  const rest = () => new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128]);
  let [heard, state] = [silence(), rest()];
  return {
    async run(window) {
      heard.copyWithin(0, windowSamples);
      heard.set(window, contextSamples);
      const input = new Tensor('float32', heard, [1, heard.length]);
      const results = await session.run({ input, state, sr: rate });
      state = results['stateN'] as typeof state;
      return (results['output']!.data as Float32Array)[0]!;
    },
    reset() {
      [heard, state] = [silence(), rest()];
    },
  };
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0]!.trim();
}

/**
 * The vector of one sample from the output of a network, whatever its shape:
 *   1 × d                        as it is
 *   1 × tokens × d               the mean over the tokens, a class token among them
 *   1 × c × rows × columns …     the mean over places and times
 * An output of `dim` numbers is taken as it is, in any shape. Throws for another length than `dim`, and for values that are not finite.
 */
export function reduceOutput({ values, shape }: ShapedValues, dim: number | null): Float32Array {
  const vector = values.length === dim || shape.length < 2 ? values : meanOverPlaces(values, shape);
  if (vector.length < 1 || (dim !== null && vector.length !== dim)) {
    throw badOutput(`a vector of ${dim ?? 'some'} numbers`, `an output of shape ${shape.join(' × ') || '1'}`);
  }
  if (!vector.every(Number.isFinite)) throw badOutput('finite numbers', 'some that are not');
  return vector;
}

function meanOverPlaces(values: Float32Array, [samples, ...shape]: readonly number[]): Float32Array {
  if (samples !== 1) throw badOutput('one result for one sample', String(samples));
  // Channels are last in tokens, and first in maps.
  const isMap = shape.length > 2;
  const channels = (isMap ? shape[0] : shape.at(-1)) ?? 0;
  const places = values.length / Math.max(1, channels);
  const [channelStep, placeStep] = isMap ? [places, 1] : [1, channels];
  return Float32Array.from({ length: channels }, (_, channel) => {
    let sum = 0;
    for (let place = 0; place < places; place++) sum += values[channel * channelStep + place * placeStep]!;
    return sum / places;
  });
}

function badOutput(expected: string, found: string): UsageError {
  return new UsageError(
    'bad-model',
    `Expected ${expected} from the network, found ${found}. Choose another layer or model.`,
  );
}

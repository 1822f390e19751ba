import { messageOf, UsageError } from '../base/index.js';

/** A loaded network: one float tensor in, one out. Must be closed. */
export type OnnxSession = {
  /** Runs one batch. `shape` is the full input shape; returns the output's values. */
  run(values: Float32Array, shape: readonly number[]): Promise<Float32Array>;
  close(): Promise<void>;
};

/**
 * Loads an ONNX file into the runtime. One thread a session: sums are then always taken in the same order, and several
 * sessions side by side use a machine better than one session with several threads.
 */
export async function openOnnx(model: Uint8Array, input: string, output: string): Promise<OnnxSession> {
  const { InferenceSession, Tensor } = await import('onnxruntime-node').catch((error: unknown) => {
    throw new UsageError(
      'no-runtime',
      `The network runtime (onnxruntime-node) could not be loaded (${firstLine(error)}). Install Throughline again.`,
      { cause: error },
    );
  });
  const session = await InferenceSession.create(model, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // Errors are thrown; the runtime would print them as well.
    logSeverityLevel: 4,
  }).catch((error: unknown) => {
    throw new UsageError(
      'bad-model',
      `The network runtime refused the model (${firstLine(error)}). Choose another model.`,
      { cause: error },
    );
  });
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
  return {
    async run(values, shape) {
      const results = await session.run({ [input]: new Tensor('float32', values, shape) }, [output]);
      return results[output]!.data as Float32Array;
    },
    close: () => session.release(),
  };
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0]!.trim();
}

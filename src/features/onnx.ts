import { UsageError } from '../base/index.js';

/** A loaded network: one float tensor in, one out. */
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
      'The network runtime (onnxruntime-node) could not be loaded. Install again with "npm ci".',
      { cause: error },
    );
  });
  const session = await InferenceSession.create(model, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  return {
    async run(values, shape) {
      const results = await session.run({ [input]: new Tensor('float32', values, shape) }, [output]);
      return results[output]?.data as Float32Array;
    },
    async close() {
      await session.release();
    },
  };
}

import { UsageError } from '../base/index.js';

/** A network as an ONNX file: input `input` (n × 3 × height × width), output `feature` (n × dim). */
export type FeatureNetwork = {
  readonly onnx: Uint8Array;
  readonly heightPx: number;
  readonly widthPx: number;
  readonly dim: number;
};

/** The error for a network that has something no converter here knows. */
export function unsupported(found: string): UsageError {
  return new UsageError(
    'bad-model',
    `Expected a plain convolutional classifier, found ${found}. Choose another model.`,
  );
}

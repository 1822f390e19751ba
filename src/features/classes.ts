import { type Matrix, multiply, transpose, zeros } from '../base/index.js';
import { damaged } from './flatbuffer.js';
import { readTflite, realValues } from './tflite.js';
import type { FeatureMatrix } from './types.js';

/** Operator code of the TFLite schema. */
const FULLY_CONNECTED = 9;

/** The last layer of a classifier, which turns the vector of a picture into one number per class. */
export type ClassHead = {
  /** One column per class, one row per entry of a vector. */
  readonly weights: Matrix;
  readonly bias: Float32Array;
};

/** The last layer of a TFLite image classifier. */
export function readClassHead(file: Uint8Array): ClassHead {
  const { operators, tensors } = readTflite(file);
  const layer = operators.findLast(({ code }) => code === FULLY_CONNECTED);
  const [filter, bias] = [tensors[layer?.inputs[1] ?? -1], tensors[layer?.inputs[2] ?? -1]];
  const [rows = 0, cols = 0] = filter?.shape ?? [];
  if (filter === undefined || bias === undefined || bias.shape[0] !== rows) throw damaged('it has no classifier');
  return {
    weights: transpose({ rows, cols, data: Float64Array.from(realValues(filter)) }),
    bias: realValues(bias),
  };
}

/**
 * What a shot shows, by classes:  x_c = √p_c,  p = softmax(Wu + b)   for the vector u of the shot.
 * Rows have length one; their cosine is Bhattacharyya's coefficient, high only if two shots share likely classes.
 */
export function classRoots({ shotCount, dim, data }: FeatureMatrix, { weights, bias }: ClassHead): Matrix {
  const roots = zeros(shotCount, bias.length);
  const logits = multiply({ rows: shotCount, cols: dim, data: Float64Array.from(data) }, weights).data;
  for (let start = 0; start < logits.length; start += bias.length) {
    let [highest, sum] = [-Infinity, 0];
    for (let c = 0; c < bias.length; c++) highest = Math.max(highest, (logits[start + c]! += bias[c]!));
    for (let c = 0; c < bias.length; c++) sum += logits[start + c] = Math.exp(logits[start + c]! - highest);
    for (let c = 0; c < bias.length; c++) roots.data[start + c] = Math.sqrt(logits[start + c]! / sum);
  }
  return roots;
}

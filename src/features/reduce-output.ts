import { UsageError } from '../base/index.js';
import type { ShapedValues } from './onnx.js';

/**
 * The vector of one sample from what a network gives for it, whatever its shape:
 *   1 × d                        as it is
 *   1 × tokens × d               the mean over the tokens, a class token among them
 *   1 × c × rows × columns …     the mean over places and times
 * As many numbers as `dim` are taken whole in any shape; another length than `dim` is refused, and so is what is no number.
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
  // Of tokens the channels stand last, of maps first.
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

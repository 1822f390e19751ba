import { UsageError } from '../base/index.js';
import type { ShapedValues } from './onnx.js';

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

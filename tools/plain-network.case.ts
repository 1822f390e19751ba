import { random } from '../src/base/index.js';
import type { TestTensor, TestWeights } from './weights-files.case.js';
import type { Pool5Padding } from './weights.js';

/** Values of channels × frames × rows × columns, in this order. */
type Volume = { readonly size: readonly [number, number, number, number]; readonly values: Float64Array };

/** Random weights by layer: `[width, inputs, kernel…]`, scaled so that numbers stay near one. */
export function randomWeights(seed: number, shapes: Readonly<Record<string, readonly number[]>>): TestWeights {
  const dice = random(seed);
  const tensor = (shape: readonly number[], scale: number): TestTensor => ({
    shape,
    values: Float32Array.from(
      { length: shape.reduce((product, size) => product * size, 1) },
      () => scale * dice.normal(),
    ),
  });
  return Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => {
      const inputs = shape.slice(1).reduce((product, size) => product * size, 1);
      return [
        [`${name}.weight`, tensor(shape, Math.sqrt(2 / inputs))],
        [`${name}.bias`, tensor([shape[0]!], 0.1)],
      ];
    }),
  );
}

/**
 * result(o, t, y, x) = max(0, bias(o) + Σ weight(o, c, dt, dy, dx) · source(c, t + dt − 1, y + dy − 1, x + dx − 1)),
 * what lies outside counting as zero. A picture is a volume of one frame, and its filters have no dt.
 */
function convolve(source: Volume, weight: TestTensor, bias: TestTensor): Volume {
  const [channels, frames, rows, columns] = source.size;
  const [width = 0] = weight.shape;
  const depth = weight.shape.length === 5 ? 3 : 1;
  const values = new Float64Array(width * frames * rows * columns);
  for (let o = 0; o < width; o++) {
    for (let t = 0; t < frames; t++) {
      for (let y = 0; y < rows; y++) {
        for (let x = 0; x < columns; x++) {
          let sum = bias.values[o]!;
          for (let c = 0; c < channels; c++) {
            for (let dt = 0; dt < depth; dt++) {
              const frame = t + dt - (depth - 1) / 2;
              if (frame < 0 || frame >= frames) continue;
              for (let dy = 0; dy < 3; dy++) {
                const row = y + dy - 1;
                if (row < 0 || row >= rows) continue;
                for (let dx = 0; dx < 3; dx++) {
                  const column = x + dx - 1;
                  if (column < 0 || column >= columns) continue;
                  const w = weight.values[(((o * channels + c) * depth + dt) * 3 + dy) * 3 + dx]!;
                  sum += w * source.values[((c * frames + frame) * rows + row) * columns + column]!;
                }
              }
            }
          }
          values[((o * frames + t) * rows + y) * columns + x] = Math.max(0, sum);
        }
      }
    }
  }
  return { size: [width, frames, rows, columns], values };
}

/** The largest value of each window; windows are given as lists of places by axis. */
function pool(source: Volume, windows: readonly (readonly (readonly number[])[])[]): Volume {
  const [channels, , rows, columns] = source.size;
  const [times = [], ys = [], xs = []] = windows;
  const values: number[] = [];
  for (let c = 0; c < channels; c++) {
    for (const frames of times) {
      for (const down of ys) {
        for (const across of xs) {
          const inside = frames.flatMap((t) =>
            down.flatMap((y) => across.map((x) => source.values[((c * source.size[1] + t) * rows + y) * columns + x]!)),
          );
          values.push(Math.max(...inside));
        }
      }
    }
  }
  return { size: [channels, times.length, ys.length, xs.length], values: Float64Array.from(values) };
}

/** {0,1} {2,3} … of `length` places; an odd last one stands alone. */
function pairs(length: number): number[][] {
  return Array.from({ length: Math.ceil(length / 2) }, (_, k) => [2 * k, 2 * k + 1].filter((place) => place < length));
}

/** {0} {1} … */
function singles(length: number): number[][] {
  return Array.from({ length }, (_, k) => [k]);
}

/** weight · source + bias, before any ReLU. */
export function connect(source: Float64Array, weight: TestTensor, bias: TestTensor): Float64Array {
  const inputs = source.length;
  return Float64Array.from(bias.values, (start, o) =>
    source.reduce((sum, value, k) => sum + value * weight.values[o * inputs + k]!, start),
  );
}

export function rectify(values: Float64Array): Float64Array {
  return values.map((value) => Math.max(0, value));
}

/** C3D up to what goes into fc6's ReLU, from a clip of 3 × 16 × 112 × 112. */
export function plainC3d(weights: TestWeights, clip: ArrayLike<number>, pool5: Pool5Padding): Float64Array {
  const conv = (source: Volume, name: string): Volume =>
    convolve(source, weights[`${name}.weight`]!, weights[`${name}.bias`]!);
  const halve = (source: Volume): Volume => pool(source, source.size.slice(1).map(pairs));
  let volume: Volume = { size: [3, 16, 112, 112], values: Float64Array.from(clip) };
  volume = conv(volume, 'conv1');
  volume = pool(volume, [singles(16), pairs(112), pairs(112)]);
  volume = halve(conv(volume, 'conv2'));
  volume = halve(conv(conv(volume, 'conv3a'), 'conv3b'));
  volume = halve(conv(conv(volume, 'conv4a'), 'conv4b'));
  volume = conv(conv(volume, 'conv5a'), 'conv5b');
  const seven = pool5 === 'end' ? [[0, 1], [2, 3], [4, 5], [6]] : [[0], [1, 2], [3, 4], [5, 6]];
  return connect(pool(volume, [[[0, 1]], seven, seven]).values, weights['fc6.weight']!, weights['fc6.bias']!);
}

/** Convolutions of VGG-16 before each pooling. */
export const VGG_STAGES = [2, 2, 3, 3, 3].map((count, stage) =>
  Array.from({ length: count }, (_, k) => `conv${stage + 1}_${k + 1}`),
);

/** VGG-16's dense layers after their ReLU, from a picture of 3 × 224 × 224. */
export function plainVgg(weights: TestWeights, picture: ArrayLike<number>): { fc6: Float64Array; fc7: Float64Array } {
  let volume: Volume = { size: [3, 1, 224, 224], values: Float64Array.from(picture) };
  for (const stage of VGG_STAGES) {
    for (const name of stage) volume = convolve(volume, weights[`${name}.weight`]!, weights[`${name}.bias`]!);
    const side = volume.size[2];
    volume = pool(volume, [singles(1), pairs(side), pairs(side)]);
  }
  const fc6 = rectify(connect(volume.values, weights['fc6.weight']!, weights['fc6.bias']!));
  return { fc6, fc7: rectify(connect(fc6, weights['fc7.weight']!, weights['fc7.bias']!)) };
}

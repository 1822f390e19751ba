import type { Layer, Stored, TinyNetwork } from './tiny-network.case.js';

/** What `runPlainly` found: the pooled vector, and how many results of each layer had to be held at a bound. */
type PlainRun = { readonly vector: number[]; readonly heldLow: number[]; readonly heldHigh: number[] };

/**
 * Computes a network on pictures of real numbers (height × width × channel) by the definition of each layer, one number
 * after the other: shares nothing with the conversion but the description of the network.
 */
export function runPlainly({ picture, layers }: TinyNetwork, values: readonly number[]): PlainRun {
  const results: { shape: readonly number[]; values: readonly number[] }[] = [{ shape: picture.shape, values }];
  const heldLow: number[] = [];
  const heldHigh: number[] = [];
  for (const layer of layers) {
    const [source, other] = layer.from.map((place) => results[place]!);
    const shape = layer.result.shape;
    if (layer.kind === 'mean' || (layer.kind === 'average-pool' && !layer.window)) {
      const channels = source!.shape[3]!;
      const places = source!.values.length / channels;
      const vector = Array.from({ length: channels }, (_, channel) => {
        let sum = 0;
        for (let place = 0; place < places; place++) sum += source!.values[place * channels + channel]!;
        return sum / places;
      });
      return { vector, heldLow, heldHigh };
    }
    const raw =
      layer.kind === 'add'
        ? source!.values.map((value, k) => value + other!.values[k]!)
        : layer.kind === 'quantize'
          ? source!.values
          : layer.kind === 'concat'
            ? joinChannels(layer.from.map((place) => results[place]!))
            : layer.window
              ? pool(layer, source!)
              : convolve(layer, source!);
    const { low, high } = boundsOf(layer);
    heldLow.push(raw.filter((value) => value < low).length);
    heldHigh.push(raw.filter((value) => value > high).length);
    results.push({ shape, values: raw.map((value) => Math.min(Math.max(value, low), high)) });
  }
  throw new Error('the network has no pooling');
}

type Plain = { readonly shape: readonly number[]; readonly values: readonly number[] };

function joinChannels(parts: readonly Plain[]): number[] {
  const [, height = 0, width = 0] = parts[0]!.shape;
  return Array.from({ length: height * width }, (_, place) =>
    parts.flatMap(({ shape, values }) => values.slice(place * shape[3]!, (place + 1) * shape[3]!)),
  ).flat();
}

/** The largest or the mean of the places of a window that are inside the picture. */
function pool(layer: Layer, { shape, values }: Plain): number[] {
  const [, height = 0, width = 0, channels = 0] = shape;
  const [, rows = 0, columns = 0] = layer.result.shape;
  const [windowRows, windowColumns] = layer.window!;
  const { strideX = 1, strideY = 1 } = layer;
  const before = (length: number, size: number, stride: number, outLength: number): number =>
    layer.padding === 'same' ? Math.floor(Math.max(0, (outLength - 1) * stride + size - length) / 2) : 0;
  const top = before(height, windowRows, strideY, rows);
  const left = before(width, windowColumns, strideX, columns);
  const results: number[] = [];
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      for (let channel = 0; channel < channels; channel++) {
        const inside: number[] = [];
        for (let atY = y * strideY - top; atY < y * strideY - top + windowRows; atY++) {
          for (let atX = x * strideX - left; atX < x * strideX - left + windowColumns; atX++) {
            if (atY >= 0 && atY < height && atX >= 0 && atX < width) {
              inside.push(values[(atY * width + atX) * channels + channel]!);
            }
          }
        }
        const sum = inside.reduce((total, value) => total + value, 0);
        results.push(layer.kind === 'max-pool' ? Math.max(...inside) : sum / inside.length);
      }
    }
  }
  return results;
}

function convolve(layer: Layer, source: { shape: readonly number[]; values: readonly number[] }): number[] {
  const [, height = 0, width = 0, sourceChannels = 0] = source.shape;
  const [, rows = 0, columns = 0, channels = 0] = layer.result.shape;
  const [, filterRows = 0, filterColumns = 0, filterLast = 0] = layer.filter!.shape;
  const sources = layer.kind === 'depthwise' ? 1 : filterLast;
  const channelsAGroup = channels / (sourceChannels / sources);
  const { strideX = 1, strideY = 1 } = layer;
  const before = (length: number, size: number, stride: number, outLength: number): number =>
    layer.padding === 'same' ? Math.floor(Math.max(0, (outLength - 1) * stride + size - length) / 2) : 0;
  const top = before(height, filterRows, strideY, rows);
  const left = before(width, filterColumns, strideX, columns);
  const results: number[] = [];
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      for (let channel = 0; channel < channels; channel++) {
        const first = Math.floor(channel / channelsAGroup) * sources;
        let sum = layer.bias ? real(layer.bias, channel) : 0;
        for (let dy = 0; dy < filterRows; dy++) {
          for (let dx = 0; dx < filterColumns; dx++) {
            const atY = y * strideY + dy - top;
            const atX = x * strideX + dx - left;
            if (atY < 0 || atY >= height || atX < 0 || atX >= width) continue;
            const place = (atY * width + atX) * sourceChannels;
            for (let from = 0; from < sources; from++) {
              const weight =
                layer.kind === 'depthwise'
                  ? (dy * filterColumns + dx) * channels + channel
                  : ((channel * filterRows + dy) * filterColumns + dx) * sources + from;
              sum += real(layer.filter!, weight) * source.values[place + first + from]!;
            }
          }
        }
        results.push(sum);
      }
    }
  }
  return results;
}

/** Stored value number `index` of a constant, as a real number. */
function real({ shape, scale, zero, axis = 0, values }: Stored, index: number): number {
  const stored = values![index]!;
  if (!scale) return stored;
  let step = 1;
  for (let k = shape.length - 1; k > axis; k--) step *= shape[k]!;
  const channel = scale.length === 1 ? 0 : Math.floor(index / step) % shape[axis]!;
  return Math.fround(scale[channel]!) * (stored - (zero?.[channel] ?? 0));
}

function boundsOf({ activation = 'none', result }: Layer): { low: number; high: number } {
  const asked = { none: [-1e30, 1e30], relu: [0, 1e30], 'relu-1-1': [-1, 1], relu6: [0, 6], tanh: [-1, 1] }[activation];
  const [low = 0, high = 0] = asked;
  const { scale, zero, type } = result;
  if (!scale || !zero || (type !== 'uint8' && type !== 'int8')) return { low, high };
  const codes = type === 'uint8' ? [0, 255] : [-128, 127];
  const [least = 0, most = 0] = codes.map((code) => Math.fround(scale[0]!) * (code - zero[0]!));
  return { low: Math.max(low, least), high: Math.min(high, most) };
}

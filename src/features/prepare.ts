import type { NetworkInput } from './weights/index.js';

/**
 * v[c, t, y, x] = (byte − mean_c) / std_c: converts the frames of a sample from RGB pixel by pixel to one channel after the
 * other, as networks expect them, in the channel order the network was trained on.
 */
export function prepareSample(sample: Uint8Array, input: NetworkInput, values: Float32Array): void {
  const pixels = input.width * input.height * (input.frames ?? 1);
  for (let channel = 0; channel < 3; channel++) {
    const source = input.channelOrder === 'bgr' ? 2 - channel : channel;
    const [mean, std] = [input.mean[channel]!, input.std[channel]!];
    const start = channel * pixels;
    for (let pixel = 0; pixel < pixels; pixel++) {
      values[start + pixel] = (sample[3 * pixel + source]! - mean) / std;
    }
  }
}

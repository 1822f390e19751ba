import { UsageError } from '../../base/index.js';
import { readBlob } from './caffe.js';
import { isNpy, readNpy } from './numpy.js';
import { valuesOf } from './tensor.js';

/**
 * Reads a training mean (.binaryproto or .npy) of 3 × (frames ×) height × width and cuts out its centre, as Caffe does
 * with the pictures: the smaller half of an odd margin comes first. A mean without frames is used for every frame.
 */
export function readPixelMean(
  file: Uint8Array,
  extent: readonly number[],
): { readonly shape: readonly number[]; readonly floats: Uint8Array } {
  const tensor = isNpy(file) ? readNpy(file) : readBlob(file);
  const [height = 0, width = 0] = extent.slice(-2);
  const frames = extent.length > 2 ? extent[0]! : 1;
  const [rows = 0, columns = 0] = tensor.shape.slice(-2);
  const outer = tensor.shape.slice(0, -2).filter((size) => size !== 1);
  const isSame = outer.join() === '3';
  if (!(isSame || outer.join() === [3, frames].join()) || rows < height || columns < width) {
    throw new UsageError(
      'bad-model',
      `Expected a mean of 3 × ${frames} × ${height} × ${width} or larger pictures, found ${tensor.shape.join(' × ')}. Choose the mean the network was trained with.`,
    );
  }
  const values = valuesOf(tensor);
  const planes = isSame ? 3 : 3 * frames;
  const [top, left] = [Math.floor((rows - height) / 2), Math.floor((columns - width) / 2)];
  const centre = new Float32Array(planes * height * width);
  for (let plane = 0; plane < planes; plane++) {
    for (let row = 0; row < height; row++) {
      const from = (plane * rows + top + row) * columns + left;
      centre.set(values.subarray(from, from + width), (plane * height + row) * width);
    }
  }
  const ofFrames = extent.length > 2 ? [isSame ? 1 : frames] : [];
  return { shape: [3, ...ofFrames, height, width], floats: new Uint8Array(centre.buffer) };
}

import { UsageError } from '../src/base/index.js';
import { damaged, readMessage, readPacked, textOf } from '../src/features/onnx-file.js';
import { countOf, elementBytes, tensorOf } from './tensor.js';
import type { Weights, WeightTensor } from './weights.js';

/**
 * Field numbers of caffe.proto. A net holds its layers as `layer` (2015 and later) or `layers` (before); the two layer
 * messages number their fields differently.
 */
const LAYER_FIELDS: ReadonlyMap<number, { readonly name: number; readonly blobs: number }> = new Map([
  [100, { name: 1, blobs: 7 }],
  [2, { name: 4, blobs: 6 }],
]);

/**
 * A blob is four dimensions 1 to 4 and floats 5, or a shape 7, or doubles 8. The fork that made C3D has five dimensions
 * 1 to 5 (the third is time) and floats 6. Field 5 tells them apart: it is a number there, and values in the other.
 */
const BLOB = { dims: [1, 2, 3, 4], data: 5, shape: 7, doubles: 8 } as const;
const C3D_BLOB = { dims: [1, 2, 3, 4, 5], data: 6 } as const;

/** The largest published nets have about a thousand layers. */
const MOST_LAYERS = 100_000;

/** Caffe's own limit. */
const MOST_AXES = 32;

/** Only layers that are neither convolutions nor dense have further blobs. */
const BLOB_NAMES = ['weight', 'bias'];

/** Reads the weights of a .caffemodel: the first blob of a layer is its weight, the second its bias. */
export function readCaffe(file: Uint8Array): Weights {
  const tensors = new Map<string, WeightTensor>();
  let layerCount = 0;
  for (const field of readMessage(file)) {
    const numbers = field.wire === 'bytes' ? LAYER_FIELDS.get(field.number) : undefined;
    if (!numbers) continue;
    if (++layerCount > MOST_LAYERS) throw damaged('it has more layers than any network');
    let name = '';
    const blobs: Uint8Array[] = [];
    for (const part of readMessage(field.content)) {
      if (part.wire !== 'bytes') continue;
      if (part.number === numbers.name) name = textOf(part.content);
      if (part.number === numbers.blobs && blobs.length < BLOB_NAMES.length) blobs.push(part.content);
    }
    blobs.forEach((blob, k) => {
      const key = `${name}.${BLOB_NAMES[k]}`;
      if (tensors.has(key)) throw damaged(`it has two layers named "${name.slice(0, 100)}"`);
      tensors.set(key, readBlob(blob));
    });
  }
  if (tensors.size > 0) return { form: 'caffe', tensors };
  throw new UsageError(
    'bad-model',
    'Expected a .caffemodel, found no layer with weights. Choose the file with the trained weights, not the .prototxt.',
  );
}

/** Reads one blob, such as the training mean in a .binaryproto file. */
export function readBlob(blob: Uint8Array): WeightTensor {
  const dims = new Map<number, number>();
  const packed = new Map<number, Uint8Array>();
  for (const field of readMessage(blob)) {
    if (field.wire === 'varint') dims.set(field.number, field.value);
    else if (field.wire !== 'bytes' || packed.has(field.number)) throw damaged('the values of a blob are in pieces');
    else packed.set(field.number, field.content);
  }
  const sizes = (fields: readonly number[]): number[] => fields.map((field) => dims.get(field) ?? 0);
  if (dims.has(BLOB.data)) return blobTensor(sizes(C3D_BLOB.dims), packed.get(C3D_BLOB.data), 'float32');
  const shape = packed.get(BLOB.shape);
  const doubles = packed.get(BLOB.doubles);
  const dimensions = shape ? readShape(shape) : sizes(BLOB.dims);
  return doubles
    ? blobTensor(dimensions, doubles, 'float64')
    : blobTensor(dimensions, packed.get(BLOB.data), 'float32');
}

/** The dimensions of a BlobShape: field 1, packed or one by one. */
function readShape(message: Uint8Array): number[] {
  const shape: number[] = [];
  for (const field of readMessage(message)) {
    if (field.number === 1)
      shape.push(...(field.wire === 'varint' ? [field.value] : readPacked(field.content, MOST_AXES)));
    if (shape.length > MOST_AXES) throw damaged('a blob has more dimensions than Caffe allows');
  }
  return shape;
}

function blobTensor(
  shape: readonly number[],
  content: Uint8Array | undefined,
  dtype: 'float32' | 'float64',
): WeightTensor {
  const bytes = content?.length ?? 0;
  if (countOf(shape) * elementBytes(dtype) !== bytes) {
    throw damaged(`a blob of ${shape.join(' × ')} holds ${bytes} bytes`);
  }
  return tensorOf(content ?? new Uint8Array(0), dtype, { shape });
}

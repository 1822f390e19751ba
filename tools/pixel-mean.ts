import { UsageError } from '../src/base/index.js';
import {
  ATTRIBUTE_TENSOR,
  GRAPH,
  MODEL,
  NODE,
  readModel,
  readValue,
  VALUE,
  bytesField,
  type Pieces,
  readMessage,
  textField,
  varintField,
} from '../src/features/onnx-file.js';
import { readBlob } from './caffe.js';
import { isNpy, readNpy } from './numpy.js';
import { valuesOf } from './tensor.js';

/**
 * The same model with a constant subtracted from one of its inputs. The input gets a new name and the difference gets the old
 * one, so that every operation of the graph stays as it is.
 */
export function subtractMean(
  file: Uint8Array,
  input: string,
  { shape, floats }: { readonly shape: readonly number[]; readonly floats: Uint8Array },
): { readonly onnx: Uint8Array; readonly input: string } {
  const { graph } = readModel(file);
  const [outer, mean] = [`${input}.bytes`, `${input}.mean`];
  const declared = [...readMessage(graph.content)].find(
    ({ number, wire, content }) => number === GRAPH.input && wire === 'bytes' && readValue(content).name === input,
  );
  if (!declared)
    throw new UsageError('bad-model', `Expected an input "${input}" in the model, found none. Choose another model.`);
  const values = [...[1, ...shape].flatMap((size) => varintField(1, size)), ...varintField(2, 1), ...bytesField(9, [floats])]; // prettier-ignore
  const node = (operation: string, inputs: readonly string[], result: string, attribute?: Pieces): Pieces =>
    bytesField(GRAPH.node, [
      ...inputs.flatMap((each) => textField(NODE.input, each)),
      ...textField(NODE.output, result),
      ...textField(NODE.operation, operation),
      ...(attribute ? bytesField(NODE.attribute, attribute) : []),
    ]);
  const value = [...textField(1, 'value'), ...bytesField(ATTRIBUTE_TENSOR, values), ...varintField(20, 4)];
  const content = [
    ...node('Constant', [], mean, value),
    ...node('Sub', [outer, mean], input),
    graph.content.subarray(0, declared.start),
    // If a message has two names, the last one counts.
    ...bytesField(GRAPH.input, [declared.content, ...textField(VALUE.name, outer)]),
    graph.content.subarray(declared.end),
  ];
  const onnx = Buffer.concat([
    file.subarray(0, graph.start),
    ...bytesField(MODEL.graph, content),
    file.subarray(graph.end),
  ]);
  return { onnx, input: outer };
}

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

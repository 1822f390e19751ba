import { UsageError } from '../base/index.js';
import { onnxGraph, type OnnxGraph } from './onnx-graph.js';
import { readTflite, realValues, type TfliteModel, type TfliteOperator, type TfliteTensor } from './tflite.js';

/** A network as an ONNX file: input `input` (n × 3 × height × width), output `feature` (n × dim). */
export type FeatureNetwork = {
  readonly onnx: Uint8Array;
  readonly heightPx: number;
  readonly widthPx: number;
  readonly dim: number;
};

/** Operator codes of the TFLite schema. */
const ADD = 0;
const AVERAGE_POOL = 1;
const CONV = 3;
const DEPTHWISE_CONV = 4;
const DEQUANTIZE = 6;
const MEAN = 40;
const QUANTIZE = 114;

/**
 * Turns an image classifier stored as TFLite into ONNX, up to and including the pooling before its classifier: the
 * network's picture vector. Weights become 32-bit floats, stored values times their scale; TFLite keeps pictures as
 * height × width × channel, ONNX as channel × height × width, so filters are transposed. A quantised tensor that
 * cannot go below zero acts as a rectifier, and saturates at the top of its range: both become a clip.
 */
export function convertTflite(file: Uint8Array): FeatureNetwork {
  const model = readTflite(file);
  const input = tensorOf(model, model.inputs[0] ?? -1);
  const [, heightPx = 0, widthPx = 0, channels = 0] = input.shape;
  const graph = onnxGraph('features');
  const names = new Map<number, string>([
    [model.inputs[0] ?? -1, graph.input('input', ['n', channels, heightPx, widthPx])],
  ]);

  for (const operator of model.operators) {
    const [result = -1] = operator.outputs;
    const from = names.get(operator.inputs[0] ?? -1) ?? '';
    const name = `t${result}`;
    switch (operator.code) {
      case QUANTIZE:
      case DEQUANTIZE:
        names.set(result, from);
        break;
      case CONV:
      case DEPTHWISE_CONV:
        names.set(result, convolution(graph, model, operator, from, name));
        break;
      case ADD: {
        const terms = operator.inputs.map((index) => names.get(index) ?? '');
        names.set(
          result,
          activate(graph, graph.node('Add', terms, name), operator.byteOption(0), tensorOf(model, result)),
        );
        break;
      }
      case AVERAGE_POOL:
      case MEAN: {
        const dim = tensorOf(model, result).shape.at(-1) ?? 0;
        graph.node('Flatten', [graph.node('GlobalAveragePool', [from], name)], 'feature', { axis: 1 });
        graph.output('feature', ['n', dim]);
        return { onnx: graph.build(), heightPx, widthPx, dim };
      }
      default:
        throw new UsageError(
          'bad-model',
          `Expected a plain convolutional classifier, found operator ${operator.code} before its pooling.`,
        );
    }
  }
  throw new UsageError('bad-model', 'Expected a classifier with a pooling layer before its head, found none.');
}

function tensorOf(model: TfliteModel, index: number): TfliteTensor {
  const tensor = model.tensors[index];
  if (!tensor)
    throw new UsageError('bad-model', `The model names tensor ${index}, which it does not have. The file is damaged.`);
  return tensor;
}

function convolution(
  graph: OnnxGraph,
  model: TfliteModel,
  operator: TfliteOperator,
  from: string,
  name: string,
): string {
  const depthwise = operator.code === DEPTHWISE_CONV;
  const filter = tensorOf(model, operator.inputs[1] ?? -1);
  const bias = tensorOf(model, operator.inputs[2] ?? -1);
  const [first = 0, rows = 0, columns = 0, last = 0] = filter.shape;
  const shape = depthwise ? [last, 1, rows, columns] : [first, last, rows, columns];
  const weights = depthwise
    ? channelsFirst(realValues(filter), 1, rows * columns, last)
    : channelsFirst(realValues(filter), first, rows * columns, last);
  const result = graph.node(
    'Conv',
    [
      from,
      graph.constant(`${name}.weight`, shape, weights),
      graph.constant(`${name}.bias`, bias.shape, realValues(bias)),
    ],
    name,
    {
      kernel_shape: [rows, columns],
      strides: [operator.intOption(2), operator.intOption(1)],
      group: depthwise ? last : 1,
      auto_pad: operator.byteOption(0) === 0 ? 'SAME_UPPER' : 'VALID',
    },
  );
  return activate(graph, result, operator.byteOption(depthwise ? 4 : 3), tensorOf(model, operator.outputs[0] ?? -1));
}

/** outer × positions × channels to outer × channels × positions. */
function channelsFirst(values: Float32Array, outer: number, positions: number, channels: number): Float32Array {
  const turned = new Float32Array(values.length);
  for (let block = 0; block < outer; block++) {
    for (let position = 0; position < positions; position++) {
      for (let channel = 0; channel < channels; channel++) {
        turned[(block * channels + channel) * positions + position] =
          values[(block * positions + position) * channels + channel] ?? 0;
      }
    }
  }
  return turned;
}

function activate(graph: OnnxGraph, from: string, activation: number, tensor: TfliteTensor): string {
  if (activation === 1) return graph.node('Relu', [from], `${from}.act`);
  const clip = (top: number): string =>
    graph.node(
      'Clip',
      [
        from,
        graph.constant(`${from}.low`, [], Float32Array.of(0)),
        graph.constant(`${from}.high`, [], Float32Array.of(top)),
      ],
      `${from}.act`,
    );
  if (activation === 3) return clip(6);
  const { quantization, type } = tensor;
  if (!quantization || quantization.scale.length !== 1 || (type !== 'uint8' && type !== 'int8')) return from;
  const lowest = type === 'uint8' ? 0 : -128;
  const zero = quantization.zeroPoint[0] ?? 0;
  return zero === lowest ? clip(255 * (quantization.scale[0] ?? 0)) : from;
}

import { UsageError } from '../src/base/index.js';
import { CLASS_HEAD } from '../src/features/embedded.js';
import { damaged } from '../src/features/onnx-file.js';
import { onnxGraph, type OnnxGraph } from './onnx-graph.js';
import {
  readTflite,
  realValues,
  storedCodes,
  type TfliteModel,
  type TfliteOperator,
  type TfliteTensor,
} from './tflite.js';

/** Operator codes of the TFLite schema. */
const ADD = 0;
const AVERAGE_POOL = 1;
const CONV = 3;
const DEPTHWISE_CONV = 4;
const DEQUANTIZE = 6;
const FULLY_CONNECTED = 9;
const MEAN = 40;
const QUANTIZE = 114;

/** Lowest and highest result by fused activation code of the schema: none, ReLU, ReLU −1 to 1, ReLU6. */
const ACTIVATIONS: readonly Bounds[] = [
  { low: -Infinity, high: Infinity },
  { low: 0, high: Infinity },
  { low: -1, high: 1 },
  { low: 0, high: 6 },
];

/** Largest picture side accepted; a damaged file can claim any. */
const LONGEST_SIDE_PX = 4096;

/**
 * Converts a TFLite image classifier to ONNX, up to and including the pooling before its classifier, which gives the vector of
 * a picture. Weights become 32-bit floats, stored values times their scale; TFLite stores pictures as height × width ×
 * channel, ONNX as channel × height × width, so filters are transposed.
 * With `keepsCodes`, filters of 8 bits are decoded inside the graph, which is a quarter of the size and gives the same vectors
 * bit for bit, and the constants of the classifier are kept beside the graph.
 */
export function convertTflite(file: Uint8Array, { keepsCodes = false } = {}): FeatureNetwork {
  const model = readTflite(file);
  const input = model.inputs[0] ?? -1;
  const { heightPx, widthPx } = pictureSize(tensorOf(model, input));
  const graph = onnxGraph('features');
  const names = new Map([[input, graph.input('input', ['n', 3, heightPx, widthPx])]]);
  const nameOf = (tensor: number | undefined): string => {
    const name = names.get(tensor ?? -1);
    if (name === undefined) throw damaged(`an operator needs tensor ${tensor}, which nothing computes before it`);
    return name;
  };

  for (const operator of model.operators) {
    const [first] = operator.inputs;
    const [result = -1] = operator.outputs;
    const from = nameOf(first);
    switch (operator.code) {
      case QUANTIZE:
      case DEQUANTIZE:
        names.set(result, from);
        break;
      case CONV:
      case DEPTHWISE_CONV:
        names.set(result, convolution(graph, model, operator, from, keepsCodes));
        break;
      case ADD:
        names.set(result, addition(graph, model, operator, [from, nameOf(operator.inputs[1])]));
        break;
      case AVERAGE_POOL:
      case MEAN: {
        const dim = pooledChannels(model, operator);
        graph.node('Flatten', [graph.node('GlobalAveragePool', [from], `t${result}`)], 'feature', { axis: 1 });
        graph.output('feature', ['n', dim]);
        if (keepsCodes) addClassHead(graph, model);
        return { onnx: graph.build(), heightPx, widthPx, dim };
      }
      default:
        throw unsupported(`operator ${operator.code} before its pooling`);
    }
  }
  throw unsupported('no pooling layer before its head');
}

/** The constants of the last layer of the classifier, one scale and zero per class. */
function addClassHead(graph: OnnxGraph, model: TfliteModel): void {
  const layer = model.operators.findLast(({ code }) => code === FULLY_CONNECTED);
  const [filter, bias] = [tensorOf(model, layer?.inputs[1]), tensorOf(model, layer?.inputs[2])];
  const codes = storedCodes(filter);
  const [classes = 0] = filter.shape;
  if (codes === null || bias.shape[0] !== classes) throw damaged('it has no classifier of 8 bits');
  const perClass = (values: Float32Array): Float32Array =>
    values.length === 1 ? new Float32Array(classes).fill(values[0]!) : values;
  graph.constant(CLASS_HEAD.stored, filter.shape, codes.values);
  graph.constant(CLASS_HEAD.zero, [classes], perClass(codes.zero));
  graph.constant(CLASS_HEAD.scale, [classes], perClass(codes.scale));
  graph.constant(CLASS_HEAD.bias, [classes], realValues(bias));
}

function pictureSize({ shape }: TfliteTensor): { heightPx: number; widthPx: number } {
  const [, heightPx = 0, widthPx = 0, channels = 0] = shape;
  const isSide = (length: number): boolean => length >= 1 && length <= LONGEST_SIDE_PX;
  if (shape.length === 4 && channels === 3 && isSide(heightPx) && isSide(widthPx)) return { heightPx, widthPx };
  throw unsupported(`an input of shape ${shape.join(' × ')} where a colour picture is needed`);
}

function tensorOf(model: TfliteModel, index: number | undefined): TfliteTensor {
  const tensor = model.tensors[index ?? -1];
  if (!tensor) throw damaged(`it names tensor ${index}, which it does not have`);
  return tensor;
}

function channelsOf(tensor: TfliteTensor): number {
  return tensor.shape[3] ?? 0;
}

function convolution(
  graph: OnnxGraph,
  model: TfliteModel,
  operator: TfliteOperator,
  from: string,
  keepsCodes: boolean,
): string {
  const isDepthwise = operator.code === DEPTHWISE_CONV;
  const filter = tensorOf(model, operator.inputs[1]);
  const result = tensorOf(model, operator.outputs[0]);
  const name = `t${operator.outputs[0]}`;
  const inputChannels = channelsOf(tensorOf(model, operator.inputs[0]));
  const [first = 0, rows = 0, columns = 0, last = 0] = filter.shape;
  // A depthwise filter is 1 × rows × columns × result; a plain one is result × rows × columns × source.
  const [channels, sources] = isDepthwise ? [last, 1] : [first, last];
  const groups = inputChannels / sources;
  if (
    filter.shape.length !== 4 ||
    (isDepthwise && first !== 1) ||
    !(Number.isInteger(groups) && groups >= 1 && channels % groups === 0) ||
    channelsOf(result) !== channels
  ) {
    throw damaged(`the filter of tensor "${result.name}" does not fit`);
  }
  const strides = [operator.intOption(2), operator.intOption(1)];
  if (strides.some((stride) => stride < 1)) throw damaged(`tensor "${result.name}" is computed with stride 0`);
  const dilation = isDepthwise ? 5 : 4;
  if (operator.intOption(dilation, 1) !== 1 || operator.intOption(dilation + 1, 1) !== 1) {
    throw unsupported('a dilated convolution');
  }
  const outer = isDepthwise ? 1 : first;
  const operands = [from, weight(graph, name, filter, [channels, sources, rows, columns], outer, keepsCodes)];
  if ((operator.inputs[2] ?? -1) !== -1) {
    const bias = realValues(tensorOf(model, operator.inputs[2]));
    if (bias.length !== channels) throw damaged(`the bias of tensor "${result.name}" does not fit`);
    operands.push(graph.constant(`${name}.bias`, [channels], bias));
  }
  graph.node('Conv', operands, name, {
    kernel_shape: [rows, columns],
    strides,
    group: groups,
    auto_pad: operator.byteOption(0) === 0 ? 'SAME_UPPER' : 'VALID',
  });
  return hold(graph, name, operator.byteOption(isDepthwise ? 4 : 3), result);
}

/**
 * The filter of a convolution. One of 8 bits is kept as it is stored and decoded by the graph, when it is loaded:
 *   w = scale · (float(stored) − zero)
 * The difference is exact, so that w is the 32-bit float nearest to the product, as in `realValues`.
 */
function weight(
  graph: OnnxGraph,
  name: string,
  filter: TfliteTensor,
  shape: readonly [number, number, number, number],
  outer: number,
  keepsCodes: boolean,
): string {
  const [channels, sources, rows, columns] = shape;
  const last = (channels * sources) / outer;
  const codes = keepsCodes ? storedCodes(filter) : null;
  if (codes === null) {
    return graph.constant(`${name}.weight`, shape, channelsFirst(realValues(filter), outer, rows * columns, last));
  }
  const perChannel = (values: Float32Array): number[] => (values.length === 1 ? [] : [channels, 1, 1, 1]);
  const { values, zero, scale } = codes;
  const stored = graph.constant(`${name}.stored`, shape, channelsFirst(values, outer, rows * columns, last));
  let decoded = graph.node('Cast', [stored], `${name}.codes`, { to: 1 });
  if (zero.some((code) => code !== 0)) {
    decoded = graph.node('Sub', [decoded, graph.constant(`${name}.zero`, perChannel(zero), zero)], `${name}.centred`);
  }
  return graph.node('Mul', [decoded, graph.constant(`${name}.scale`, perChannel(scale), scale)], `${name}.weight`);
}

/** outer × positions × channels to outer × channels × positions. */
function channelsFirst<T extends Float32Array | Int8Array>(
  values: T,
  outer: number,
  positions: number,
  channels: number,
): T {
  const turned = values.slice() as T;
  for (let block = 0; block < outer; block++) {
    for (let position = 0; position < positions; position++) {
      for (let channel = 0; channel < channels; channel++) {
        turned[(block * channels + channel) * positions + position] =
          values[(block * positions + position) * channels + channel]!;
      }
    }
  }
  return turned;
}

function addition(
  graph: OnnxGraph,
  model: TfliteModel,
  operator: TfliteOperator,
  terms: readonly [string, string],
): string {
  const shapes = [...operator.inputs, operator.outputs[0]].map((index) => tensorOf(model, index).shape.join());
  if (new Set(shapes).size !== 1) throw unsupported('an addition of tensors of different shapes');
  const sum = graph.node('Add', terms, `t${operator.outputs[0]}`);
  return hold(graph, sum, operator.byteOption(0), tensorOf(model, operator.outputs[0]));
}

/** Channels after the pooling over whole pictures that comes before the classifier. */
function pooledChannels(model: TfliteModel, operator: TfliteOperator): number {
  const source = tensorOf(model, operator.inputs[0]);
  const result = tensorOf(model, operator.outputs[0]);
  const [, height, width, channels = 0] = source.shape;
  const isWhole = operator.code === MEAN || (operator.intOption(3) === width && operator.intOption(4) === height);
  const isVector = result.shape.reduce((product, size) => product * size, 1) === channels;
  if (isWhole && isVector && result.shape.at(-1) === channels && channels >= 1) return channels;
  throw unsupported('a pooling that is not over the whole picture');
}

type Bounds = { readonly low: number; readonly high: number };

/**
 * Keeps a result within its activation and within the range of its stored type. The second matters: a quantised tensor whose
 * lowest code means zero acts as a ReLU, and every one saturates at its ends.
 */
function hold(graph: OnnxGraph, from: string, activation: number, tensor: TfliteTensor): string {
  const asked = ACTIVATIONS[activation];
  if (!asked) throw unsupported(`activation ${activation}`);
  const stored = storedBounds(tensor);
  const low = Math.max(asked.low, stored.low);
  const high = Math.min(asked.high, stored.high);
  if (low === -Infinity && high === Infinity) return from;
  const bound = (name: string, value: number): string => graph.constant(`${from}.${name}`, [], Float32Array.of(value));
  return graph.node('Clip', [from, bound('low', low), bound('high', high)], `${from}.held`);
}

function storedBounds({ quantization, type }: TfliteTensor): Bounds {
  if (quantization?.scale.length !== 1 || (type !== 'uint8' && type !== 'int8')) return ACTIVATIONS[0]!;
  const lowest = type === 'uint8' ? 0 : -128;
  const scale = quantization.scale[0]!;
  const zero = quantization.zeroPoint[0]!;
  return { low: scale * (lowest - zero), high: scale * (lowest + 255 - zero) };
}

/** A network as an ONNX file: input `input` (n × 3 × height × width), output `feature` (n × dim). */
export type FeatureNetwork = {
  readonly onnx: Uint8Array;
  readonly heightPx: number;
  readonly widthPx: number;
  readonly dim: number;
};

/** The error for a network that has something no converter here knows. */
export function unsupported(found: string): UsageError {
  return new UsageError(
    'bad-model',
    `Expected a plain convolutional classifier, found ${found}. Choose another model.`,
  );
}

import { z } from 'zod';

import { messageOf, UsageError } from '../src/base/index.js';
import { damaged } from '../src/features/onnx-file.js';
import { onnxGraph, type OnnxGraph } from './onnx-graph.js';
import { type FeatureNetwork, unsupported } from './tflite-to-onnx.js';

const side = z.int().positive().max(4096);
const pair = z.tuple([side, side]);
const layerSchema = z.object({
  name: z.string().max(200),
  class_name: z.string().max(200),
  config: z.record(z.string(), z.unknown()),
  inbound_nodes: z.array(z.array(z.tuple([z.string()], z.unknown()))),
});
/** The parts of the `model.json` of a TensorFlow.js layers model that are read. */
const modelSchema = z.object({
  modelTopology: z.object({ model_config: z.object({ config: z.object({ layers: z.array(layerSchema) }) }) }),
  weightsManifest: z.array(
    z.object({
      weights: z.array(
        z.object({ name: z.string(), shape: z.array(z.int().positive()).max(8), dtype: z.literal('float32') }),
      ),
    }),
  ),
});
type KerasLayer = z.infer<typeof layerSchema>;
type KerasWeights = z.infer<typeof modelSchema>['weightsManifest'][number]['weights'];
type Tensor = { readonly shape: readonly number[]; readonly values: Float32Array };
/** A tensor of the graph being written. */
type Flow = { readonly name: string; readonly channels: number };
type Step = {
  readonly graph: OnnxGraph;
  readonly layer: KerasLayer;
  readonly from: Flow;
  readonly other: Flow | undefined;
  /** One of the layer's weights by its name and rank. */
  weight(part: string, rank: number): Tensor;
};

/**
 * Converts a Keras image classifier, as stored by TensorFlow.js (a description, and the weights as one array of bytes), to
 * ONNX, up to and including the pooling before its classifier. Tensors keep the names of their layers.
 */
export function convertKeras(description: Uint8Array, weights: Uint8Array): FeatureNetwork {
  const { modelTopology, weightsManifest } = readDescription(description);
  const tensors = placeTensors(weightsManifest.flatMap((group) => group.weights), weights); // prettier-ignore
  const graph = onnxGraph('features');
  const flows = new Map<string, Flow>();
  let [heightPx, widthPx] = [0, 0];
  for (const layer of modelTopology.model_config.config.layers) {
    refuseUnusual(layer);
    if (layer.class_name === 'InputLayer') {
      const shape = z.tuple([z.null(), side, side, z.literal(3)]);
      [, heightPx, widthPx] = option(layer, 'batch_input_shape', shape);
      flows.set(layer.name, { name: graph.input('input', ['n', 3, heightPx, widthPx]), channels: 3 });
      continue;
    }
    const inputs = (layer.inbound_nodes[0] ?? []).map(([source]) => flows.get(source));
    const [from, other] = inputs;
    const isSum = layer.class_name === 'Add';
    if (!from || inputs.length !== (isSum ? 2 : 1) || isSum !== (other !== undefined)) {
      throw damaged(`layer "${layer.name}" needs inputs that do not come before it`);
    }
    if (layer.class_name === 'GlobalAveragePooling2D') {
      graph.node('Flatten', [graph.node('GlobalAveragePool', [from.name], layer.name)], 'feature', { axis: 1 });
      graph.output('feature', ['n', from.channels]);
      return { onnx: graph.build(), heightPx, widthPx, dim: from.channels };
    }
    const weight = (part: string, rank: number): Tensor => {
      const found = tensors.get(`${layer.name}/${part}`);
      if (found?.shape.length !== rank) throw damaged(`layer "${layer.name}" has no fitting weight "${part}"`);
      return found;
    };
    const add = STEPS[layer.class_name];
    if (!add) throw unsupported(`a layer of kind "${layer.class_name}" before its pooling`);
    flows.set(layer.name, add({ graph, layer, from, other, weight }));
  }
  throw unsupported('no pooling layer before its head');
}

const STEPS: Readonly<Record<string, (step: Step) => Flow>> = {
  Conv2D: convolution,
  BatchNormalization: normalisation,
  ZeroPadding2D: zeroPadding,
  MaxPooling2D({ graph, layer, from }) {
    const window = { kernel_shape: option(layer, 'pool_size', pair), strides: option(layer, 'strides', pair) };
    return { ...from, name: graph.node('MaxPool', [from.name], layer.name, { ...window, auto_pad: padding(layer) }) };
  },
  Activation({ graph, layer, from }) {
    option(layer, 'activation', z.literal('relu'));
    return { ...from, name: graph.node('Relu', [from.name], layer.name) };
  },
  Add({ graph, layer, from, other }) {
    if (other?.channels !== from.channels) throw damaged(`the terms of layer "${layer.name}" do not fit`);
    return { ...from, name: graph.node('Add', [from.name, other.name], layer.name) };
  },
};

function convolution({ graph, layer, from, weight }: Step): Flow {
  option(layer, 'activation', z.literal('linear'));
  const kernel = weight('kernel', 4);
  const [rows = 0, columns = 0, sources, channels = 0] = kernel.shape;
  if (sources !== from.channels) throw damaged(`the kernel of layer "${layer.name}" does not fit`);
  const turned = resultsFirst(kernel.values, rows * columns, from.channels, channels);
  const operands = [from.name, graph.constant(`${layer.name}.kernel`, [channels, sources, rows, columns], turned)];
  if (option(layer, 'use_bias', z.boolean())) {
    operands.push(graph.constant(`${layer.name}.bias`, [channels], perChannel(weight('bias', 1), channels, layer)));
  }
  const strides = option(layer, 'strides', pair);
  const attributes = { kernel_shape: [rows, columns], strides, auto_pad: padding(layer) };
  return { name: graph.node('Conv', operands, layer.name, attributes), channels };
}

/** positions × sources × results to results × sources × positions. */
function resultsFirst(values: Float32Array, positions: number, sources: number, results: number): Float32Array {
  const turned = new Float32Array(values.length);
  let at = 0;
  for (let position = 0; position < positions; position++) {
    for (let source = 0; source < sources; source++) {
      for (let result = 0; result < results; result++) {
        turned[(result * sources + source) * positions + position] = values[at++]!;
      }
    }
  }
  return turned;
}

/** y = γ (x − μ) / √(σ² + ε) + β as one factor and one term per channel; the runtime merges them into the convolution. */
function normalisation({ graph, layer, from, weight }: Step): Flow {
  const { channels } = from;
  option(layer, 'axis', z.union([z.tuple([z.literal(3)]), z.literal(3)]));
  const epsilon = option(layer, 'epsilon', z.number().nonnegative());
  const [gamma, beta, mean, variance] = ['gamma', 'beta', 'moving_mean', 'moving_variance'].map((part) =>
    perChannel(weight(part, 1), channels, layer),
  );
  const factor = gamma!.map((value, k) => value / Math.sqrt(variance![k]! + epsilon));
  const term = beta!.map((value, k) => value - mean![k]! * factor[k]!);
  const constant = (part: string, values: Float32Array): string =>
    graph.constant(`${layer.name}.${part}`, [channels, 1, 1], values);
  const scaled = graph.node('Mul', [from.name, constant('factor', factor)], `${layer.name}.scaled`);
  return { ...from, name: graph.node('Add', [scaled, constant('term', term)], layer.name) };
}

function zeroPadding({ graph, layer, from }: Step): Flow {
  const margin = z.int().nonnegative().max(64);
  const [[top, bottom], [left, right]] = option(layer, 'padding', z.tuple([z.tuple([margin, margin]), z.tuple([margin, margin])])); // prettier-ignore
  const margins = BigInt64Array.from([0, 0, top, left, 0, 0, bottom, right], BigInt);
  const name = graph.node('Pad', [from.name, graph.constant(`${layer.name}.margins`, [8], margins)], layer.name);
  return { ...from, name };
}

function padding(layer: KerasLayer): string {
  return option(layer, 'padding', z.enum(['same', 'valid'])) === 'same' ? 'SAME_UPPER' : 'VALID';
}

function perChannel({ values }: Tensor, channels: number, layer: KerasLayer): Float32Array {
  if (values.length !== channels) throw damaged(`the weights of layer "${layer.name}" do not fit`);
  return values;
}

function option<T>({ name, config }: KerasLayer, key: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(config[key]);
  if (parsed.success) return parsed.data;
  throw unsupported(`"${key}": ${(JSON.stringify(config[key]) ?? 'nothing').slice(0, 60)} in layer "${name}"`);
}

/** The only values that these settings may have, if a layer states them. */
const USUAL = { data_format: '"channels_last"', dilation_rate: '[1,1]', groups: '1' } as const;

function refuseUnusual({ name, config }: KerasLayer): void {
  for (const [key, value] of Object.entries(USUAL)) {
    const found = JSON.stringify(config[key]);
    if (found !== undefined && found !== value) throw unsupported(`"${key}": ${found.slice(0, 60)} in layer "${name}"`);
  }
}

function readDescription(description: Uint8Array): z.infer<typeof modelSchema> {
  try {
    return modelSchema.parse(JSON.parse(new TextDecoder().decode(description)));
  } catch (error) {
    throw new UsageError(
      'bad-model',
      `Expected the model.json of a TensorFlow.js layers model with 32-bit floats, found something else (${messageOf(error).slice(0, 200)}). Choose another file.`,
      { cause: error },
    );
  }
}

/** Finds the weights in the bytes, which are in the order of the manifest. */
function placeTensors(manifest: KerasWeights, bytes: Uint8Array): ReadonlyMap<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  let at = 0;
  for (const { name, shape } of manifest) {
    const length = 4 * shape.reduce((product, size) => product * size, 1);
    if (at + length > bytes.length) throw damaged('its weights are shorter than their list says');
    const values = new Float32Array(length / 4);
    new Uint8Array(values.buffer).set(bytes.subarray(at, at + length));
    tensors.set(name, { shape, values });
    at += length;
  }
  if (at !== bytes.length) throw damaged('its weights are longer than their list says');
  return tensors;
}

import { UsageError } from '../src/base/index.js';
import type { NetworkLayer } from '../src/features/types.js';
import { onnxGraph, type OnnxGraph } from './onnx-graph.js';
import type { Weights, WeightTensor } from './weights.js';

/** A pooling for each axis of the picture or clip; `before` and `after` are its padding. */
type Pooling = {
  readonly kernel: readonly number[];
  readonly before: readonly number[];
  readonly after: readonly number[];
};

/** A network of the VGG kind: convolutions of 3 in every direction with ReLU, poolings between, dense layers with ReLU. */
export type ConvNetPlan = {
  readonly name: string;
  /** Rows and columns, or frames, rows and columns. */
  readonly extent: readonly number[];
  readonly stages: readonly { readonly convolutions: readonly string[]; readonly pooling: Pooling }[];
  readonly dense: readonly string[];
  /** Subtracted from the input first: one number per element of `extent`, or of its last axes. */
  readonly pixelMean?: { readonly shape: readonly number[]; readonly floats: Uint8Array };
};

/** The name of the graph's input. */
export const INPUT_NAME = 'input';

/** Channels of the input: colour. */
const COLOURS = 3;

/** A pooling with `kernel` as its stride too, and no padding. */
export function plainPooling(kernel: readonly number[]): Pooling {
  const nothing = kernel.map(() => 0);
  return { kernel, before: nothing, after: nothing };
}

/**
 * Writes a network as ONNX. Widths are read from the weights; shapes must fit one another. Tensors are named by layer
 * (`conv1`, `pool1`, `fc6`: after the ReLU), with `.linear` for the input of a ReLU. Every dense layer is an output.
 */
export function convNetGraph(
  plan: ConvNetPlan,
  weights: Weights,
  names: ReadonlyMap<string, string>,
): {
  readonly onnx: Uint8Array;
  readonly layers: readonly NetworkLayer[];
} {
  const graph = onnxGraph(plan.name);
  let from = graph.input(INPUT_NAME, ['n', COLOURS, ...plan.extent]);
  if (plan.pixelMean) {
    const { shape, floats } = plan.pixelMean;
    from = graph.node('Sub', [from, graph.constant('mean', [1, ...shape], floats)], 'centred');
  }
  const layerOf = (layer: string, rank: number): Layer => findLayer(weights, layer, names.get(layer)!, rank);
  let channels = COLOURS;
  let extent = plan.extent;
  let pooled = '';
  plan.stages.forEach(({ convolutions, pooling }, stage) => {
    for (const name of convolutions) {
      const layer = layerOf(name, 2 + extent.length);
      const kernel = extent.map(() => 3);
      expectShape(layer, [layer.width, channels, ...kernel]);
      const attributes = { kernel_shape: kernel, pads: [...kernel, ...kernel].map(() => 1) };
      from = activated(
        graph,
        graph.node('Conv', [from, ...constants(graph, layer)], `${name}.linear`, attributes),
        name,
      );
      channels = layer.width;
    }
    const { kernel, before, after } = pooling;
    pooled = `pool${stage + 1}`;
    from = graph.node('MaxPool', [from], pooled, {
      kernel_shape: kernel,
      strides: kernel,
      pads: [...before, ...after],
    });
    extent = extent.map((size, axis) => Math.floor((size + before[axis]! + after[axis]!) / kernel[axis]!));
  });

  let inputs = extent.reduce((product, size) => product * size, channels);
  const layers: NetworkLayer[] = [{ name: pooled, dim: inputs, isOutput: false }];
  from = graph.node('Flatten', [from], 'flat', { axis: 1 });
  for (const name of plan.dense) {
    const layer = layerOf(name, 2);
    expectShape(layer, [layer.width, inputs]);
    inputs = layer.width;
    const linear = graph.node('Gemm', [from, ...constants(graph, layer)], `${name}.linear`, { transB: 1 });
    from = activated(graph, linear, name);
    graph.output(name, ['n', inputs]);
    layers.unshift({ name, dim: inputs, isOutput: true }, { name: linear, dim: inputs, isOutput: false });
  }
  return { onnx: graph.build(), layers };
}

type Layer = {
  readonly name: string;
  readonly width: number;
  /** Of the weight, without the leading ones older Caffe files have. */
  readonly shape: readonly number[];
  readonly weight: WeightTensor;
  readonly bias: WeightTensor;
};

function findLayer({ tensors }: Weights, name: string, fileName: string, rank: number): Layer {
  const [weight, bias] = ['weight', 'bias'].map((part) => tensors.get(`${fileName}.${part}`));
  if (!weight || !bias) throw unfit(`a weight and a bias "${fileName}"`, 'none');
  const shape = withoutLeadingOnes(weight.shape, rank);
  const width = shape[0] ?? 0;
  if (withoutLeadingOnes(bias.shape, 1).join() !== `${width}` || width < 1) {
    throw unfit(`a bias of ${width} for "${fileName}"`, bias.shape.join(' × '));
  }
  return { name, width, shape, weight, bias };
}

function withoutLeadingOnes(shape: readonly number[], rank: number): readonly number[] {
  const extra = shape.length - rank;
  return extra > 0 && shape.slice(0, extra).every((size) => size === 1) ? shape.slice(extra) : shape;
}

function expectShape({ name, shape }: Layer, expected: readonly number[]): void {
  if (shape.join() !== expected.join()) throw unfit(`${name} of ${expected.join(' × ')}`, shape.join(' × '));
}

function constants(graph: OnnxGraph, { name, width, shape, weight, bias }: Layer): string[] {
  return [
    graph.constant(`${name}.weight`, shape, weight.floats()),
    graph.constant(`${name}.bias`, [width], bias.floats()),
  ];
}

function activated(graph: OnnxGraph, linear: string, name: string): string {
  return graph.node('Relu', [linear], name);
}

function unfit(expected: string, found: string): UsageError {
  return new UsageError('bad-model', `Expected ${expected}, found ${found}. Choose the weights of the network named.`);
}

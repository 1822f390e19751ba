import { readMessage, readPacked, textOf } from '../protobuf.js';
import { NODE, GRAPH, readModel } from './onnx-file.js';

/** A dense layer of a graph: Gemm, or MatMul with a bias added, by constant weights. */
export type DenseLayer = {
  /** Its output before any ReLU. */
  readonly linear: string;
  /** The output of its ReLU; `null` if none follows. */
  readonly rectified: string | null;
  readonly width: number;
};

type Node = {
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly result: string;
  readonly isTransposed: boolean;
};
type Shape = readonly number[];

/** No tensor has more dimensions. */
const MOST_DIMENSIONS = 64;

/** The dense layers of an ONNX file in the order of computation, whatever their tensors are called. */
export function denseLayers(file: Uint8Array): DenseLayer[] {
  const { nodes, shapes } = readNodes(readModel(file).graph.content);
  const users = new Map(nodes.flatMap((node) => node.inputs.map((input) => [`${node.operation} ${input}`, node])));
  const next = (tensor: string, operation: string): Node | undefined => users.get(`${operation} ${tensor}`);
  return nodes.flatMap(({ operation, inputs, result, isTransposed }) => {
    const shape = shapes.get(inputs[1] ?? '');
    if (!(operation === 'Gemm' || operation === 'MatMul') || shape?.length !== 2) return [];
    const sum = operation === 'MatMul' ? next(result, 'Add') : undefined;
    // Only a constant that is added is a bias: the sum of two computed tensors is not part of the layer.
    const linear = sum?.inputs.some((input) => shapes.has(input)) ? sum.result : result;
    return [{ linear, rectified: next(linear, 'Relu')?.result ?? null, width: shape[isTransposed ? 0 : 1]! }];
  });
}

/** The operations of a graph, and the shapes of its constants. */
function readNodes(graph: Uint8Array): { nodes: Node[]; shapes: Map<string, Shape> } {
  const nodes: Node[] = [];
  const shapes = new Map<string, Shape>();
  for (const { number, wire, content } of readMessage(graph)) {
    if (wire !== 'bytes') continue;
    if (number === GRAPH.initializer) {
      const { name, shape } = readConstant(content);
      shapes.set(name, shape);
    }
    if (number === GRAPH.node) {
      const { value, ...node } = readNode(content);
      if (node.operation === 'Constant' && value) shapes.set(node.result, value);
      nodes.push(node);
    }
  }
  return { nodes, shapes };
}

function readNode(content: Uint8Array): Node & { value: Shape | undefined } {
  const inputs: string[] = [];
  let [operation, result, isTransposed] = ['', '', false];
  let value: Shape | undefined;
  for (const field of readMessage(content)) {
    if (field.wire !== 'bytes') continue;
    if (field.number === NODE.input) inputs.push(textOf(field.content));
    if (field.number === NODE.output) result ||= textOf(field.content);
    if (field.number === NODE.operation) operation = textOf(field.content);
    if (field.number === NODE.attribute) {
      const attribute = readAttribute(field.content);
      if (attribute.name === 'transB') isTransposed = attribute.whole !== 0;
      if (attribute.name === 'value') value = attribute.shape;
    }
  }
  return { operation, inputs, result, isTransposed, value };
}

/** AttributeProto: a name (1), and a whole number (3) or a tensor (5) among others. */
function readAttribute(content: Uint8Array): { name: string; whole: number; shape: Shape | undefined } {
  let [name, whole] = ['', 0];
  let shape: Shape | undefined;
  for (const field of readMessage(content)) {
    if (field.number === 1 && field.wire === 'bytes') name = textOf(field.content);
    if (field.number === 3) whole = field.value;
    if (field.number === 5 && field.wire === 'bytes') ({ shape } = readConstant(field.content));
  }
  return { name, whole, shape };
}

/** TensorProto: sizes (1), one by one or packed, and a name (8). */
function readConstant(content: Uint8Array): { name: string; shape: Shape } {
  const shape: number[] = [];
  let name = '';
  for (const field of readMessage(content)) {
    if (field.number === 8 && field.wire === 'bytes') name = textOf(field.content);
    if (field.number !== 1 || shape.length > MOST_DIMENSIONS) continue;
    if (field.wire === 'varint') shape.push(field.value);
    if (field.wire === 'bytes') shape.push(...readPacked(field.content, MOST_DIMENSIONS));
  }
  return { name, shape };
}

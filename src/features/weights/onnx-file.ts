import { UsageError } from '../../base/index.js';
import { damaged } from '../flatbuffer.js';
import { bytesField, readMessage, textField, textOf, varintField, type Pieces, type WireField } from '../protobuf.js';
import type { OnnxDescription, OnnxDimension, OnnxValue } from './types.js';

/** Field numbers of onnx.proto3. */
const MODEL = { graph: 7, opset: 8 } as const;
/** Fields of GraphProto. */
export const GRAPH = { node: 1, initializer: 5, input: 11, output: 12, valueInfo: 13 } as const;
/** Fields of NodeProto. */
export const NODE = { input: 1, output: 2, operation: 4, attribute: 5 } as const;
const ATTRIBUTE_TENSOR = 5;
const TENSOR = { name: 8, externalData: 13, location: 14 } as const;
const VALUE = { name: 1, type: 2 } as const;
const OPSET = { domain: 1, version: 2 } as const;

/** TensorProto.DataType by code. */
const DTYPES =
  'undefined float uint8 int8 uint16 int16 int32 int64 string bool float16 double uint32 uint64 complex64 complex128 bfloat16'.split(
    ' ',
  );

/** The most parts of a graph; large published models have some ten thousand. */
const MOST_PARTS = 1_000_000;

/** Reads what an ONNX file says about itself. The weights are skipped, so the size of the file hardly matters. */
export function describeOnnx(file: Uint8Array): OnnxDescription {
  const { graph, opset } = readModel(file);
  const parts = readGraph(graph.content);
  const constants = new Set(parts.constants);
  return {
    inputs: parts.inputs.map(readValue).filter(({ name }) => !constants.has(name)),
    outputs: parts.outputs.map(readValue),
    opset,
    nodeCount: parts.nodeCount,
    tensors: parts.tensors.map(({ name, operation }) => ({ name: textOf(name), operation })),
  };
}

/**
 * The same model with one of its inner tensors as a further output. All other bytes stay as they are; if the tensor is already
 * an output, so does the whole file. The runtime finds the shape of the new output by itself.
 */
export function exposeOutput(file: Uint8Array, name: string): Uint8Array {
  const { graph } = readModel(file);
  const parts = readGraph(graph.content);
  const nameOf = (value: Uint8Array): string => textOf(lastField(value, VALUE.name)?.content ?? new Uint8Array(0));
  if (parts.outputs.some((value) => nameOf(value) === name)) return file;
  const tensor = parts.tensors.find((each) => textOf(each.name) === name);
  if (name === '' || !tensor)
    throw noSuchTensor(
      name,
      parts.tensors.map((each) => textOf(each.name)),
    );
  const declared = parts.values.find((value) => nameOf(value) === name) ?? bytesField(VALUE.name, [tensor.name]);
  const output = bytesField(GRAPH.output, declared instanceof Uint8Array ? [declared] : declared);
  return Buffer.concat([
    file.subarray(0, graph.start),
    ...bytesField(MODEL.graph, [graph.content, ...output]),
    file.subarray(graph.end),
  ]);
}

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

/** The graph of a model in its file, and the version of its operators. */
export function readModel(file: Uint8Array): { graph: WireField; opset: number } {
  let graph: WireField | undefined;
  let opset = 0;
  for (const field of readMessage(file)) {
    if (field.wire !== 'bytes') continue;
    if (field.number === MODEL.graph) {
      if (graph) throw damaged('it has two graphs');
      graph = field;
    }
    if (field.number === MODEL.opset) {
      const domain = textOf(lastField(field.content, OPSET.domain)?.content ?? new Uint8Array(0));
      if (domain === '' || domain === 'ai.onnx') opset = lastField(field.content, OPSET.version)?.value ?? 0;
    }
  }
  if (graph) return { graph, opset };
  throw new UsageError('bad-model', 'Expected an ONNX model, found no graph. Choose an .onnx file.');
}

type GraphParts = {
  readonly inputs: Uint8Array[];
  readonly outputs: Uint8Array[];
  readonly values: Uint8Array[];
  readonly constants: string[];
  readonly tensors: { readonly name: Uint8Array; readonly operation: string }[];
  readonly nodeCount: number;
};

function readGraph(graph: Uint8Array): GraphParts {
  const inputs: Uint8Array[] = [];
  const outputs: Uint8Array[] = [];
  const values: Uint8Array[] = [];
  const constants: string[] = [];
  const tensors: { name: Uint8Array; operation: string }[] = [];
  let [nodeCount, partCount] = [0, 0];
  for (const { number, wire, content } of readMessage(graph)) {
    if (wire !== 'bytes') continue;
    if (++partCount > MOST_PARTS) throw damaged('its graph has more parts than any network');
    if (number === GRAPH.input) inputs.push(content);
    if (number === GRAPH.output) outputs.push(content);
    if (number === GRAPH.valueInfo) values.push(content);
    if (number === GRAPH.initializer) constants.push(constantName(content));
    if (number === GRAPH.node) {
      nodeCount++;
      for (const result of nodeResults(content)) tensors.push(result);
      if (tensors.length > MOST_PARTS) throw damaged('its graph has more parts than any network');
    }
  }
  return { inputs, outputs, values, constants, tensors, nodeCount };
}

function nodeResults(node: Uint8Array): { name: Uint8Array; operation: string }[] {
  const names: Uint8Array[] = [];
  let operation = '';
  for (const { number, wire, content } of readMessage(node)) {
    if (wire !== 'bytes') continue;
    // An unused optional result has the empty name.
    if (number === NODE.output && content.length > 0) names.push(content);
    if (names.length > MOST_PARTS) throw damaged('its graph has more parts than any network');
    if (number === NODE.operation) operation = textOf(content);
    if (number === NODE.attribute) {
      const tensor = lastField(content, ATTRIBUTE_TENSOR);
      if (tensor?.wire === 'bytes') constantName(tensor.content);
    }
  }
  return names.map((name) => ({ name, operation }));
}

/** The name of a constant, whose values must be in this file. */
function constantName(tensor: Uint8Array): string {
  let name = '';
  for (const { number, wire, value, content } of readMessage(tensor)) {
    if (number === TENSOR.name && wire === 'bytes') name = textOf(content);
    if (number === TENSOR.externalData || (number === TENSOR.location && value === 1)) {
      throw new UsageError(
        'bad-model',
        'Expected an ONNX model in one file, found weights kept in another. Save it with all tensors inside (onnx.save without external data).',
      );
    }
  }
  return name;
}

/** ValueInfo: a name and a type; the type of a tensor (field 1) is an element code and a shape. */
function readValue(value: Uint8Array): OnnxValue {
  const name = textOf(lastField(value, VALUE.name)?.content ?? new Uint8Array(0));
  const type = lastField(value, VALUE.type);
  const tensor = type && lastField(type.content, 1);
  if (!tensor) return { name, dtype: 'undefined', shape: null };
  const code = lastField(tensor.content, 1)?.value ?? 0;
  const shape = lastField(tensor.content, 2);
  return { name, dtype: DTYPES[code] ?? `type ${code}`, shape: shape ? readShape(shape.content) : null };
}

/** A dimension is a number (1), a name (2), or nothing. */
function readShape(shape: Uint8Array): OnnxDimension[] {
  const dimensions: OnnxDimension[] = [];
  for (const { number, wire, content } of readMessage(shape)) {
    if (number !== 1 || wire !== 'bytes') continue;
    const [size, name] = [lastField(content, 1), lastField(content, 2)];
    dimensions.push(size ? size.value : name ? textOf(name.content) : null);
  }
  return dimensions;
}

/** The last field with this number: in protobuf it counts if there are several. */
function lastField(message: Uint8Array, number: number): WireField | undefined {
  let found: WireField | undefined;
  for (const field of readMessage(message)) if (field.number === number) found = field;
  return found;
}

function noSuchTensor(name: string, names: readonly string[]): UsageError {
  const nearest = names.filter((each) => each !== '').slice(-8).map((each) => each.slice(0, 60)); // prettier-ignore
  return new UsageError(
    'bad-layer',
    `Expected a tensor that the model computes, found none named "${name}". Name another with --layer; the last ones are ${nearest.join(', ')}.`,
  );
}

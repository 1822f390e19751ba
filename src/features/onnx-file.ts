import { UsageError } from '../base/index.js';
import type { OnnxDescription, OnnxDimension, OnnxValue } from './types.js';

/** Field numbers of onnx.proto3. */
export const MODEL = { graph: 7, opset: 8 } as const;
/** Fields of GraphProto. */
export const GRAPH = { node: 1, initializer: 5, input: 11, output: 12, valueInfo: 13 } as const;
/** Fields of NodeProto. */
export const NODE = { input: 1, output: 2, operation: 4, attribute: 5 } as const;
export const ATTRIBUTE_TENSOR = 5;
const TENSOR = { name: 8, raw: 9, externalData: 13, location: 14 } as const;
export const VALUE = { name: 1, type: 2 } as const;
const OPSET = { domain: 1, version: 2 } as const;

/** TensorProto.DataType by code. */
const DTYPES =
  'undefined float uint8 int8 uint16 int16 int32 int64 string bool float16 double uint32 uint64 complex64 complex128 bfloat16'.split(
    ' ',
  );

/** The most parts of a graph; large published models have some ten thousand. */
const MAX_PARTS = 1_000_000;

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

/** The values of a constant of the graph as they are stored; `null` if there is none of that name. */
export function readInitializer(file: Uint8Array, name: string): Uint8Array | null {
  for (const { number, wire, content } of readMessage(readModel(file).graph.content)) {
    if (number !== GRAPH.initializer || wire !== 'bytes') continue;
    if (textOf(lastField(content, TENSOR.name)?.content ?? new Uint8Array(0)) !== name) continue;
    return lastField(content, TENSOR.raw)?.content ?? null;
  }
  return null;
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
    if (++partCount > MAX_PARTS) throw damaged('its graph has more parts than any network');
    if (number === GRAPH.input) inputs.push(content);
    if (number === GRAPH.output) outputs.push(content);
    if (number === GRAPH.valueInfo) values.push(content);
    if (number === GRAPH.initializer) constants.push(constantName(content));
    if (number === GRAPH.node) {
      nodeCount++;
      for (const result of nodeResults(content)) tensors.push(result);
      if (tensors.length > MAX_PARTS) throw damaged('its graph has more parts than any network');
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
    if (names.length > MAX_PARTS) throw damaged('its graph has more parts than any network');
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
export function readValue(value: Uint8Array): OnnxValue {
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
const MAX_DIMENSIONS = 64;

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
    if (field.number !== 1 || shape.length > MAX_DIMENSIONS) continue;
    if (field.wire === 'varint') shape.push(field.value);
    if (field.wire === 'bytes') shape.push(...readPacked(field.content, MAX_DIMENSIONS));
  }
  return { name, shape };
}

/**
 * A field of a Protocol Buffers message, read without a schema: the caller knows what each number means. A nested message is
 * content that the caller reads again, so nothing here recurses, however deep a file pretends to be.
 */
type WireField = {
  readonly number: number;
  readonly wire: 'varint' | 'bytes' | 'fixed32' | 'fixed64';
  /** A varint as signed 64-bit number (exact to 2⁵³); 0 for other wire types. */
  readonly value: number;
  /** The content of the field, as a view of the message; for a varint its digits. */
  readonly content: Uint8Array;
  /** Where the field begins in the message and where the next one does. */
  readonly start: number;
  readonly end: number;
};

/** Wire types by code; 3 and 4 are groups, which have not been in use since 2008. */
const WIRES = ['varint', 'fixed64', 'bytes', undefined, undefined, 'fixed32'] as const;

/** The fields of a message in file order. Throws a `UsageError` if the bytes are no message. */
export function* readMessage(message: Uint8Array): Generator<WireField> {
  let at = 0;
  while (at < message.length) {
    const start = at;
    const key = readVarint(message, at);
    const number = Math.floor(key.value / 8);
    const wire = WIRES[key.value & 7];
    if (wire === undefined || number < 1 || number >= 2 ** 29) throw damaged(`it has no field at byte ${start}`);
    const first = wire === 'fixed32' || wire === 'fixed64' ? undefined : readVarint(message, key.end);
    const content = wire === 'bytes' ? first!.end : key.end;
    const length = wire === 'varint' ? first!.end - key.end : (first?.value ?? (wire === 'fixed32' ? 4 : 8));
    if (length < 0 || length > message.length - content) throw damaged(`field ${number} is longer than what holds it`);
    at = content + length;
    const value = wire === 'varint' ? first!.value : 0;
    yield { number, wire, value, content: message.subarray(content, at), start, end: at };
  }
}

/** The numbers of a packed field; throws if there are more than `most`. */
export function readPacked(content: Uint8Array, most: number): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < content.length;) {
    const { value, end } = readVarint(content, at);
    if (numbers.push(value) > most) throw damaged(`it has a list of more than ${most} numbers`);
    at = end;
  }
  return numbers;
}

function readVarint(message: Uint8Array, start: number): { value: number; end: number } {
  let end = start;
  do {
    if (end >= message.length || end - start === 10) throw damaged('it holds a number without an end');
  } while (message[end++]! >= 128);
  // Seven digits of seven bits fit a double exactly; longer numbers need 64 bits and may be negative.
  const isLong = end - start > 7;
  let [short, long] = [0, 0n];
  for (let k = end - 1; k >= start; k--) {
    const digit = message[k]! & 127;
    if (isLong) long = (long << 7n) | BigInt(digit);
    else short = short * 128 + digit;
  }
  return { value: isLong ? Number(BigInt.asIntN(64, long)) : short, end };
}

/** No name in a model is longer; in bytes. */
const LONGEST_TEXT = 1_000_000;

/** The content of a field as text; invalid UTF-8 becomes replacement characters. */
export function textOf(content: Uint8Array): string {
  if (content.length > LONGEST_TEXT) throw damaged(`it holds a name of ${content.length} bytes`);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8');
}

/** Bytes of a message being written, in pieces: large constants are copied only once, when the file is assembled. */
export type Pieces = readonly Uint8Array[];

/** A field with a whole number. */
export function varintField(field: number, value: number): Pieces {
  return [Uint8Array.from([...base128(field << 3), ...base128(value)])];
}

/** A field with bytes, or with a nested message. */
export function bytesField(field: number, content: Pieces): Pieces {
  const length = content.reduce((total, piece) => total + piece.length, 0);
  return [Uint8Array.from([...base128((field << 3) | 2), ...base128(length)]), ...content];
}

/** A field with text. */
export function textField(field: number, content: string): Pieces {
  return bytesField(field, [Buffer.from(content, 'utf8')]);
}

function base128(value: number): number[] {
  const digits: number[] = [];
  // A negative number is written as its 64-bit complement.
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return [...digits, Number(rest)];
    digits.push(Number(rest & 127n) | 128);
  }
}

/** The error for a model file that is not consistent. */
export function damaged(reason: string): UsageError {
  return new UsageError('bad-model', `The model file is damaged: ${reason}. Copy or download it again.`);
}

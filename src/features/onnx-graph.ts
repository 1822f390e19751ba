/**
 * Writes an ONNX model. ONNX is a Protocol Buffers message; the few field numbers used here are those of onnx.proto3:
 * a model holds a graph, a graph holds nodes, constants (initializers), inputs and outputs.
 */
export type OnnxGraph = {
  /** Declares an input of 32-bit floats; a string names a free dimension. Returns its name. */
  input(name: string, shape: readonly (number | string)[]): string;
  output(name: string, shape: readonly (number | string)[]): void;
  /** Adds a constant and returns its name. */
  constant(name: string, shape: readonly number[], values: Float32Array | BigInt64Array): string;
  /** Adds an operation and returns the name of its one result. */
  node(operation: string, inputs: readonly string[], result: string, attributes?: Attributes): string;
  /** The finished file. */
  build(): Uint8Array;
};

/** Whole numbers, lists of them, or text; no operation used here takes a fraction. */
export type Attributes = Readonly<Record<string, number | string | readonly number[]>>;

const FLOAT = 1;
const INT64 = 7;
const IR_VERSION = 8;
/** The version of the operations' definitions; runtimes since 2020 know this one. */
const OPERATOR_SET = 13;

/** An empty graph; parts are added in the order of computation. */
export function onnxGraph(name: string): OnnxGraph {
  const nodes: Uint8Array[] = [];
  const constants: Uint8Array[] = [];
  const inputs: Uint8Array[] = [];
  const outputs: Uint8Array[] = [];
  return {
    input(inputName, shape) {
      inputs.push(valueInfo(inputName, shape));
      return inputName;
    },
    output: (outputName, shape) => void outputs.push(valueInfo(outputName, shape)),
    constant(constantName, shape, values) {
      const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      const type = values instanceof Float32Array ? FLOAT : INT64;
      constants.push(
        message(...shape.map((size) => varint(1, size)), varint(2, type), text(8, constantName), bytes(9, raw)),
      );
      return constantName;
    },
    node(operation, nodeInputs, result, attributes = {}) {
      nodes.push(
        message(
          ...nodeInputs.map((input) => text(1, input)),
          text(2, result),
          text(3, `${operation}/${result}`),
          text(4, operation),
          ...Object.entries(attributes).map(([key, value]) => bytes(5, attribute(key, value))),
        ),
      );
      return result;
    },
    build() {
      const graph = message(
        ...nodes.map((node) => bytes(1, node)),
        text(2, name),
        ...constants.map((constant) => bytes(5, constant)),
        ...inputs.map((input) => bytes(11, input)),
        ...outputs.map((output) => bytes(12, output)),
      );
      return message(
        varint(1, IR_VERSION),
        text(2, 'throughline'),
        bytes(7, graph),
        bytes(8, message(text(1, ''), varint(2, OPERATOR_SET))),
      );
    },
  };
}

function attribute(key: string, value: number | string | readonly number[]): Uint8Array {
  if (typeof value === 'string') return message(text(1, key), text(4, value), varint(20, 3));
  if (typeof value === 'number') return message(text(1, key), varint(3, value), varint(20, 2));
  return message(text(1, key), ...value.map((item) => varint(8, item)), varint(20, 7));
}

function valueInfo(name: string, shape: readonly (number | string)[]): Uint8Array {
  const dimensions = shape.map((size) =>
    bytes(1, typeof size === 'string' ? message(text(2, size)) : message(varint(1, size))),
  );
  const tensor = message(varint(1, FLOAT), bytes(2, message(...dimensions)));
  return message(text(1, name), bytes(2, message(bytes(1, tensor))));
}

function message(...fields: Uint8Array[]): Uint8Array {
  return Buffer.concat(fields);
}

function base128(value: number): number[] {
  const digits: number[] = [];
  // A negative number is written as its 64-bit complement.
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return [...digits, Number(rest)];
    digits.push(Number(rest & 127n) | 128);
  }
}

function varint(field: number, value: number): Uint8Array {
  return Uint8Array.from([...base128(field << 3), ...base128(value)]);
}

function bytes(field: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([...base128((field << 3) | 2), ...base128(content.length)]), content]);
}

function text(field: number, content: string): Uint8Array {
  return bytes(field, Buffer.from(content, 'utf8'));
}

import { bytesField, type Pieces, textField, varintField } from '../src/features/onnx-file.js';

/**
 * Writes an ONNX model. ONNX is a Protocol Buffers message; the few field numbers used here are those of onnx.proto3:
 * a model holds a graph, a graph holds nodes, constants (initializers), inputs and outputs.
 */
export type OnnxGraph = {
  /** Declares an input of 32-bit floats and returns its name; a string names a free dimension. */
  input(name: string, shape: readonly (number | string)[]): string;
  output(name: string, shape: readonly (number | string)[]): void;
  /** Adds a constant and returns its name. Plain bytes are 32-bit floats, little-endian; they are copied only by `build`. */
  constant(
    name: string,
    shape: readonly number[],
    values: Float32Array | BigInt64Array | Int8Array | Uint8Array,
  ): string;
  /** Adds an operation and returns the name of its only result. */
  node(operation: string, inputs: readonly string[], result: string, attributes?: Attributes): string;
  /** The finished file. */
  build(): Uint8Array;
};

/** Whole numbers, lists of them, or text; no operation used here takes a fraction. */
type Attributes = Readonly<Record<string, number | string | readonly number[]>>;

const FLOAT = 1;
const INT8 = 3;
const INT64 = 7;
const IR_VERSION = 8;
/** The version of the operator definitions; runtimes since 2020 know this one. */
const OPERATOR_SET = 13;

/** An empty graph; parts are added in the order of computation. */
export function onnxGraph(name: string): OnnxGraph {
  const nodes: Pieces[] = [];
  const constants: Pieces[] = [];
  const inputs: Pieces[] = [];
  const outputs: Pieces[] = [];
  return {
    input(inputName, shape) {
      inputs.push(valueInfo(inputName, shape));
      return inputName;
    },
    output: (outputName, shape) => void outputs.push(valueInfo(outputName, shape)),
    constant(constantName, shape, values) {
      const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      const type = values instanceof BigInt64Array ? INT64 : values instanceof Int8Array ? INT8 : FLOAT;
      constants.push([
        ...shape.flatMap((size) => varintField(1, size)),
        ...varintField(2, type),
        ...textField(8, constantName),
        ...bytesField(9, [raw]),
      ]);
      return constantName;
    },
    node(operation, nodeInputs, result, attributes = {}) {
      nodes.push([
        ...nodeInputs.flatMap((input) => textField(1, input)),
        ...textField(2, result),
        ...textField(3, `${operation}/${result}`),
        ...textField(4, operation),
        ...Object.entries(attributes).flatMap(([key, value]) => bytesField(5, attribute(key, value))),
      ]);
      return result;
    },
    build() {
      const graph = [
        ...nodes.flatMap((node) => bytesField(1, node)),
        ...textField(2, name),
        ...constants.flatMap((constant) => bytesField(5, constant)),
        ...inputs.flatMap((input) => bytesField(11, input)),
        ...outputs.flatMap((output) => bytesField(12, output)),
      ];
      return Buffer.concat([
        ...varintField(1, IR_VERSION),
        ...textField(2, 'throughline'),
        ...bytesField(7, graph),
        ...bytesField(8, [...textField(1, ''), ...varintField(2, OPERATOR_SET)]),
      ]);
    },
  };
}

function attribute(key: string, value: number | string | readonly number[]): Pieces {
  if (typeof value === 'string') return [...textField(1, key), ...textField(4, value), ...varintField(20, 3)];
  if (typeof value === 'number') return [...textField(1, key), ...varintField(3, value), ...varintField(20, 2)];
  return [...textField(1, key), ...value.flatMap((item) => varintField(8, item)), ...varintField(20, 7)];
}

function valueInfo(name: string, shape: readonly (number | string)[]): Pieces {
  const dimensions = shape.flatMap((size) =>
    bytesField(1, typeof size === 'string' ? textField(2, size) : varintField(1, size)),
  );
  const tensor = [...varintField(1, FLOAT), ...bytesField(2, dimensions)];
  return [...textField(1, name), ...bytesField(2, bytesField(1, tensor))];
}

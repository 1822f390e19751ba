import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { subtractMean } from '../../tools/pixel-mean.js';
import { EMBEDDED_MODEL } from './embedded.js';
import { onnxGraph } from '../../tools/onnx-graph.js';
import { random, ThroughlineError } from '../base/index.js';
import {
  denseLayers,
  describeOnnx,
  exposeOutput,
  bytesField,
  readMessage,
  textField,
  varintField,
} from './onnx-file.js';
import { openOnnx } from './onnx.js';

/** x → a = x + 10 → b = 10 a → d = −b; outputs a and d. */
function chain(): Uint8Array {
  const graph = onnxGraph('chain');
  const x = graph.input('x', ['n', 2]);
  const ten = graph.constant('ten', [1], Float32Array.of(10));
  const b = graph.node('Mul', [graph.node('Add', [x, ten], 'a'), ten], 'b');
  graph.node('Neg', [b], 'd');
  graph.output('a', ['n', 2]);
  graph.output('d', ['n', 2]);
  return graph.build();
}

/** The bytes of a model's graph. */
function graphOf(model: Uint8Array): Uint8Array {
  return [...readMessage(model)].find(({ number }) => number === 7)!.content;
}

async function run(model: Uint8Array, output: string): Promise<number[]> {
  const session = await openOnnx(model, 'x', output);
  try {
    return [...(await session.run(Float32Array.of(1, 2), [1, 2]))];
  } finally {
    await session.close();
  }
}

describe('an ONNX file', () => {
  it('is described without the runtime', () => {
    const value = (name: string) => ({ name, dtype: 'float', shape: ['n', 2] });
    expect(describeOnnx(chain())).toEqual({
      inputs: [value('x')],
      outputs: [value('a'), value('d')],
      opset: 13,
      nodeCount: 3,
      tensors: [
        { name: 'a', operation: 'Add' },
        { name: 'b', operation: 'Mul' },
        { name: 'd', operation: 'Neg' },
      ],
    });
  });

  it('of a real network is described whole', () => {
    const described = describeOnnx(readFileSync(EMBEDDED_MODEL.file));
    expect(described.inputs).toEqual([{ name: 'input', dtype: 'float', shape: ['n', 3, 224, 224] }]);
    expect(described.outputs).toEqual([{ name: 'feature', dtype: 'float', shape: ['n', EMBEDDED_MODEL.dim] }]);
    expect(described.tensors.at(-1)).toEqual({ name: 'feature', operation: 'Flatten' });
    expect(described.tensors).toHaveLength(described.nodeCount);
  });

  it('may leave shapes open, list constants as inputs and hold other types', () => {
    const type = (code: number, ...shape: readonly Uint8Array[]): readonly Uint8Array[] =>
      bytesField(2, bytesField(1, [...varintField(1, code), ...shape]));
    const dims = bytesField(2, [
      ...bytesField(1, varintField(1, 4)),
      ...bytesField(1, []),
      ...bytesField(1, textField(2, 't')),
    ]);
    const graph = [
      ...bytesField(11, [...textField(1, 'ids'), ...type(7, ...dims)]),
      ...bytesField(11, [...textField(1, 'w'), ...type(1)]),
      ...bytesField(11, [...textField(1, 'odd'), ...type(99)]),
      ...bytesField(12, textField(1, 'out')),
      ...bytesField(5, textField(8, 'w')),
      ...bytesField(1, [
        ...textField(2, 'out'),
        ...textField(2, ''),
        ...textField(2, 'mask'),
        ...textField(4, 'Dropout'),
      ]),
    ];
    const opset = (domain: string, version: number): readonly Uint8Array[] =>
      bytesField(8, [...textField(1, domain), ...varintField(2, version)]);
    const opsets = [...opset('com.microsoft', 1), ...opset('', 17), ...opset('ai.onnx.ml', 3)];
    expect(describeOnnx(Buffer.concat([...bytesField(7, graph), ...opsets]))).toEqual({
      inputs: [
        { name: 'ids', dtype: 'int64', shape: [4, null, 't'] },
        { name: 'odd', dtype: 'type 99', shape: null },
      ],
      outputs: [{ name: 'out', dtype: 'undefined', shape: null }],
      opset: 17,
      nodeCount: 1,
      tensors: [
        { name: 'out', operation: 'Dropout' },
        { name: 'mask', operation: 'Dropout' },
      ],
    });
  });

  it('gives out an inner tensor, and everything else as before', async () => {
    const exposed = exposeOutput(chain(), 'b');
    expect(describeOnnx(exposed).outputs.map(({ name }) => name)).toEqual(['a', 'd', 'b']);
    expect(await run(exposed, 'b')).toEqual([110, 120]);
    expect(await run(exposed, 'd')).toEqual([-110, -120]);
    expect(await run(exposed, 'a')).toEqual([11, 12]);
  });

  it('keeps all other bytes as they are', () => {
    const file = chain();
    const exposed = exposeOutput(file, 'b');
    const graphOf = (model: Uint8Array) => [...readMessage(model)].find(({ number }) => number === 7)!;
    const [before, after] = [graphOf(file), graphOf(exposed)];
    expect(exposed.subarray(0, after.start)).toEqual(file.subarray(0, before.start));
    expect(exposed.subarray(after.end)).toEqual(file.subarray(before.end));
    expect(after.content.subarray(0, before.content.length)).toEqual(before.content);
    expect([...after.content.subarray(before.content.length)]).toEqual([12 * 8 + 2, 3, 10, 1, 'b'.charCodeAt(0)]);
    expect(exposeOutput(file, 'd')).toBe(file);
    expect(exposeOutput(exposed, 'b')).toBe(exposed);
  });

  it('declares the new output as the file declares the tensor, where it does', () => {
    const info = [...textField(1, 'b'), ...bytesField(2, bytesField(1, varintField(1, 1)))];
    const [graph] = [...readMessage(chain())].filter(({ number }) => number === 7);
    const file = Buffer.concat([
      ...bytesField(7, [graph!.content, ...bytesField(13, info)]),
      ...bytesField(8, varintField(2, 13)),
    ]);
    expect(describeOnnx(exposeOutput(file, 'b')).outputs.at(-1)).toEqual({ name: 'b', dtype: 'float', shape: null });
  });

  it('is refused when it lacks the tensor, the graph, or its weights', () => {
    for (const name of ['c', 'x', 'ten', '']) {
      expect(() => exposeOutput(chain(), name)).toThrow(expect.objectContaining({ code: 'bad-layer' }));
    }
    expect(() => exposeOutput(chain(), 'c')).toThrow(
      'none named "c". Name another with --layer; the last ones are a, b, d',
    );
    expect(() => describeOnnx(new Uint8Array(0))).toThrow(/no graph/);
    const outside = [...textField(8, 'w'), ...varintField(14, 1)];
    const asConstant = Buffer.concat(bytesField(7, bytesField(5, outside)));
    const asNode = Buffer.concat(bytesField(7, bytesField(1, bytesField(5, bytesField(5, outside)))));
    for (const file of [asConstant, asNode]) {
      expect(() => describeOnnx(file)).toThrow(/weights kept in another/);
      expect(() => exposeOutput(file, 'w')).toThrow(/weights kept in another/);
    }
  });

  it('is fed less by a constant, under another name, and else computes the same', async () => {
    const floats = new Uint8Array(Float32Array.of(5, 7).buffer);
    const { onnx, input } = subtractMean(chain(), 'x', { shape: [2], floats });
    expect(describeOnnx(onnx).inputs).toEqual([{ name: 'x.bytes', dtype: 'float', shape: ['n', 2] }]);
    const session = await openOnnx(onnx, input, 'd');
    // −10 (x − mean + 10)
    expect([...(await session.run(Float32Array.of(1, 2), [1, 2]))]).toEqual([-60, -50]);
    await session.close();
    expect(() => subtractMean(chain(), 'y', { shape: [2], floats })).toThrow('an input "y"');
  });

  it('is described or refused, wherever it is cut or changed', { tags: 'slow' }, () => {
    const graph = onnxGraph('dense');
    const weight = graph.constant('weight', [3, 2], new Float32Array(6));
    graph.node('Relu', [graph.node('Gemm', ['a', weight], 'fc', { transB: 1 })], 'b');
    // Two messages one after the other are one: the graphs' parts are read together.
    const file = Buffer.concat(bytesField(7, [graphOf(chain()), graphOf(graph.build())]));
    expect(denseLayers(file)).toEqual([{ linear: 'fc', rectified: 'b', width: 3 }]);
    const survives = (changed: Uint8Array): void => {
      const uses = [
        describeOnnx,
        denseLayers,
        (model: Uint8Array) => exposeOutput(model, 'b'),
        (model: Uint8Array) => subtractMean(model, 'x', { shape: [2], floats: new Uint8Array(8) }),
      ];
      for (const use of uses) {
        try {
          use(changed);
        } catch (error) {
          if (!(error instanceof ThroughlineError)) throw error;
        }
      }
    };
    for (let at = 0; at < file.length; at++) {
      survives(file.subarray(0, at));
      const changed = Uint8Array.from(file);
      changed[at]! ^= 1 << (at % 8);
      survives(changed);
    }
    fc.assert(
      fc.property(fc.nat(1e6), fc.integer({ min: 1, max: 20 }), (seed, count) => {
        const dice = random(seed);
        const changed = Uint8Array.from(file);
        for (let k = 0; k < count; k++) changed[dice.below(changed.length)] = dice.below(256);
        survives(changed);
      }),
      { numRuns: 1000, seed: 4 },
    );
    // A node with more results than arguments fit on a stack.
    survives(Buffer.concat(bytesField(7, bytesField(1, [Buffer.alloc(450_000, Buffer.from('120172', 'hex'))]))));
  });
});

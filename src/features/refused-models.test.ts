import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { onnxGraph } from '../../tools/onnx-graph.js';
import { type ChosenExtractor, type FeatureChoice, openExtractor } from './index.js';
import { openTestFolder, smallC3d, transformer } from './small-networks.case.js';

let folder: Awaited<ReturnType<typeof openTestFolder>>;
let model: string;
beforeAll(async () => {
  folder = await openTestFolder();
  model = await folder.write('free', transformer());
  const { onnx, sidecar } = smallC3d();
  await folder.write('stored', onnx, sidecar);
});
afterAll(() => folder.close());

const open = (choice: Partial<FeatureChoice>): Promise<ChosenExtractor> =>
  openExtractor({ features: 'onnx', ...choice }, { workers: 1 });

/** What embedding a black sample comes to. */
async function embedBlack(choice: Partial<FeatureChoice>): Promise<Float32Array> {
  const extractor = await open(choice);
  const { widthPx, heightPx, frames } = extractor.sample;
  return extractor.embed(new Uint8Array(3 * widthPx * heightPx * frames)).finally(() => extractor.close());
}

describe('files that cannot be used', () => {
  const graphOf = (inputs: readonly (readonly (number | string)[])[]): Uint8Array => {
    const graph = onnxGraph('odd');
    const names = inputs.map((shape, k) => graph.input(`in${k}`, shape));
    if (names[0] !== undefined) graph.node('Relu', [names[0]], 'out');
    graph.output('out', ['n', 4]);
    return graph.build();
  };

  it.each([
    [
      'two inputs',
      graphOf([
        ['n', 3, 8, 8],
        ['n', 77],
      ]),
      'one input, found in0, in1',
    ],
    ['no input', graphOf([]), 'one input, found none'],
    ['grey pictures', graphOf([['n', 1, 8, 8]]), 'found n × 1 × 8 × 8'],
    ['channels last', graphOf([['n', 224, 224, 3]]), 'found n × 224 × 224 × 3'],
    ['a batch', graphOf([[8, 3, 8, 8]]), 'one at a time, found 8 × 3 × 8 × 8'],
    ['words', graphOf([['n', 77]]), 'found n × 77'],
    ['any size', graphOf([['n', 3, 40_000, 40_000]]), 'at most 33554432 pixels'],
    ['any length', graphOf([['n', 3, 2 ** 40, 64, 64]]), 'at most 33554432 pixels'],
    ['a text', Buffer.from('a shopping list'), 'damaged'],
    ['nothing', new Uint8Array(0), 'found no graph'],
  ])('with %s are refused', async (name, onnx, part) => {
    const odd = await folder.write(name.replaceAll(' ', '-'), onnx);
    await expect(open({ model: odd })).rejects.toMatchObject({
      code: 'bad-model',
      message: expect.stringContaining(part),
    });
  });

  it('are refused for a kind of features they are not', async () => {
    const clips = await folder.write('clips', graphOf([['n', 3, 16, 112, 112]]));
    await expect(open({ features: 'vgg', model: clips })).rejects.toThrow(
      'an input of pictures (n × 3 × height × width)',
    );
    await expect(open({ features: 'c3d', model })).rejects.toThrow('an input of clips');
  });

  it('name their tensors when a layer is not there', () =>
    expect(open({ model, layer: 'fc9' })).rejects.toMatchObject({
      code: 'bad-layer',
      message: expect.stringContaining('pooled'),
    }));

  it(
    'that give no finite numbers, or another number of them than they say, are refused when they are run',
    { tags: 'slow' },
    async () => {
      const graph = onnxGraph('endless');
      const input = graph.input('in', ['n', 3, 8, 8]);
      const zero = graph.constant('zero', [], Float32Array.of(0));
      graph.node('Div', [graph.node('GlobalAveragePool', [input], 'mean'), zero], 'out');
      graph.output('out', ['n', 3, 1, 1]);
      const endless = await folder.write('endless', graph.build());
      await expect(embedBlack({ model: endless })).rejects.toMatchObject({
        code: 'bad-model',
        message: expect.stringContaining('finite'),
      });
      const lying = await folder.write('lying', transformer({ dim: 7 }));
      await expect(embedBlack({ model: lying, input: '32x24' })).rejects.toMatchObject({
        code: 'bad-model',
        message: expect.stringContaining('7 numbers'),
      });
    },
  );

  const { sidecar } = smallC3d();
  const fed = (change: object): string => JSON.stringify({ ...sidecar, input: { ...sidecar.input, ...change } });

  it.each([
    ['no JSON', '{', 'it is not JSON'],
    ['another schema', '{ "schema": "summary.1" }', 'schema'],
    ['a spread of zero', fed({ std: [1, 0, 1] }), 'input.std.1'],
    ['a size of any size', fed({ width: 1e9 }), 'input.width'],
    ['another size', fed({ width: 96 }), '96 × 112 pixels'],
    ['other clips', fed({ frames: 8 }), '8 frames'],
    ['frames smaller than their centre', fed({ scaleTo: { shorterSide: 100 } }), 'at least the size'],
    ['another file', JSON.stringify({ ...sidecar, sha256: 'ab' }), 'of its record, with sha256 ab, found'],
  ])('with a record of %s are refused', async (name, text, part) => {
    const path = await folder.write('badly-recorded', smallC3d().onnx);
    await writeFile(join(folder.path, 'badly-recorded.json'), text);
    await expect(open({ features: 'c3d', model: path }), name).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(part),
    });
  });

  it('that subtract a mean themselves take no other', async () => {
    const path = await folder.write('centred', smallC3d().onnx, { ...sidecar, hasPixelMean: true });
    await expect(open({ features: 'c3d', model: path, mean: '0.5,0.5,0.5' })).rejects.toMatchObject({
      code: 'bad-option',
    });
  });
});

describe('a choice that cannot be meant', () => {
  it.each([
    [{ features: 'default', model: 'x.onnx' }, 'bad-option', '--model'],
    [{ features: 'default', layer: 'fc6' }, 'bad-option', '--layer'],
    [{ features: 'shallow', mean: '0,0,0' }, 'bad-option', '--mean'],
    [{ features: 'shallow', device: 'cuda' }, 'bad-option', '--device'],
    [{ features: 'resnet-50', model: 'x.onnx' }, 'bad-option', '--model'],
    [{ features: 'onnx' }, 'no-model', '--model FILE'],
    [{ features: 'onnx', model: 'absent.onnx' }, 'no-model', 'there is no such file'],
    [{ features: 'onnx', model: 'absent' }, 'no-model', 'models list'],
    [{ features: 'resnet-50' }, 'no-model', 'npm run models -- add resnet-50'],
    [{ features: 'onnx', model: 'stored', mean: '123.7,116.3,103.5' }, 'bad-option', 'scale 0 to 1'],
    [{ features: 'onnx', model: 'stored', input: 'large' }, 'bad-option', '224x224'],
  ] as const)('%j', async (choice, code, part) => {
    await expect(open(choice)).rejects.toMatchObject({
      name: 'UsageError',
      code,
      message: expect.stringContaining(part),
    });
  });

  it('tells how to come by a network whose weights are not shipped', async () => {
    const empty = await openTestFolder();
    try {
      for (const features of ['c3d', 'vgg'] as const) {
        await expect(open({ features })).rejects.toMatchObject({
          code: 'no-model',
          message: expect.stringContaining('tools/README.md'),
        });
      }
    } finally {
      await empty.close();
    }
  });
});

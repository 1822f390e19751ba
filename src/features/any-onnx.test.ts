import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { onnxGraph } from '../../tools/onnx-graph.js';
import { random } from '../base/index.js';
import { type ChosenExtractor, type FeatureChoice, openExtractor } from './index.js';
import {
  exported,
  openTestFolder,
  PARTS,
  smallC3d,
  smallVgg,
  transformer,
  transformPlainly,
} from './small-networks.case.js';

const [WIDTH, HEIGHT] = [32, 24];
const dice = random(2);
const picture = Uint8Array.from({ length: 3 * WIDTH * HEIGHT }, () => dice.below(256));

let folder: Awaited<ReturnType<typeof openTestFolder>>;
let model: string;
beforeAll(async () => {
  folder = await openTestFolder();
  model = await folder.write('free', transformer());
});
afterAll(() => folder.close());

const open = (choice: Partial<FeatureChoice>): Promise<ChosenExtractor> =>
  openExtractor({ features: 'onnx', ...choice }, { workers: 1 });

/** Opens, does something, closes. */
async function withExtractor<T>(
  choice: Partial<FeatureChoice>,
  use: (extractor: ChosenExtractor) => T | Promise<T>,
): Promise<T> {
  const extractor = await open(choice);
  try {
    return await use(extractor);
  } finally {
    await extractor.close();
  }
}

/** Tokens by plain loops: values (v/255 − mean) / std, colours in `order`. */
function plainTokens(mean: number[], std: number[], order = [0, 1, 2]): number[][] {
  const values = order.flatMap((colour) =>
    Array.from({ length: WIDTH * HEIGHT }, (_, k) => (picture[3 * k + colour]! / 255 - mean[colour]!) / std[colour]!),
  );
  return transformPlainly(values, WIDTH, HEIGHT);
}

const IMAGENET = [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]] as const; // prettier-ignore
const imagenetTokens = plainTokens([...IMAGENET[0]], [...IMAGENET[1]]);

function meanOf(tokens: readonly number[][]): number[] {
  return tokens[0]!.map((_, k) => tokens.reduce((sum, token) => sum + token[k]!, 0) / tokens.length);
}

function expectNear(found: Float32Array, expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  expected.forEach((value, k) => expect(Math.abs(found[k]! - value)).toBeLessThan(1e-4));
}

describe('any network as features', () => {
  it('that gives tokens is averaged over them; sizes the file leaves free are those asked for', () =>
    withExtractor({ model, input: '32x24' }, async (extractor) => {
      expect(extractor).toMatchObject({
        name: 'free',
        dim: 6,
        layer: 'tokens',
        sha256: expect.stringMatching(/^\w{64}$/),
      });
      expect(extractor.sample).toEqual({
        ...{ widthPx: 32, heightPx: 24, every: 24, frames: 1 },
        scaleTo: { width: 32, height: 24 },
      });
      expectNear(await extractor.embed(picture), meanOf(imagenetTokens));
    }));

  it('gives another output by its name', () =>
    withExtractor({ model, input: '32x24', layer: 'pooled' }, async (extractor) => {
      expect(extractor).toMatchObject({ dim: 6, layer: 'pooled' });
      expectNear(await extractor.embed(picture), imagenetTokens[0]!);
    }));

  it('gives an inner layer, a map averaged over its places; its length is found by running it', { tags: 'slow' }, () =>
    withExtractor({ model, input: '32x24', layer: 'patches' }, async (extractor) => {
      expect(extractor.dim).toBe(6);
      // The map by hand: the mean over all patches of a patch's weighted sum.
      const [mean, std] = IMAGENET;
      const expected = Array.from({ length: 6 }, (_, result) => {
        let sum = 0;
        for (let k = 0; k < picture.length; k++) {
          const [x, y, colour] = [Math.floor(k / 3) % WIDTH, Math.floor(k / 3 / WIDTH), k % 3];
          const weight = PARTS.patch[((result * 3 + colour) * 8 + (y % 8)) * 8 + (x % 8)]!;
          sum += weight * ((picture[k]! / 255 - mean[colour]!) / std[colour]!);
        }
        return sum / 12;
      });
      expectNear(await extractor.embed(picture), expected);
    }),
  );

  it('with an output of free length finds it out', async () => {
    const free = await folder.write('free-length', transformer({ dim: 'd' }));
    await withExtractor({ model: free, input: '32x24' }, (extractor) => expect(extractor.dim).toBe(6));
  });

  it('is fed the mean and spread asked for, red first on the scale 0 to 1', () =>
    withExtractor({ model, input: '32x24', mean: '0.1,0.2,0.3', std: '0.5, 0.25, 1' }, async (extractor) =>
      expectNear(await extractor.embed(picture), meanOf(plainTokens([0.1, 0.2, 0.3], [0.5, 0.25, 1]))),
    ));

  it(
    'is fed as its record says, blue first if it must be, and what was asked for still overrules',
    { tags: 'slow' },
    async () => {
      const record = {
        schema: 'network.1',
        network: 'mine',
        form: 'by hand',
        input: {
          ...{ name: 'pixel_values', width: 32, height: 24, scaleTo: { shorterSide: 40 }, channelOrder: 'bgr' },
          ...{ mean: [255 * 0.3, 255 * 0.2, 255 * 0.1], std: [255, 255 * 0.25, 255 * 0.5] },
        },
        layers: [{ name: 'pooled', dim: 6, isOutput: true }],
        dim: 6,
      };
      const recorded = await folder.write('recorded', transformer(), record);
      await withExtractor({ model: recorded }, async (extractor) => {
        expect(extractor.sample).toMatchObject({ widthPx: 32, heightPx: 24, scaleTo: { shorterSide: 40 } });
        expectNear(await extractor.embed(picture), plainTokens([0.1, 0.2, 0.3], [0.5, 0.25, 1], [2, 1, 0])[0]!);
      });
      await withExtractor({ model: 'recorded', mean: '0.5,0.4,0.3', std: '0.5,0.5,0.25' }, async (extractor) =>
        expectNear(await extractor.embed(picture), plainTokens([0.5, 0.4, 0.3], [0.5, 0.5, 0.25], [2, 1, 0])[0]!),
      );
    },
  );

  it('has the size its file fixes, else 224 × 224', async () => {
    const fixed = await folder.write('fixed', transformer({ size: [24, 32] }));
    await withExtractor({ model: fixed }, ({ sample }) =>
      expect(sample).toMatchObject({ widthPx: 32, heightPx: 24, scaleTo: { width: 32, height: 24 } }),
    );
    await withExtractor({ model }, ({ sample }) => expect(sample).toMatchObject({ widthPx: 224, heightPx: 224 }));
    await expect(open({ model: fixed, input: '24x32' })).rejects.toMatchObject({
      code: 'bad-model',
      message: expect.stringContaining('Expected an input of 24 × 32 pixels, found batch × 3 × 24 × 32.'),
    });
  });

  it('has another version for every model, layer, size, mean, spread and device, and the same for the same', async () => {
    const other = await folder.write('other', Buffer.concat([transformer(), Buffer.from([0x32, 0])]));
    const choices: Partial<FeatureChoice>[] = [
      { model, input: '32x24' },
      { model: other, input: '32x24' },
      { model, input: '32x24', layer: 'pooled' },
      { model, input: '24x32' },
      { model, input: '32x24', mean: '0.5,0.5,0.5' },
      { model, input: '32x24', std: '0.5,0.5,0.5' },
      { model, input: '32x24', device: 'cuda' },
    ];
    const versionOf = (choice: Partial<FeatureChoice>): Promise<string> =>
      withExtractor(choice, ({ version }) => version);
    const versions = await Promise.all(choices.map(versionOf));
    expect(new Set(versions).size).toBe(choices.length);
    expect(await Promise.all(choices.map(versionOf))).toEqual(versions);
    // What is already so need not be said: it is the same network.
    expect(await versionOf({ ...choices[0]!, mean: '0.485,0.456,0.406', layer: 'tokens' })).toBe(versions[0]);
  });
});

describe('C3D and VGG-16', () => {
  it('see what the literature has them see: clips of 16 frames, pictures', async () => {
    const [c3d, vgg] = [smallC3d(), smallVgg()];
    await folder.write('c3d', c3d.onnx, c3d.sidecar);
    await folder.write('vgg16', vgg.onnx, vgg.sidecar);
    await withExtractor({ features: 'c3d' }, (extractor) => {
      expect(extractor).toMatchObject({ name: 'c3d', dim: 9, layer: 'fc6' });
      expect(extractor.sample).toEqual({
        ...{ widthPx: 112, heightPx: 112, scaleTo: { width: 171, height: 128 }, every: 16, frames: 16 },
      });
    });
    await withExtractor({ features: 'vgg' }, (extractor) => {
      expect(extractor).toMatchObject({ name: 'vgg', dim: 6, layer: 'fc7' });
      expect(extractor.sample).toEqual({
        ...{ widthPx: 224, heightPx: 224, scaleTo: { shorterSide: 256 }, every: 24, frames: 1 },
      });
    });
    await withExtractor({ features: 'vgg', layer: 'fc6' }, (extractor) =>
      expect(extractor).toMatchObject({ dim: 7, layer: 'fc6' }),
    );
    await withExtractor({ features: 'c3d', layer: 'pool5' }, async (extractor) => {
      expect(extractor.dim).toBe(64);
      expect(await extractor.embed(new Uint8Array(3 * 16 * 112 * 112))).toHaveLength(64);
    });
  });

  it('without a record are fed as documented: C3D as its weights were trained', { tags: 'slow' }, async () => {
    const { onnx, sidecar } = smallC3d();
    const bare = await folder.write('bare-c3d', onnx);
    const recorded = await folder.write('recorded-c3d', onnx, sidecar);
    const clip = Uint8Array.from({ length: 3 * 16 * 112 * 112 }, () => dice.below(256));
    const vectors = await Promise.all(
      [bare, recorded].map((path) => withExtractor({ features: 'c3d', model: path }, (each) => each.embed(clip))),
    );
    expect(vectors[0]).toEqual(vectors[1]);
    const vgg = await folder.write('bare-vgg', smallVgg().onnx);
    await withExtractor({ features: 'vgg', model: vgg }, (extractor) =>
      expect(extractor).toMatchObject({ dim: 6, layer: 'fc7', sample: { scaleTo: { shorterSide: 256 } } }),
    );
  });

  it(
    'as an exporter names them give FC6 and FC7 after the ReLU, found by place and width, never the classes',
    { tags: 'slow' },
    async () => {
      for (const [features, widths, layer] of [
        ['c3d', [4096, 8, 5], '/classifier/0/Relu_output_0'],
        ['vgg', [8, 4096, 5], '/classifier/1/Relu_output_0'],
      ] as const) {
        const extent = features === 'c3d' ? [16, 112, 112] : [224, 224];
        for (const form of ['gemm', 'matmul'] as const) {
          const path = await folder.write(`exported-${features}-${form}`, exported(extent, widths, form));
          await withExtractor({ features, model: path }, async (extractor) => {
            expect(extractor).toMatchObject({ dim: 4096, layer });
            const { widthPx, heightPx, frames } = extractor.sample;
            const vector = await extractor.embed(new Uint8Array(3 * widthPx * heightPx * frames));
            expect(vector).toHaveLength(4096);
            expect([vector.some((value) => value === 0), vector.every((value) => value >= 0)]).toEqual([true, true]);
          });
          await withExtractor({ features, model: path, layer: 'output' }, ({ dim }) => expect(dim).toBe(5));
        }
      }
    },
  );

  it.each([
    ['of another width', [512, 5], '"/classifier/0/Relu_output_0" (512 numbers), "output" (5 numbers, no ReLU)'],
    ['without a ReLU', [4096], '"output" (4096 numbers, no ReLU)'],
    ['among too many', [4096, 4, 4, 4], 'Found 4 dense layers'],
    ['that are not there', [], 'Found no dense layers'],
  ])('with dense layers %s are not guessed at', async (_name, widths, part) => {
    const path = await folder.write('unclear', exported([16, 112, 112], widths));
    await expect(open({ features: 'c3d', model: path })).rejects.toMatchObject({
      code: 'bad-layer',
      message: expect.stringContaining(part),
    });
    await expect(open({ features: 'c3d', model: path })).rejects.toThrow('Name the one you mean with --layer');
  });

  it('whose fc6 is what goes into the ReLU give what comes out of it', async () => {
    const graph = onnxGraph('named');
    const mean = graph.node('GlobalAveragePool', [graph.input('in', ['n', 3, 16, 112, 112])], 'mean');
    const weight = graph.constant('weight', [2, 3], Float32Array.of(1, 1, 1, -1, -1, -1));
    graph.node('Relu', [graph.node('Gemm', [graph.node('Flatten', [mean], 'flat'), weight], 'fc6', { transB: 1 })], 'relu6'); // prettier-ignore
    graph.output('relu6', ['n', 2]);
    const path = await folder.write('named', graph.build());
    await withExtractor({ features: 'c3d', model: path }, ({ layer }) => expect(layer).toBe('relu6'));
    await withExtractor({ features: 'c3d', model: path, layer: 'fc6' }, ({ layer }) => expect(layer).toBe('fc6'));
  });
});

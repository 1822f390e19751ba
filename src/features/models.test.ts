import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { importFile } from '../../tools/import-file.js';
import { blob } from '../../tools/weights-files.case.js';
import { random } from '../base/index.js';
import { writeParts } from '../storage/index.js';
import { checkModel, type FeatureChoice, listModels, openExtractor, removeStored } from './index.js';
import { exported, openTestFolder, smallC3dFile, smallVgg, transformer } from './small-networks.case.js';

let folder: Awaited<ReturnType<typeof openTestFolder>>;
beforeEach(async () => {
  folder = await openTestFolder();
});
afterEach(() => folder.close());

async function importC3d(choice: Partial<Parameters<typeof importFile>[1]> = {}): Promise<unknown> {
  const file = join(folder.path, 'weights.pickle');
  await writeFile(file, smallC3dFile());
  try {
    return await importFile(file, { network: 'c3d', ...choice }, writeParts);
  } finally {
    await rm(file);
  }
}

const recordOf = async (name: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(folder.path, `${name}.json`), 'utf8')) as Record<string, unknown>;

describe('the models folder', () => {
  it('keeps imported weights as a graph and its record, ready to be used by name', async () => {
    expect(await importC3d()).toEqual({ name: 'c3d', path: join(folder.path, 'c3d.onnx'), dim: 9 });
    expect((await readdir(folder.path)).sort()).toEqual(['c3d.json', 'c3d.onnx']);
    const sha256 = createHash('sha256').update(await readFile(join(folder.path, 'c3d.onnx'))).digest('hex'); // prettier-ignore
    expect(await recordOf('c3d')).toMatchObject({
      ...{ schema: 'network.1', network: 'c3d', form: 'torch', dim: 9, sha256, origin: 'weights.pickle' },
      input: { width: 112, height: 112, frames: 16, channelOrder: 'bgr', mean: [90.25, 97.66, 101.41] },
    });
    const extractor = await openExtractor({ features: 'c3d' }, { workers: 1 });
    expect(extractor).toMatchObject({ dim: 9, sha256 });
    await extractor.close();
  });

  it('keeps what was said about them: name, mean red first, order, pooling, last layer', async () => {
    await importC3d({ name: 'mine', mean: '0.1,0.2,0.4', std: '0.5,1,0.25', pool5: 'end', upTo: 'fc7' });
    expect(await recordOf('mine')).toMatchObject({
      ...{ pool5: 'end', dim: 5 },
      input: { channelOrder: 'bgr', mean: [102, 51, 25.5], std: [63.75, 255, 127.5] },
    });
    await importC3d({ name: 'turned', mean: '0.1,0.2,0.4', channelOrder: 'rgb' });
    expect(await recordOf('turned')).toMatchObject({ input: { channelOrder: 'rgb', mean: [25.5, 51, 102] } });
  });

  it('refuses a name that is taken, one that would leave it, and weights that are not there', async () => {
    await importC3d();
    await expect(importC3d()).rejects.toMatchObject({ code: 'name-taken', message: expect.stringContaining('--name') });
    for (const name of ['../c3d', 'a/b', '', '.hidden', 'x'.repeat(65), 'a\0b']) {
      await expect(importC3d({ name })).rejects.toMatchObject({ code: 'bad-name' });
    }
    const nowhere = importFile(join(folder.path, 'none.pth'), { network: 'c3d' }, writeParts);
    await expect(nowhere).rejects.toMatchObject({
      code: 'no-model',
      message: expect.stringContaining('there is no such file'),
    });
    await expect(importC3d({ name: 'x', network: 'vgg16' })).rejects.toMatchObject({ code: 'bad-model' });
    expect((await readdir(folder.path)).sort()).toEqual(['c3d.json', 'c3d.onnx']);
  });

  it('is listed after what ships; damage is told, not thrown', async () => {
    await importC3d({ name: 'mine' });
    await folder.write('half', transformer());
    await folder.write('odd', transformer(), { schema: 'network.9' });
    const listed = await listModels();
    expect(listed.map(({ name, state, dim }) => [name, state, dim])).toEqual([
      ['efficientnet-lite0', 'embedded', 1280],
      ['half', 'stored', null],
      ['mine', 'stored', 9],
      ['odd', 'stored', null],
    ]);
    expect(listed.every(({ bytes, licence }) => bytes > 1000 && licence !== '')).toBe(true);
    expect(listed[1]!.problem).toContain(`models import ${join(folder.path, 'half.onnx')} --network onnx`);
    expect([listed[2]!.problem, listed[3]!.problem]).toEqual([null, expect.stringContaining('network.1')]);
  });

  it('gives back the room of what is removed', async () => {
    await importC3d();
    await removeStored('c3d');
    expect(await readdir(folder.path)).toEqual([]);
    await expect(removeStored('c3d')).rejects.toMatchObject({ code: 'no-model' });
    await folder.write('half', transformer());
    await removeStored('half');
    expect(await readdir(folder.path)).toEqual([]);
    await expect(removeStored('../outside')).rejects.toMatchObject({ code: 'bad-name' });
  });
});

describe('an ONNX file that is imported', () => {
  const take = (path: string, choice: Partial<Parameters<typeof importFile>[1]> = {}): ReturnType<typeof importFile> =>
    importFile(path, { network: 'onnx', ...choice }, writeParts);
  /** What a choice makes of a sample. */
  const embed = async (choice: FeatureChoice, sample: Uint8Array): Promise<Float32Array> => {
    const extractor = await openExtractor(choice, { workers: 1 });
    return extractor.embed(sample).finally(() => extractor.close());
  };
  let outside: string;
  beforeEach(async () => {
    outside = await mkdtemp(join(folder.path, 'outside-'));
  });
  const write = async (name: string, onnx: Uint8Array): Promise<string> => {
    await writeFile(join(outside, name), onnx);
    return join(outside, name);
  };

  it('is kept with what it is fed and gives, and what was said about using it', async () => {
    const path = await write('clip.onnx', transformer());
    const licence = 'MIT, says its page';
    const asked = { layer: 'pooled', input: '32x24', mean: '0.1,0.2,0.4', channelOrder: 'bgr', licence } as const;
    expect(await take(path, asked)).toEqual({ name: 'clip', path: join(folder.path, 'clip.onnx'), dim: 6 });
    expect(await recordOf('clip')).toMatchObject({
      ...{ schema: 'network.1', network: 'onnx', form: 'onnx', dim: 6, licence, origin: 'clip.onnx' },
      input: { name: 'pixel_values', width: 32, height: 24, channelOrder: 'bgr', mean: [102, 51, 25.5] },
      layers: [{ name: 'pooled', dim: 6, isOutput: true }],
    });
    expect(await readFile(join(folder.path, 'clip.onnx'))).toEqual(await readFile(path));
    expect(await checkModel('clip', {})).toMatchObject({ output: 'pooled', dim: 6, licence, presumed: null });
  });

  it('as C3D or VGG-16 serves for these features, with a note of their authors’ terms', { tags: 'slow' }, async () => {
    const c3d = await write('any.onnx', exported([16, 112, 112], [4096, 8, 5]));
    const vgg = await write('other.onnx', exported([224, 224], [8, 4096, 5]));
    expect(await take(c3d, { network: 'c3d' })).toMatchObject({ name: 'c3d', dim: 4096 });
    expect(await take(vgg, { network: 'vgg16' })).toMatchObject({ name: 'vgg16', dim: 4096 });
    const clip = new Uint8Array(3 * 16 * 112 * 112).fill(100);
    expect(await embed({ features: 'c3d' }, clip)).toEqual(await embed({ features: 'c3d', model: c3d }, clip));
    const licences = (await listModels()).map(({ licence }) => licence);
    expect(licences).toEqual(expect.arrayContaining([expect.stringContaining('CC BY-NC 3.0')]));
    expect(licences).toEqual(expect.arrayContaining([expect.stringContaining('~vgg/research/very_deep')]));
    await importC3d({ name: 'weights' });
    expect(await recordOf('weights')).toMatchObject({ licence: expect.stringContaining('CC BY-NC 3.0') });
  });

  it('subtracts a mean by pixel that is given with it', { tags: 'slow' }, async () => {
    const dice = random(8);
    const path = await write('small.onnx', transformer({ size: [24, 32] }));
    // A mean of the same number at every place of a channel is what --mean says; one place differs.
    const values = Float32Array.from({ length: 3 * 24 * 32 }, (_, k) => [51, 102, 25.5][Math.floor(k / (24 * 32))]!);
    const mean = async (name: string): Promise<string> => {
      await writeFile(join(outside, name), Buffer.concat(blob({ shape: [1, 3, 24, 32], values }, 'new')));
      return join(outside, name);
    };
    expect(await take(path, { pixelMean: await mean('even.binaryproto') })).toMatchObject({ name: 'small', dim: 6 });
    values[0]! += 50;
    await take(path, { name: 'uneven', pixelMean: await mean('uneven.binaryproto') });
    expect(await recordOf('small')).toMatchObject({
      hasPixelMean: true,
      input: { name: 'pixel_values.bytes', mean: [0, 0, 0], std: [1, 1, 1] },
    });
    const picture = Uint8Array.from({ length: 3 * 24 * 32 }, () => dice.below(256));
    // One part in 255 is a spread of one byte.
    const by = { features: 'onnx', model: path, mean: '0.2,0.4,0.1', std: Array(3).fill(1 / 255).join() } as const; // prettier-ignore
    const found = await embed({ features: 'onnx', model: 'small' }, picture);
    const expected = await embed(by, picture);
    found.forEach((value, k) => expect(value).toBeCloseTo(expected[k]!, 3));
    expect(await embed({ features: 'onnx', model: 'uneven' }, picture)).not.toEqual(found);
    // Fifty more to subtract at the first place of red are fifty less of red there.
    const darker = Uint8Array.from(picture, (value, k) => (k === 0 ? 200 : value));
    const lighter = Uint8Array.from(picture, (value, k) => (k === 0 ? 250 : value));
    expect(await embed({ features: 'onnx', model: 'uneven' }, lighter)).toEqual(
      await embed({ features: 'onnx', model: 'small' }, darker),
    );
    const twice = take(path, { name: 'x', pixelMean: await mean('even.binaryproto'), mean: '0.5,0.5,0.5' });
    await expect(twice).rejects.toMatchObject({ code: 'bad-mean' });
    const again = take(join(folder.path, 'small.onnx'), { name: 'x', pixelMean: await mean('even.binaryproto') });
    await expect(again).rejects.toMatchObject({ code: 'bad-mean' });
  });

  it('that lies in the models folder gets its record there; another file of its name is not overwritten', async () => {
    const half = await folder.write('half', transformer());
    const other = await write('half.onnx', transformer({ size: [24, 32] }));
    await expect(take(other)).rejects.toMatchObject({ code: 'name-taken' });
    await take(half, { input: '32x24' });
    expect((await listModels()).find(({ name }) => name === 'half')).toMatchObject({ problem: null, dim: 6 });
    await expect(take(half)).rejects.toMatchObject({ code: 'name-taken' });
  });

  it.each([
    [{ pool5: 'end' }, 'clip.onnx', '--pool5'],
    [{ upTo: 'fc7' }, 'clip.onnx', '--up-to'],
    [{ licence: 'x'.repeat(1001) }, 'clip.onnx', '1000 characters'],
    [{ network: 'c3d' }, 'clip.onnx', 'an input of clips'],
    [{ name: '../x' }, 'clip.onnx', 'a name of letters'],
    [{}, 'weights.pth', 'the ending .onnx'],
    [{ network: 'c3d', layer: 'fc6' }, 'weights.pth', '--layer'],
    [{ network: 'c3d' }, 'weights.pth', 'whose name must end in .onnx'],
  ] as const)('%j for %s is refused', async (choice, name, part) => {
    const path = await write(name, transformer());
    await expect(take(path, choice)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(part),
    });
    expect((await readdir(folder.path)).filter((each) => each.endsWith('.onnx'))).toEqual([]);
  });
});

describe('a check', () => {
  it('tells what a stored network takes and gives, and that it runs', async () => {
    await importC3d();
    const check = await checkModel('c3d', {});
    expect(check).toMatchObject({
      ...{ name: 'c3d', path: join(folder.path, 'c3d.onnx'), output: 'fc6', dim: 9, opset: 13 },
      inputs: [{ name: 'input', dtype: 'float', shape: ['n', 3, 16, 112, 112] }],
      outputs: [{ name: 'fc6', dtype: 'float', shape: ['n', 9] }],
      input: { frames: 16, scaleTo: { width: 171, height: 128 } },
      record: { network: 'c3d' },
    });
    expect(check.nodeCount).toBeGreaterThan(20);
    expect(Math.min(check.firstMs, check.nextMs)).toBeGreaterThan(0);
  });

  it('takes a file and a layer of it, and the embedded network by its name', { tags: 'slow' }, async () => {
    const file = await folder.write('vgg', smallVgg().onnx);
    expect(await checkModel(file, { layer: 'fc6' })).toMatchObject({ output: 'fc6', dim: 7, record: null });
    expect(await checkModel('efficientnet-lite0', {})).toMatchObject({ path: null, dim: 1280, output: 'feature' });
  });

  it(
    'of a file without a record feeds it as the features it is for, or those its input suggests',
    { tags: 'slow' },
    async () => {
      const c3d = await folder.write('any', exported([16, 112, 112], [4096, 8, 5]));
      const asC3d = { scaleTo: { width: 171, height: 128 }, channelOrder: 'bgr', mean: [90.25, 97.66, 101.41] };
      expect(await checkModel(c3d, {})).toMatchObject({ presumed: 'c3d', dim: 4096, input: asC3d });
      expect(await checkModel(c3d, { features: 'onnx' })).toMatchObject({ presumed: 'onnx', output: 'output', dim: 5 });
      const clips = await folder.write('clips', exported([16, 112, 112], [7, 5]));
      expect(await checkModel(clips, {})).toMatchObject({ presumed: 'onnx', dim: 5 });
      const vgg = await folder.write('pictures', exported([224, 224], [8, 4096, 5]));
      expect(await checkModel(vgg, {})).toMatchObject({ presumed: 'onnx', dim: 5 });
      expect(await checkModel(vgg, { features: 'vgg' })).toMatchObject({
        ...{ presumed: 'vgg', output: '/classifier/1/Relu_output_0', dim: 4096 },
        input: { scaleTo: { shorterSide: 256 } },
      });
    },
  );

  it('of a file that the runtime refuses says so', async () => {
    const bytes = Buffer.from(transformer());
    // The operation of one node gets a name nobody knows.
    bytes.write('Softmex', bytes.indexOf('Softmax', bytes.indexOf('Softmax') + 1), 'latin1');
    const file = await folder.write('unknown', bytes);
    await expect(checkModel(file, { input: '32x24' })).rejects.toMatchObject({ code: 'bad-model' });
    await expect(checkModel('absent', {})).rejects.toMatchObject({ code: 'no-model' });
  });

  it.runIf(process.platform === 'linux').each(['cuda', 'coreml', 'dml'] as const)(
    'of a device that is not there says so: %s',
    async (device) => {
      await importC3d();
      await expect(checkModel('c3d', {}, device)).rejects.toMatchObject({ code: 'no-device' });
    },
  );
});

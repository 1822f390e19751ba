import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { writeParts } from '../../store/index.js';
import { checkModel, importNetwork, listModels, openExtractor, removeStored } from '../index.js';
import { openTestFolder, smallC3dFile, smallVgg, transformer } from './small-networks.case.js';

let folder: Awaited<ReturnType<typeof openTestFolder>>;
beforeEach(async () => {
  folder = await openTestFolder();
});
afterEach(() => folder.close());

async function importC3d(choice: Partial<Parameters<typeof importNetwork>[1]> = {}): Promise<unknown> {
  const file = join(folder.path, 'weights.pickle');
  await writeFile(file, smallC3dFile());
  try {
    return await importNetwork(file, { network: 'c3d', ...choice }, writeParts);
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
    const nowhere = importNetwork(join(folder.path, 'none.pth'), { network: 'c3d' }, writeParts);
    await expect(nowhere).rejects.toMatchObject({ code: 'no-model', message: expect.stringContaining('ENOENT') });
    await expect(importC3d({ name: 'x', network: 'vgg16' })).rejects.toMatchObject({ code: 'bad-model' });
    expect((await readdir(folder.path)).sort()).toEqual(['c3d.json', 'c3d.onnx']);
  });

  it('is listed with what ships and what can be added; damage is told, not thrown', async () => {
    await importC3d({ name: 'mine' });
    await folder.write('half', transformer());
    await folder.write('odd', transformer(), { schema: 'network.9' });
    const listed = await listModels();
    expect(listed.map(({ name, state, dim }) => [name, state, dim])).toEqual([
      ['efficientnet-lite0', 'embedded', 1280],
      ['mine', 'stored', 9],
      ['odd', 'stored', null],
      ['efficientnet-lite4', 'addable', 1280],
      ['resnet-50', 'addable', 2048],
      ['inception-v3', 'addable', 2048],
    ]);
    expect(listed.every(({ bytes, licence }) => bytes > 1000 && licence !== '')).toBe(true);
    expect(listed[2]!.problem).toContain('network.1');
  });

  it('gives back the room of what is removed', async () => {
    await importC3d();
    await removeStored('c3d');
    expect(await readdir(folder.path)).toEqual([]);
    await expect(removeStored('c3d')).rejects.toMatchObject({ code: 'no-model' });
    await expect(removeStored('../outside')).rejects.toMatchObject({ code: 'bad-name' });
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

  it('takes a file and a layer of it, and the embedded network by its name', async () => {
    const file = await folder.write('vgg', smallVgg().onnx);
    expect(await checkModel(file, { layer: 'fc6' })).toMatchObject({ output: 'fc6', dim: 7, record: null });
    expect(await checkModel('efficientnet-lite0', {})).toMatchObject({ path: null, dim: 1280, output: 'feature' });
  });

  it('of a file that the runtime refuses says so', async () => {
    const bytes = Buffer.from(transformer());
    // The operation of one node gets a name nobody knows.
    bytes.write('Softmex', bytes.indexOf('Softmax', bytes.indexOf('Softmax') + 1), 'latin1');
    const file = await folder.write('unknown', bytes);
    await expect(checkModel(file, { input: '32x24' })).rejects.toMatchObject({ code: 'bad-model' });
    await expect(checkModel('absent', {})).rejects.toMatchObject({ code: 'no-model' });
  });

  it.runIf(process.platform === 'linux')('of a device that is not there says so', async () => {
    await importC3d();
    await expect(checkModel('c3d', {}, 'dml')).rejects.toMatchObject({ code: 'no-device' });
  });
});

import { afterAll, beforeAll, describe } from 'vitest';

import { checkExtractor } from './extractor.case.js';
import { openExtractor } from './index.js';
import { openShallow } from './open-extractor.js';
import { openTestFolder, smallC3d, smallVgg, transformer } from './small-networks.case.js';

let folder: Awaited<ReturnType<typeof openTestFolder>>;
beforeAll(async () => {
  folder = await openTestFolder();
  const [c3d, vgg] = [smallC3d(), smallVgg()];
  await folder.write('c3d', c3d.onnx, c3d.sidecar);
  await folder.write('vgg16', vgg.onnx, vgg.sidecar);
  await folder.write('transformer', transformer());
});
afterAll(() => folder.close());

describe('every kind of features', () => {
  checkExtractor('default', (options) => openExtractor({ features: 'default' }, options));
  checkExtractor('shallow', (options) => openShallow(options), { blackIsZero: true });
  checkExtractor('c3d', (options) => openExtractor({ features: 'c3d' }, options));
  checkExtractor('vgg', (options) => openExtractor({ features: 'vgg' }, options));
  checkExtractor('onnx', (options) =>
    openExtractor({ features: 'onnx', model: `${folder.path}/transformer.onnx`, input: '32x24' }, options),
  );
});

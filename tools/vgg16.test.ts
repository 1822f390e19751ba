import { expect, it } from 'vitest';

import { random } from '../src/base/index.js';
import { exposeOutput } from '../src/features/onnx-file.js';
import { openOnnx } from '../src/features/onnx.js';
import { plainVgg, randomWeights, VGG_STAGES } from './plain-network.case.js';
import { blob, caffeModel, type TestWeights, zippedTorch } from './weights-files.case.js';
import { importWeights } from './weights.js';

const SIDE = 224;
const CONVOLUTIONS = VGG_STAGES.flat();

/** VGG-16 with 2 to 5 channels: everything else as published. */
const widthOf = (k: number): number => (k < 0 ? 3 : 2 + (k % 4));
const small = randomWeights(5, {
  ...Object.fromEntries(CONVOLUTIONS.map((name, k) => [name, [widthOf(k), widthOf(k - 1), 3, 3]])),
  fc6: [7, widthOf(CONVOLUTIONS.length - 1) * 7 * 7],
  fc7: [6, 7],
});

const dice = random(6);
const picture = Float32Array.from({ length: 3 * SIDE * SIDE }, () => dice.normal());

async function run(onnx: Uint8Array, output: string, input = picture): Promise<Float32Array> {
  const session = await openOnnx(onnx, 'input', output);
  try {
    return await session.run(input, [1, 3, SIDE, SIDE]);
  } finally {
    await session.close();
  }
}

function expectClose(found: Float32Array, expected: Float64Array): void {
  expect(found).toHaveLength(expected.length);
  const largest = Math.max(...expected);
  expect(largest).toBeGreaterThan(0);
  expected.forEach((value, k) => expect(Math.abs(found[k]! - value)).toBeLessThan(2e-5 * largest));
}

/** The names of torchvision. */
const MODULES = [0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28];
const torchvision: TestWeights = Object.fromEntries(
  Object.entries(small).map(([key, tensor]) => {
    const [layer, part] = key.split('.') as [string, string];
    const place = CONVOLUTIONS.indexOf(layer);
    return [`${place < 0 ? `classifier.${layer === 'fc6' ? 0 : 3}` : `features.${MODULES[place]}`}.${part}`, tensor];
  }),
);

it('VGG-16 computes what plain loops do, from torchvision’s file and from Caffe’s', async () => {
  const expected = plainVgg(small, picture);
  const torch = importWeights(zippedTorch(torchvision), { network: 'vgg16' });
  expectClose(await run(torch.onnx, 'fc7'), expected.fc7);
  expectClose(await run(torch.onnx, 'fc6'), expected.fc6);
  expect(torch.sidecar).toMatchObject({ network: 'vgg16', form: 'torch', hasPixelMean: false, dim: 6 });
  expect(torch.sidecar.input).toEqual({
    name: 'input',
    width: 224,
    height: 224,
    scaleTo: { shorterSide: 256 },
    channelOrder: 'rgb',
    mean: [0.485, 0.456, 0.406].map((share) => expect.closeTo(255 * share, 9)),
    std: [0.229, 0.224, 0.225].map((share) => expect.closeTo(255 * share, 9)),
  });
  const caffe = importWeights(caffeModel(small, 'old'), { network: 'vgg16', upTo: 'fc6' });
  expectClose(await run(caffe.onnx, 'fc6'), expected.fc6);
  expect(caffe.sidecar.input).toMatchObject({ channelOrder: 'bgr', mean: [103.939, 116.779, 123.68], std: [1, 1, 1] });
  expect(caffe.sidecar).toMatchObject({ form: 'caffe', dim: 7 });
  expect(caffe.sidecar.layers[0]).toEqual({ name: 'fc6', dim: 7, isOutput: true });
  const pooled = await run(exposeOutput(caffe.onnx, 'pool5'), 'pool5');
  expect(pooled).toHaveLength(caffe.sidecar.layers.at(-1)!.dim);
});

it('VGG-16 takes a per-pixel mean with Caffe’s weights only', async () => {
  const mean = { shape: [3, 256, 256], values: Float32Array.from({ length: 3 * 65536 }, (_, k) => (k % 256) / 100) };
  const pixelMean = Buffer.concat(blob(mean, 'old'));
  const options = { network: 'vgg16', pixelMean } as const;
  const { onnx } = importWeights(caffeModel(small, 'new'), options);
  // Column 0 of the picture is column 16 of the mean.
  const raised = picture.map((value, k) => value + Math.fround(((k % SIDE) + 16) / 100));
  expectClose(await run(onnx, 'fc7', raised), plainVgg(small, picture).fc7);
  expect(() => importWeights(zippedTorch(torchvision), options)).toThrow(/Leave one out/);
});

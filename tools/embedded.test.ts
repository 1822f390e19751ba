import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { random } from '../src/base/index.js';
import { EMBEDDED_MODEL } from '../src/features/index.js';
import { openOnnx } from '../src/features/onnx.js';
import { makeEmbedded, PUBLISHED } from './models.js';
import { convertTflite } from './tflite-to-onnx.js';

describe('the embedded network', () => {
  it('is the file that the tool makes of the published one', async () => {
    expect(Buffer.from(await makeEmbedded()).equals(readFileSync(EMBEDDED_MODEL.file))).toBe(true);
  });

  it('gives the vectors of its conversion to 32-bit floats, bit for bit', async () => {
    const floats = await openOnnx(convertTflite(readFileSync(PUBLISHED)).onnx, 'input', 'feature');
    const shipped = await openOnnx(readFileSync(EMBEDDED_MODEL.file), 'input', 'feature');
    const shape = [1, 3, EMBEDDED_MODEL.sidePx, EMBEDDED_MODEL.sidePx];
    const dice = random(5);
    for (const scale of [0, 0.1, 0.5, 1]) {
      // Smooth shapes with noise on them, so that many channels answer.
      const values = Float32Array.from({ length: 3 * shape[2]! * shape[3]! }, (_, k) => {
        const [x, y] = [k % shape[3]!, Math.floor(k / shape[3]!)];
        return Math.sin((x * scale) / 9) * Math.cos((y * scale) / 13) + scale * (dice.next() - 0.5);
      });
      const [expected, found] = [await floats.run(values, shape), await shipped.run(values, shape)];
      expect(expected.filter((value) => value > 0).length).toBeGreaterThan(10);
      expect(Buffer.from(found.buffer, found.byteOffset, found.byteLength)).toEqual(
        Buffer.from(expected.buffer, expected.byteOffset, expected.byteLength),
      );
    }
    await Promise.all([floats.close(), shipped.close()]);
  });
});

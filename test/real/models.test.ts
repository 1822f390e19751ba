import { afterAll, beforeAll, expect, it } from 'vitest';

import { random } from '../../src/base/index.js';
import { checkModel, FETCHED_NAMES, openExtractor } from '../../src/features/index.js';
import { openTestFolder } from '../../src/features/small-networks.case.js';
import { addNetwork } from '../../tools/addable.js';
import { writeParts } from '../../src/storage/index.js';

let folder: Awaited<ReturnType<typeof openTestFolder>>;
beforeAll(async () => {
  folder = await openTestFolder();
});
afterAll(() => folder.close());

/** Fetches 25 to 95 MB each with npm, so only where asked for. The numbers were computed on x64 with AVX2. */
it.skipIf(!process.env['THROUGHLINE_FETCH']).each(FETCHED_NAMES)(
  '%s can be added and describes pictures as it did',
  async (name) => {
    expect(await addNetwork(name, { write: writeParts })).toMatchObject({ isNew: true });
    expect(await addNetwork(name, { write: writeParts })).toMatchObject({ isNew: false });
    const check = await checkModel(name, {});
    const extractor = await openExtractor({ features: name }, { workers: 1 });
    try {
      const { widthPx, heightPx } = extractor.sample;
      const dice = random(3);
      const disc = Uint8Array.from({ length: 3 * widthPx * heightPx }, (_, k) => {
        const [x, y] = [(Math.floor(k / 3) % widthPx) / widthPx, Math.floor(k / 3 / widthPx) / heightPx];
        const isInside = (x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.07;
        return (isInside ? [230, 120, 20] : [20, 60, 160])[k % 3]! + dice.below(10);
      });
      const vector = await extractor.embed(disc);
      expect(vector).toHaveLength(check.dim);
      const sorted = vector.toSorted();
      const found = [0.5, 0.75].map((share) => sorted[Math.floor(share * sorted.length)]!);
      const sum = vector.reduce((total, value) => total + value, 0);
      GOLDEN[name].forEach((value, k) => expect([...found, sum][k]! / value).toBeCloseTo(1, 3));
    } finally {
      await extractor.close();
    }
  },
);

/** Median, upper quartile and sum. */
const GOLDEN = {
  'efficientnet-lite4': [0.02164, 0.18403, 190.268],
  'resnet-50': [0.04056, 0.37679, 827.136],
} as const;

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { random } from '../base/index.js';
import { poolPictures } from './blocks.js';
import type { Extractor } from './types.js';

/**
 * What every extractor promises: the same sample gives the same vector bit for bit, whatever the number of workers and
 * however calls overlap; every sample gives a finite one, and so does a shot of one; what is no sample is refused, and so
 * are calls after closing and those under way then, at once.
 */
export function checkExtractor(
  name: string,
  make: (options: { workers: number }) => Extractor | Promise<Extractor>,
  { blackIsZero = false }: { blackIsZero?: boolean } = {},
): void {
  describe(`extractor ${name}`, () => {
    let extractor: Extractor;
    let samples: Uint8Array[];
    let alone: Float32Array[];
    beforeAll(async () => {
      extractor = await make({ workers: 1 });
      samples = drawSamples(extractor);
      alone = [];
      for (const sample of samples) alone.push(await extractor.embed(sample));
    });
    afterAll(() => extractor.close());

    it('says what it wants and gives', () => {
      const { widthPx, heightPx, every, frames } = extractor.sample;
      for (const count of [extractor.dim, widthPx, heightPx, every, frames]) {
        expect(Number.isInteger(count) && count > 0).toBe(true);
      }
      expect(extractor.name).not.toBe('');
      expect(extractor.version).not.toBe('');
    });

    it('gives black, white, noise and a ramp finite vectors of its length, and tells them apart', () => {
      for (const [k, vector] of alone.entries()) {
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector).toHaveLength(extractor.dim);
        expect(vector.every(Number.isFinite)).toBe(true);
        if (k > 0 || !blackIsZero) expect(vector.some((value) => value !== 0)).toBe(true);
      }
      for (const [k, vector] of alone.entries()) {
        for (const other of alone.slice(k + 1)) expect(other).not.toEqual(vector);
      }
    });

    it('gives the same sample the same vector, in any order', async () => {
      for (const k of [3, 0, 2, 1, 3]) expect(await extractor.embed(samples[k]!)).toEqual(alone[k]);
    });

    it('gives the same vectors to overlapping calls and from several workers', async () => {
      expect(await Promise.all(samples.map((sample) => extractor.embed(sample)))).toEqual(alone);
      const several = await make({ workers: 2 });
      try {
        expect(several).toMatchObject({ name: extractor.name, version: extractor.version, dim: extractor.dim });
        const twice = [...samples, ...samples.toReversed()];
        expect(await Promise.all(twice.map((sample) => several.embed(sample)))).toEqual([
          ...alone,
          ...alone.toReversed(),
        ]);
      } finally {
        await several.close();
      }
    });

    it('gives samples asked for many at a time what it gives one by one', async () => {
      const order = Array.from({ length: 12 }, (_, k) => (5 * k) % samples.length);
      const together = await Promise.all(order.map((k) => extractor.embed(samples[k]!)));
      expect(together).toEqual(order.map((k) => alone[k]));
    });

    it('gives a shot of one sample that sample’s vector', async () => {
      const { widthPx, heightPx, frames } = extractor.sample;
      // A shot of a single frame: a clip repeats it.
      const frame = samples[2]!.subarray(0, 3 * widthPx * heightPx);
      const still = await extractor.embed(Buffer.concat(Array.from({ length: frames }, () => frame)));
      for (const vector of [still, ...alone]) {
        const pooled = poolPictures([vector], extractor.dim);
        expect(pooled.every(Number.isFinite)).toBe(true);
        pooled.forEach((value, k) => expect(value).toBeCloseTo(vector[k]!, 6));
      }
    });

    it('takes a view of a larger buffer, and leaves it as it is', async () => {
      const noise = samples[2]!;
      const large = new Uint8Array(noise.length + 2000).fill(7);
      large.set(noise, 1000);
      const before = large.slice();
      expect(await extractor.embed(large.subarray(1000, 1000 + noise.length))).toEqual(alone[2]);
      expect(Buffer.from(large.buffer).equals(before)).toBe(true);
    });

    it('refuses a sample of another size, and goes on', async () => {
      for (const length of [0, 12, samples[0]!.length - 1, samples[0]!.length + 3]) {
        await expect(extractor.embed(new Uint8Array(length))).rejects.toMatchObject({ code: 'bad-picture' });
      }
      expect(await extractor.embed(samples[3]!)).toEqual(alone[3]);
    });

    it('closed while calls are under way refuses them and later ones; closing twice is no harm', async () => {
      const closing = await make({ workers: 1 });
      const refusal = { code: expect.stringMatching(/-closed$/) };
      const refused = samples.map((sample) => expect(closing.embed(sample)).rejects.toMatchObject(refusal));
      await closing.close();
      await Promise.all(refused);
      // At work, with more to do than it could finish: when it is closed, every call has its answer.
      const busy = await make({ workers: 2 });
      await busy.embed(samples[0]!);
      const answers: string[] = [];
      for (const sample of Array.from({ length: 10 }, () => samples).flat()) {
        const answer = (code: string): void => void answers.push(code);
        busy.embed(sample).then(
          () => answer('vector'),
          (error: { code: string }) => answer(error.code),
        );
      }
      await busy.close();
      await new Promise(setImmediate);
      expect(answers).toHaveLength(10 * samples.length);
      expect(answers.at(-1)).toMatch(/-closed$/);
      await expect(closing.embed(samples[0]!)).rejects.toMatchObject(refusal);
      await closing.close();
    });
  });
}

/** Black, white, noise, and a ramp that runs down the frames of a clip. */
function drawSamples({ sample }: Extractor): Uint8Array[] {
  const { widthPx, heightPx, frames } = sample;
  const length = 3 * widthPx * heightPx * frames;
  const dice = random(6);
  return [
    new Uint8Array(length),
    new Uint8Array(length).fill(255),
    Uint8Array.from({ length }, () => dice.below(256)),
    Uint8Array.from({ length }, (_, k) => (256 * (Math.floor(k / 3) % widthPx)) / widthPx + 40 * (k % 3)),
  ];
}

import { expect, it } from 'vitest';

import { unlessSame } from './analyse.js';

it('works on a sample again only when it has changed', async () => {
  const sent: number[] = [];
  const embed = unlessSame(async ([first]) => {
    sent.push(first!);
    return Float32Array.of(first! / 2);
  });
  const vectors = await Promise.all([1, 1, 2, 2, 2, 1].map((value) => embed(Uint8Array.of(value, 7))));
  expect(sent).toEqual([1, 2, 1]);
  expect(vectors.map(([value]) => value)).toEqual([0.5, 0.5, 1, 1, 1, 0.5]);
});

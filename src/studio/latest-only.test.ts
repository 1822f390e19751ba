import { expect, it } from 'vitest';

import { latestOnly } from './latest-only.js';

it('runs one at a time and then only the newest', async () => {
  const [started, ends]: [number[], (() => void)[]] = [[], []];
  const ask = latestOnly(async (wish: number) => {
    started.push(wish);
    await new Promise<void>((done) => ends.push(done));
    if (wish === 4) throw new Error('four');
    return 10 * wish;
  });
  const answers = [1, 2, 3].map((wish) => ask(wish).catch((error: { code?: string }) => error.code));
  await Promise.resolve();
  expect(started).toEqual([1]);
  ends.shift()!();
  expect(await Promise.all(answers.slice(0, 2))).toEqual([10, 'superseded']);
  expect(started).toEqual([1, 3]);
  const late = ask(4);
  ends.shift()!();
  expect(await answers[2]).toBe(30);
  await expect.poll(() => started).toEqual([1, 3, 4]);
  ends.shift()!();
  await expect(late).rejects.toThrow('four');
  const after = ask(5);
  await expect.poll(() => ends.length).toBe(1);
  ends.shift()!();
  expect(await after).toBe(50);
});

import { expect, it } from 'vitest';

import { openBudget } from './budget.js';

it('gives no more places than there are, the next one to the highest rank, and none once it is closed', async () => {
  const budget = openBudget(2);
  const got: string[] = [];
  const take = (name: string, rank: number): Promise<(() => void) | null> =>
    budget.take(rank).then((place) => (got.push(place ? name : `no ${name}`), place));
  const [first] = await Promise.all([take('extract 1', 0), take('extract 2', 0)]);
  const [extract, summarise, gather] = [take('extract 3', 0), take('summarise', 4), take('gather', 1)];
  first!();
  // A place is given back once, however often that is said.
  first!();
  const second = await summarise;
  expect(got).toEqual(['extract 1', 'extract 2', 'summarise']);
  second!();
  await gather;
  budget.close();
  expect(await extract).toBeNull();
  expect(await take('late', 6)).toBeNull();
  expect(got).toEqual(['extract 1', 'extract 2', 'summarise', 'gather', 'no extract 3', 'no late']);
});

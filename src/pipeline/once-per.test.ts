import { describe, expect, it } from 'vitest';

import { oncePer } from './once-per.js';

describe('what is made once for each object', () => {
  it('is kept for that object, and made for every other', async () => {
    let count = 0;
    const made = oncePer(async (_of: object, name: string) => `${name} ${++count}`);
    const [one, two] = [{}, {}];
    expect(await Promise.all([made(one, 'a'), made(one, 'b'), made(two, 'c')])).toEqual(['a 1', 'a 1', 'c 2']);
  });

  it('is made again if it failed', async () => {
    let isBroken = true;
    const made = oncePer(async () => (isBroken ? Promise.reject(new Error('no disk')) : 'made'));
    const of = {};
    await expect(made(of)).rejects.toThrow('no disk');
    isBroken = false;
    expect(await made(of)).toBe('made');
  });
});

import { expect } from 'vitest';

import { StoreError } from '../../base/index.js';

/** The sentence a reader refuses its files with; it must name the official place to get them. */
export async function refusalOf(reading: Promise<unknown>, home: string): Promise<string> {
  const error = await reading.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  expect((error as StoreError).message).toContain(home);
  return (error as StoreError).message;
}

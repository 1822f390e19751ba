import { expect } from 'vitest';

import { StoreError, type ThroughlineError, UsageError } from '../../base/index.js';

/** The sentence a reader refuses its files with; it must name the official place to get them. */
export async function refusalOf(reading: Promise<unknown>, home: string): Promise<string> {
  const error = (await reading.catch((thrown: unknown) => thrown)) as ThroughlineError;
  // The path of a missing file was given wrongly; a damaged one is no fault of the caller.
  expect(error).toBeInstanceOf(error.code === 'dataset-missing' ? UsageError : StoreError);
  expect(error.message).toContain(home);
  return error.message;
}

import { InvalidArgumentError } from 'commander';

/** Reads an option that is a whole number from `least` to `most`. */
export function readCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (text.trim() !== '' && Number.isInteger(count) && count >= least && count <= most) return count;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

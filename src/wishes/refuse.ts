import { formatClock, UsageError } from '../base/index.js';
import type { Wish } from './parse.js';

/** The error for a pin and a veto of the same pictures. */
export function contradiction(pin: Wish, veto: Wish): UsageError {
  return new UsageError(
    'contradicting-wishes',
    `Expected wishes that do not contradict each other, found --pin "${pin.written}" and --veto "${veto.written}" for the same pictures. Remove one of them.`,
  );
}

/** The error for a range that reaches past the end of its video. */
export function outside(wish: Wish, name: string, seconds: number): UsageError {
  return new UsageError(
    'outside-video',
    `Expected a range inside "${name}", which lasts ${formatClock(seconds)}, found "${wish.written}". Correct the times; they count from its first picture.`,
  );
}

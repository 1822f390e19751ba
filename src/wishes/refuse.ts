import { formatClock, UsageError } from '../base/index.js';
import type { Wish } from './parse.js';

/** Something is wanted and unwanted at once. */
export function contradiction(pin: Wish, veto: Wish): UsageError {
  return new UsageError(
    'contradicting-wishes',
    `--pin "${pin.written}" and --veto "${veto.written}" mean the same pictures. Withdraw one of them.`,
  );
}

/** A range reaches past the end of its video. */
export function outside(wish: Wish, name: string, seconds: number): UsageError {
  return new UsageError(
    'outside-video',
    `Expected a range inside "${name}", which lasts ${formatClock(seconds)}, found "${wish.written}". Correct the times; they count from its first picture.`,
  );
}

/** Why a task did not end well: trouble that may pass, its process was lost, or it can never be done. */
export type Failure = {
  readonly kind: 'passing' | 'crash' | 'final';
  /** To follow a colon. */
  readonly message: string;
};

/** How often a task was tried and failed before, kept with its job. */
export type Tries = { readonly passing: number; readonly crash: number };

/** A task that took its process down so often is given up: it would take down every other one too. */
const CRASHES = 3;
/** Waits double up to a minute, so this many bridge half an hour without a store. */
const PASSING_TRIES = 36;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Whether to try again, and after how long. The wait doubles with every try; a random half of it keeps many workers
 * from coming back all at once. `chance` is a number in [0, 1).
 */
export function afterFailure(
  failure: Failure,
  tries: Tries,
  chance: number,
): { readonly again: Tries; readonly waitMs: number } | { readonly giveUp: string } {
  if (failure.kind === 'final') return { giveUp: failure.message };
  const count = tries[failure.kind] + 1;
  if (count >= (failure.kind === 'crash' ? CRASHES : PASSING_TRIES)) {
    return { giveUp: `${failure.message.replace(/\.$/, '')}; given up after ${count} tries` };
  }
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - 1));
  return { again: { ...tries, [failure.kind]: count }, waitMs: Math.round(wait * (0.5 + chance / 2)) };
}

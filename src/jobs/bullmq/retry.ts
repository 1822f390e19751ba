import { messageOf, StoreError, ThroughlineError, UsageError } from '../../base/index.js';
import { WHOLE_RUN } from '../../stages/index.js';

/**
 * Why a task failed. `passing`: it may work later. `machine`: this machine lacks something that another may have. `crash`:
 * its process ended. `final`: it can never work.
 */
export type Failure = {
  readonly kind: 'passing' | 'machine' | 'crash' | 'final';
  /** Written to follow a colon. */
  readonly message: string;
};

/** How often a task has failed so far, kept with its job; `machine` counts as `passing`. */
export type Tries = { readonly passing: number; readonly crash: number };

/** A task is given up after this many crashes. */
export const CRASHES = 3;
/** Waits double up to a minute, so this many tries bridge half an hour without a store; chance shortens it by half at most. */
const PASSING_TRIES = 36;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Whether to try again, and after how long. The wait doubles with every try; up to half of it is random, so that many
 * workers do not come back at the same moment. `chance` is a number in [0, 1).
 */
export function afterFailure(
  failure: Failure,
  tries: Tries,
  chance: number,
): { readonly again: Tries; readonly waitMs: number } | { readonly giveUp: string } {
  if (failure.kind === 'final') return { giveUp: failure.message };
  const counted = failure.kind === 'crash' ? 'crash' : 'passing';
  const count = tries[counted] + 1;
  if (count >= (counted === 'crash' ? CRASHES : PASSING_TRIES)) {
    return { giveUp: `${failure.message.replace(/\.$/, '')}; given up after ${count} tries` };
  }
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - 1));
  return { again: { ...tries, [counted]: count }, waitMs: Math.round(wait * (0.5 + chance / 2)) };
}

/** No space, no permission, too many processes or open files. */
const OF_MACHINE = new Set('ENOSPC EDQUOT EROFS EACCES EPERM EMFILE ENFILE EAGAIN ENOMEM'.split(' '));

/** What an error means for the task: a store or network may come back, but wrong usage stays wrong. */
export function failureOf(error: unknown): Failure {
  const message = messageOf(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'other-engine' || WHOLE_RUN.has(code) || OF_MACHINE.has(code)) return { kind: 'machine', message };
  if (error instanceof StoreError || /^E[A-Z]+$/.test(code)) return { kind: 'passing', message };
  if (error instanceof UsageError || code === 'nothing-done') return { kind: 'final', message };
  if (error instanceof ThroughlineError) return { kind: 'crash', message };
  return {
    kind: 'crash',
    message: `this is a bug in Throughline: ${error instanceof Error ? error.stack : message}`,
  };
}

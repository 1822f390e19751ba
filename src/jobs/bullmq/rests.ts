import type { TaskKind } from '../types.js';

/** Pauses kinds of tasks that fail on this machine because it lacks something that another may have. */
export type Rests = {
  /** Takes no tasks of a kind for a while, longer each time until one works. Returns the time in ms; `null` if it rests already. */
  begin(kind: TaskKind): number | null;
  /** A task of this kind worked: the next rest is short again. */
  worked(kind: TaskKind): void;
  /** Ends all rests without taking tasks again. */
  close(): void;
};

const FIRST_REST_MS = 5_000;
/** As long as the longest wait of a task, so that a repaired machine is back within a minute. */
const LONGEST_REST_MS = 60_000;

export function openRests({ pause, resume }: Record<'pause' | 'resume', (kind: TaskKind) => void>): Rests {
  const timers = new Map<TaskKind, NodeJS.Timeout>();
  const counts = new Map<TaskKind, number>();
  return {
    begin(kind) {
      if (timers.has(kind)) return null;
      const count = counts.get(kind) ?? 0;
      counts.set(kind, count + 1);
      const restMs = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** count);
      pause(kind);
      const wake = (): void => {
        timers.delete(kind);
        resume(kind);
      };
      timers.set(kind, setTimeout(wake, restMs));
      return restMs;
    },
    worked: (kind) => void counts.delete(kind),
    close: () => timers.forEach(clearTimeout),
  };
}

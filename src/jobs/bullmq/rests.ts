import type { TaskKind } from '../types.js';

/** Kinds of tasks that this machine takes a rest from, because it lacks something they need and another may have it. */
export type Rests = {
  /** Takes no more of a kind for a while: longer each time, until one of them works. Tells for how long, or that it rests already. */
  begin(kind: TaskKind): number | null;
  worked(kind: TaskKind): void;
  /** Nothing is taken up again. */
  close(): void;
};

const FIRST_REST_MS = 5_000;
/** As long as the longest wait of a task: whoever mends the machine is not kept waiting for more. */
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

import { CancelledError, messageOf, ThroughlineError, UsageError, type RunEvent } from '../base/index.js';
import type { Work } from './contract.js';

export const IDLE: Work = {
  ...{ state: 'idle', failed: null, stage: null, fraction: null, secondsLeft: null, item: null, message: null },
  ...{ items: [], reasons: [] },
};

/** Long work in the background, one piece at a time. */
export type LongWork = {
  now(): Work;
  /** Starts a piece of work; errors become its state. Throws while another is running. */
  begin(state: 'analysing' | 'rendering', task: (signal: AbortSignal) => Promise<void>): Work;
  /** Takes the events of a run. */
  onEvent(event: RunEvent): void;
  cancel(): Work;
  /** Waits for the work under way. */
  ended(): Promise<void>;
};

/** Below this share of a stage, its speed says little. */
const EARLY = 0.03;

/** `emit` gets every change of the work. */
export function openWork(emit: (work: Work) => void): LongWork {
  let work = IDLE;
  let stop = new AbortController();
  let ended = Promise.resolve();
  let stageStart = 0;
  const set = (next: Work): Work => {
    work = next;
    emit(work);
    return work;
  };
  const timed = (next: Work): Work => {
    const { fraction } = next;
    const elapsed = (performance.now() - stageStart) / 1000;
    const isEarly = fraction === null || fraction < EARLY || elapsed < 2;
    return { ...next, secondsLeft: isEarly ? null : (elapsed * (1 - fraction)) / fraction };
  };
  emit(work);
  return {
    now: () => work,
    begin(state, task) {
      if (work.state === 'analysing' || work.state === 'rendering') {
        throw new UsageError('busy', 'Other work on this topic is under way. Wait until it is done, or cancel it.');
      }
      stop = new AbortController();
      stageStart = performance.now();
      const started = set({ ...IDLE, state, fraction: 0 });
      ended = task(stop.signal).then(
        () => void set({ ...IDLE, reasons: work.reasons }),
        (error: unknown) =>
          void set(
            error instanceof CancelledError
              ? { ...IDLE, message: 'Cancelled; finished work is kept.' }
              : { ...IDLE, state: 'failed', failed: state, message: sentenceOf(error), reasons: work.reasons },
          ),
      );
      return started;
    },
    onEvent(event) {
      if (work.state !== 'analysing' && work.state !== 'rendering') return;
      if (event.type === 'stage-started') stageStart = performance.now();
      const next = after(work, event);
      if (next !== work) set(timed(next));
    },
    cancel() {
      stop.abort();
      return work;
    },
    ended: () => ended,
  };
}

/** Why work failed. The page lists the reasons for each video below this sentence; the terminal prints them above it. */
function sentenceOf(error: unknown): string {
  const isForWantOfVideos = error instanceof ThroughlineError && error.code === 'nothing-done';
  return isForWantOfVideos ? 'None of the videos could be used.' : messageOf(error);
}

/** The work after an event. */
function after(work: Work, event: RunEvent): Work {
  switch (event.type) {
    case 'stage-started':
      return { ...work, stage: event.stage, fraction: 0, item: null, items: [] };
    case 'progress': {
      const { stage, item, ofItem } = event;
      const moved = { ...work, stage, fraction: Math.min(1, event.fraction), item };
      return item === null || ofItem === undefined ? moved : withItem(moved, item, Math.min(1, ofItem));
    }
    case 'item-done':
      return withItem(work, event.item, 1);
    case 'skipped':
      return { ...work, reasons: [...work.reasons, event.message] };
    default:
      return work;
  }
}

function withItem(work: Work, name: string, fraction: number): Work {
  const isKnown = work.items.some((item) => item.name === name);
  if (!isKnown) return { ...work, items: [...work.items, { name, fraction }] };
  return { ...work, items: work.items.map((item) => (item.name === name ? { name, fraction } : item)) };
}

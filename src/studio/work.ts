import { CancelledError, messageOf, type RunEvent, ThroughlineError, UsageError } from '../base/index.js';
import type { Work } from './work-contract.js';

export const IDLE: Work = {
  ...{ state: 'idle', stage: null, fraction: null, item: null, message: null },
  ...{ items: [], reasons: [] },
};

/** Long work in the background, one piece at a time, and those who watch it. */
export type LongWork = {
  now(): Work;
  /** Starts a piece of work; errors become its state. Throws while another is running. */
  begin(state: 'analysing' | 'rendering', task: (signal: AbortSignal) => Promise<void>): Work;
  /** Takes the events of a run. */
  onEvent(event: RunEvent): void;
  cancel(): Work;
  /** Calls with the work now and whenever it changes, until the returned function is called. */
  watch(onWork: (work: Work) => void): () => void;
};

export function openWork(): LongWork {
  let work = IDLE;
  let stop = new AbortController();
  const listeners = new Set<(work: Work) => void>();
  const tell = (next: Work): Work => {
    work = next;
    for (const listener of listeners) listener(work);
    return work;
  };
  return {
    now: () => work,
    begin(state, task) {
      if (work.state === 'analysing' || work.state === 'rendering') {
        throw new UsageError('busy', 'The studio is still working. Wait until it is done, or cancel it.');
      }
      stop = new AbortController();
      const started = tell({ ...IDLE, state, fraction: 0 });
      task(stop.signal).then(
        () => tell({ ...IDLE, reasons: work.reasons }),
        (error: unknown) =>
          tell(
            error instanceof CancelledError
              ? { ...IDLE, message: 'Cancelled; finished work is kept.' }
              : { ...IDLE, state: 'failed', message: sentenceOf(error), reasons: work.reasons },
          ),
      );
      return started;
    },
    onEvent(event) {
      if (work.state !== 'idle') tell(after(work, event));
    },
    cancel() {
      stop.abort();
      return work;
    },
    watch(onWork) {
      listeners.add(onWork);
      onWork(work);
      return () => listeners.delete(onWork);
    },
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

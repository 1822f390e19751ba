import pc from 'picocolors';

import { formatClock, type Listener, type RunEvent, type Stage, messageOf, ThroughlineError } from '../base/index.js';
import { mergeNotes } from '../summary/index.js';
import { printable } from './outcome.js';

/** Shows the progress of a run. `end` clears what it left on the screen. */
type Reporter = { readonly onEvent: Listener; end(): void };

type Sink = { write(text: string): unknown; columns?: number };

const STAGE_NAMES: Record<Stage, string> = {
  draw: 'drawing',
  probe: 'reading',
  upload: 'uploading',
  analyse: 'analysing',
  select: 'choosing',
  render: 'rendering',
  concept: 'film of the topic',
  report: 'reporting',
};

/** One JSON object per line, for programs. */
function jsonReporter(out: Sink): Reporter {
  return { onEvent: (event) => void out.write(`${JSON.stringify(event)}\n`), end: () => undefined };
}

/** Only what was skipped. */
function quietReporter(out: Sink): Reporter {
  return {
    onEvent: (event) => {
      if (event.type === 'skipped') out.write(`skipped: ${printable(event.message)}\n`);
    },
    end: () => undefined,
  };
}

/** Plain lines, for logs and pipes. */
export function lineReporter(out: Sink): Reporter {
  const clock = stageClock();
  const notes = noteCollector();
  let lastTenth = -1;
  return {
    onEvent(event) {
      clock.see(event);
      if (event.type === 'stage-started') lastTenth = -1;
      const tenth = event.type === 'progress' ? Math.floor(event.fraction * 10) : lastTenth;
      if (
        event.type === 'progress' &&
        tenth > lastTenth &&
        (event.stage === 'draw' || event.stage === 'analyse' || event.stage === 'render' || event.stage === 'concept')
      ) {
        lastTenth = tenth;
        out.write(`${STAGE_NAMES[event.stage]} ${percent(event.fraction)}${clock.pace(event)}\n`);
      }
      for (const line of notes.linesOf(event)) out.write(`${line}\n`);
    },
    end: () => notes.rest().forEach((line) => out.write(`${line}\n`)),
  };
}

/** A progress bar, for people at a terminal. */
function terminalReporter(out: Sink): Reporter {
  const clock = stageClock();
  const notes = noteCollector();
  const clear = (): void => void out.write('\r\x1b[2K');
  return {
    onEvent(event) {
      clock.see(event);
      for (const line of notes.linesOf(event)) {
        clear();
        out.write(`${event.type === 'skipped' ? pc.yellow(line) : pc.dim(line)}\n`);
      }
      if (event.type === 'stage-done') clear();
      if (event.type !== 'progress') return;
      const cells = 24;
      const filled = Math.round(Math.min(1, event.fraction) * cells);
      const bar = pc.cyan('█'.repeat(filled)) + pc.dim('░'.repeat(cells - filled));
      const head = `${STAGE_NAMES[event.stage].padEnd(10)} `;
      const tail = ` ${percent(event.fraction)}${clock.pace(event)}`;
      const room = (out.columns ?? 80) - head.length - cells - tail.length - 3;
      const item = event.item && room > 8 ? `  ${printable(event.item).slice(0, room)}` : '';
      clear();
      out.write(head + bar + tail + pc.dim(item));
    },
    end() {
      clear();
      for (const line of notes.rest()) out.write(`${pc.dim(line)}\n`);
    },
  };
}

/** Lines for events. Notes of a stage are printed when it is done: those of one kind as one line with a count. */
function noteCollector(): { linesOf(event: RunEvent): string[]; rest(): string[] } {
  let [isInStage, held]: [boolean, string[]] = [false, []];
  const rest = (): string[] => {
    const lines = mergeNotes(held).map((message) => `note: ${printable(message)}`);
    held = [];
    return lines;
  };
  return {
    rest,
    linesOf(event) {
      if (event.type === 'stage-started') isInStage = true;
      if (event.type === 'stage-done') isInStage = false;
      if (event.type === 'note') held.push(event.message);
      const line = noteworthy(event);
      return [...(line === null ? [] : [line]), ...(isInStage ? [] : rest())];
    },
  };
}

function noteworthy(event: RunEvent): string | null {
  switch (event.type) {
    case 'skipped':
      return `skipped: ${printable(event.message)}`;
    case 'item-done':
      return event.stage === 'analyse'
        ? `${event.cached ? 'analysed before' : 'analysed'}: ${printable(event.item)}`
        : null;
    default:
      return null;
  }
}

/** Measures the time of a stage, to show its speed and the time left. */
function stageClock(): { see(event: RunEvent): void; pace(event: RunEvent & { type: 'progress' }): string } {
  let began = performance.now();
  return {
    see(event) {
      if (event.type === 'stage-started') began = performance.now();
    },
    pace({ fraction, frames }) {
      const seconds = (performance.now() - began) / 1000;
      const rate = frames > 0 && seconds > 0.5 ? `  ${Math.round(frames / seconds)} frames/s` : '';
      const left = fraction > 0.02 && fraction < 1 && seconds > 1 ? (seconds * (1 - fraction)) / fraction : null;
      return rate + (left === null ? '' : `  ${formatClock(left).replace(/\.\d+$/, '')} left`);
    },
  };
}

function percent(fraction: number): string {
  return `${Math.floor(Math.min(1, fraction) * 100)}%`.padStart(4);
}

/** Exit codes by meaning. */
export const EXIT = { done: 0, nothingDone: 1, usage: 2, someSkipped: 3, interrupted: 130 } as const;

/** Flags that decide how a command reports progress. */
export type OutputOptions = { json?: boolean; quiet?: boolean };

/** Does work, shows its events as the flags ask, and stops it on Ctrl-C. `finish` prints the result and returns the exit code. */
export async function withReporter<T>(
  { json, quiet }: OutputOptions,
  work: (onEvent: Listener, signal: AbortSignal) => Promise<T>,
  finish: (result: T, isShown: boolean) => number,
): Promise<number> {
  const reporter = chooseReporter({ json, quiet });
  const stop = new AbortController();
  const interrupt = (): void => {
    // A second Ctrl-C ends the process at once.
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const result = await work(reporter.onEvent, stop.signal);
    reporter.end();
    return finish(result, !json && !quiet);
  } catch (error) {
    reporter.end();
    if (json) {
      const code = error instanceof ThroughlineError ? error.code : 'fault';
      process.stdout.write(`${JSON.stringify({ type: 'failed', code, message: messageOf(error) })}\n`);
    }
    throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function chooseReporter({ json, quiet }: OutputOptions): Reporter {
  if (json) return jsonReporter(process.stdout);
  if (quiet) return quietReporter(process.stderr);
  return process.stderr.isTTY ? terminalReporter(process.stderr) : lineReporter(process.stderr);
}

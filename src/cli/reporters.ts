import { join, relative } from 'node:path';
import pc from 'picocolors';
import {
  formatClock,
  lengthInSeconds,
  type Listener,
  messageOf,
  printable,
  type RunEvent,
  type Stage,
  ThroughlineError,
  toSeconds,
} from '../base/index.js';
import type { Outcome } from '../index.js';
import { leastAlike, mergeNotes } from '../summary/index.js';

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

export { printable };

const TOPIC = 'the whole topic';
/** Longer names of videos are cut off. */
const MAX_NAME = 40;

/** Prints the result of a run: one line per video, one per shot of the topic's film, what was skipped, and where the report is. */
export function printOutcome({ document, folder, report }: Outcome): void {
  const lines: string[] = [];
  const widest = Math.min(
    MAX_NAME,
    Math.max(document.concept ? TOPIC.length : 0, ...document.videos.map((video) => video.path.length)),
  );
  for (const video of document.videos) {
    const chosen = video.shots.filter((shot) => shot.chosen).length;
    const film = video.seconds ?? video.clips.reduce((sum, clip) => sum + lengthInSeconds(clip.range), 0);
    const name = printable(video.path).slice(0, widest).padEnd(widest);
    lines.push(
      `  ${name}  ${short(lengthInSeconds(video.range))} → ${short(film)}  ${chosen} of ${counted(video.shots.length, 'shot')}`,
    );
  }
  const { concept } = document;
  if (concept) {
    const { rate } = concept.frame;
    const film = toSeconds(concept.frames, { num: rate.den, den: rate.num });
    const sources = new Set(concept.shots.map((shot) => shot.video)).size;
    const footage = document.videos.reduce((sum, video) => sum + lengthInSeconds(video.range), 0);
    lines.push(
      `  ${TOPIC.padEnd(widest)}  ${short(footage)} → ${short(film)}  ${counted(concept.shots.length, 'shot')} of ${counted(sources, 'video')}`,
    );
  }
  if (concept) lines.push('', ...filmLines(document));
  lines.push('');
  lines.push(pc.green(`${counted(document.videos.length, 'video')} summarised`) + ` in ${show(folder)}`);
  if (concept?.film) lines.push(`The film of the topic is ${show(join(folder, concept.film))}`);
  const least = leastAlike(document.videos).map(
    ({ path, belonging }) => `${printable(path)} (${belonging!.likeness.toFixed(2)})`,
  );
  if (least.length > 0) lines.push(`Least like the others, look at ${least.length === 1 ? 'it' : 'these'} first: ${least.join(', ')}`); // prettier-ignore
  if (document.skipped.length > 0) {
    lines.push(pc.yellow(`${document.skipped.length} skipped:`));
    for (const skipped of document.skipped) lines.push(`  ${printable(skipped.message)}`);
  }
  lines.push(`Open ${pc.bold(show(report))} in a browser to see the result.`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The film of the topic, one line a shot: when it plays, its video, where in it, and why it is there. */
function filmLines({ concept, videos }: Outcome['document']): string[] {
  const { shots, frame } = concept!;
  const byId = new Map(videos.map((video) => [video.id, video]));
  const rows = shots.map(({ video, range, filmFrame, reason }) => {
    const { path, range: whole } = byId.get(video)!;
    const inFilm = (filmFrame * frame.rate.den) / frame.rate.num;
    return [short(inFilm), printable(path).slice(0, MAX_NAME), short(toSeconds(range.start - whole.start, range.base)), printable(reason)]; // prettier-ignore
  });
  const widest = Math.max(0, ...rows.map(([, name]) => name!.length));
  const head = ['in film'.padStart(7), 'video'.padEnd(widest), 'at'.padStart(7), 'why'].join('  ');
  return [pc.dim(`  ${head}`), ...rows.map(([at, name, from, why]) => `  ${at}  ${name!.padEnd(widest)}  ${from}  ${why}`)]; // prettier-ignore
}

/** `1 video`, `2 videos`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A length, to the nearest tenth of a second. */
function short(seconds: number): string {
  return formatClock(Math.round(10 * seconds) / 10)
    .replace(/\d\d$/, '')
    .padStart(7);
}

/** A path relative to the current folder if it is inside it. */
export function show(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near || '.';
}

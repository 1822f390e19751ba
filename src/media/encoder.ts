import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';

import { CancelledError, diskFullSentence, MediaError } from '../base/index.js';
import { asPipeGroup, lastComplaint, startFfmpeg, stoppedBy } from './process.js';

/** Writes to a pipe and waits until it accepts more. A reader that has ended is no error here: its exit code tells why. */
export async function writeTo(sink: Writable, data: Uint8Array): Promise<void> {
  if (sink.destroyed || sink.write(data)) return;
  await new Promise<void>((resolve) => {
    const events = ['drain', 'close', 'error'];
    const go = (): void => {
      for (const event of events) sink.off(event, go);
      resolve();
    };
    for (const event of events) sink.on(event, go);
  });
}

/** Writes to one pipe of an encoder; stops when `signal` aborts. */
export type Feed = (sink: Writable, signal: AbortSignal) => Promise<void>;

/** Encoded parts of films that are kept for later films, by what decides their pictures. */
export type PartStore = {
  /** The content of a source, whatever its name. */
  contentOf(path: string): string;
  /** Writes the part of that identity to `file` and gives its number of frames; `null` if there is none. */
  recall(identity: unknown, file: string): Promise<number | null>;
  keep(identity: unknown, file: string, frames: number): Promise<void>;
};

/** How a film is written. None of it changes its bytes. */
export type FilmHooks = {
  readonly signal?: AbortSignal | undefined;
  /** Hears how many frames of the film were written. */
  readonly onFrames?: ((frames: number) => void) | undefined;
  /** Parts that are encoded at a time; 1 by default. */
  readonly workers?: number | undefined;
  readonly parts?: PartStore | undefined;
};

type PlannedFilm = { readonly output: string; readonly frames: number | null };

/**
 * Runs the encoder of a film, with the feeds writing to its pipes 3, 4 … at the same time. If one fails, the others stop. It
 * is an error if the film does not have the planned number of frames.
 */
export async function runEncoder(
  args: readonly string[],
  feeds: readonly Feed[],
  film: PlannedFilm,
  hooks: FilmHooks,
): Promise<void> {
  // When all pictures are written, an encoder may still move the index of a large film to its front.
  const written = (): number => {
    const facts = statSync(film.output, { throwIfNoEntry: false });
    return facts ? facts.size + facts.mtimeMs : 0;
  };
  await asPipeGroup(written, () => encode(args, feeds, film, hooks));
}

/** As `runEncoder`, for one of several encoders of a group; gives the number of frames that were encoded. */
export async function encode(
  args: readonly string[],
  feeds: readonly Feed[],
  film: PlannedFilm,
  hooks: Pick<FilmHooks, 'signal' | 'onFrames'>,
): Promise<number> {
  const stop = new AbortController();
  const signal = hooks.signal ? AbortSignal.any([hooks.signal, stop.signal]) : stop.signal;
  const running = await startFfmpeg(
    [
      ...['-loglevel', 'error', '-y', '-progress', 'pipe:1', ...args],
      ...[
        '-map_metadata:g',
        '-1',
        '-map_metadata:s',
        '-1',
        '-fflags',
        '+bitexact',
        '-flags:v',
        '+bitexact',
        '-flags:a',
        '+bitexact',
      ],
      `file:${resolve(film.output)}`,
    ],
    { pipes: feeds.length, signal, reportsStatus: true },
  );
  let frames = 0;
  createInterface(running.output(1))
    // An encoder that is stopped breaks this pipe too; `exited` has the reason.
    .on('error', () => undefined)
    .on('line', (line) => {
      const [, count] = /^frame=\s*(\d+)/.exec(line) ?? [];
      if (count === undefined) return;
      frames = Number(count);
      if (frames > 0) hooks.onFrames?.(frames);
    });
  const ended = running.exited.finally(() => stop.abort());
  ended.catch(() => undefined);
  const failures: unknown[] = [];
  await Promise.all(
    feeds.map(async (feed, index) => {
      const sink = running.input(3 + index);
      try {
        await feed(sink, signal);
      } catch (error) {
        failures.push(error);
        stop.abort();
      } finally {
        sink.end();
      }
    }),
  );
  const exit = await ended;
  if (hooks.signal?.aborted) throw new CancelledError();
  const failure = failures.find((error) => !(error instanceof CancelledError));
  if (failure !== undefined) throw failure;
  const stopped = stoppedBy(exit, running);
  if (stopped !== null) {
    throw new MediaError(
      'encoder-died',
      `The encoder was stopped (${stopped}) while writing the film "${film.output}". Check memory and try again.`,
    );
  }
  if (exit.code !== 0) throw encodeFailed(film.output, running.errors);
  if (film.frames !== null && frames !== film.frames) {
    throw new WrongCount(film.output, film.frames, frames);
  }
  return frames;
}

/** A film does not have the planned number of frames. */
export class WrongCount extends MediaError {
  constructor(output: string, planned: number, found: number) {
    super(
      'film-incomplete',
      `Expected ${planned} frames in the film "${output}", the encoder wrote ${found}. Please report this.`,
    );
  }
}

function encodeFailed(output: string, errors: readonly string[]): MediaError {
  if (errors.some((line) => line.includes('No space left'))) {
    return new MediaError('disk-full', diskFullSentence(output));
  }
  const missing = errors.map((line) => /Unknown encoder '([^']+)'/.exec(line)?.[1]).find(Boolean);
  if (missing !== undefined) {
    return new MediaError(
      'no-encoder',
      `Expected an ffmpeg that can write ${missing}, found one that cannot. Choose another --format or --preview, or unset FFMPEG_PATH.`,
    );
  }
  return new MediaError(
    'encode-failed',
    `Could not write the film "${output}" (${lastComplaint(errors)}). Try again, or choose another --format or --preview.`,
  );
}

import { messageOf, UsageError } from '../../base/index.js';
import type { Counting } from './rates.js';

/** What a file says about the source of a clip. */
export type SourceClue = {
  readonly id?: string | undefined;
  readonly path?: string | undefined;
  readonly name?: string | undefined;
  readonly reel?: string | undefined;
};

/** A clip as a file names it, before its source is known. */
export type EditedClip = {
  /** Its place in the file, for messages: `line 12`. */
  readonly where: string;
  readonly clue: SourceClue;
  /** What `from` and `to` count in; null for frames as the decoder numbers them. */
  readonly counting: Counting | null;
  /** Frames since the source's first picture, or since 00:00:00:00 of its timecode, or as decoded. */
  readonly origin: 'picture' | 'timecode' | 'decoded';
  readonly from: number;
  readonly to: number;
  /** The same in frames of the source's own rate, if the file states it and the clip was not trimmed since. */
  readonly exact?: { readonly from: number; readonly to: number } | undefined;
};

/** What was read from a file: clips in the order they play, and what was passed over. */
export type CutList = {
  readonly title: string | null;
  readonly counting: Counting | null;
  readonly clips: readonly EditedClip[];
  readonly notes: readonly string[];
};

/** The error for a file, with the place of the problem. */
export function badTimeline(file: string, where: string, problem: string): UsageError {
  return new UsageError('bad-timeline', `Expected a cut list in "${file}", found a problem at ${where}: ${problem}.`);
}

/** Parses the JSON of a file. The error names the line. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const position = Number(/at position (\d+)/.exec(messageOf(cause))?.[1] ?? text.length);
    const line = text.slice(0, position).split('\n').length;
    throw badTimeline(file, `line ${line}`, 'it is not JSON from there on. Mend it, or export it again');
  }
}

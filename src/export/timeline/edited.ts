import { messageOf, UsageError } from '../../base/index.js';
import type { Counting } from './rates.js';
import { oneLine } from './text.js';

/** What a cut list says about the source of a clip. */
export type SourceClue = {
  readonly id?: string | undefined;
  readonly path?: string | undefined;
  readonly name?: string | undefined;
  readonly reel?: string | undefined;
};

/** A clip of a cut list, before its source is known. */
export type EditedClip = {
  /** Its place in the file, for messages: `line 12`. */
  readonly where: string;
  readonly clue: SourceClue;
  /** What `from` and `to` count in; `null` for frames as the decoder numbers them. */
  readonly counting: Counting | null;
  /** Frames since the source's first picture, or since 00:00:00:00 of its timecode, or as decoded. */
  readonly origin: 'picture' | 'timecode' | 'decoded';
  readonly from: number;
  readonly to: number;
  /** The same in frames of the source's own rate, if the file states it and the clip was not trimmed since. */
  readonly exact?: { readonly from: number; readonly to: number } | undefined;
};

/** What was read from a cut list: clips in the order they play, and notes on what was left out. */
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

/** Parses the JSON of a file. The error names the line where the parser knows it. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const [found, advice] = [oneLine(messageOf(cause)), 'Correct it, or export it again'];
    const position = found.includes('end of JSON') ? text.length : /at position (\d+)/.exec(found)?.[1];
    if (position === undefined) throw badTimeline(file, 'its text', `it is not JSON (${found}). ${advice}`);
    const line = text.slice(0, Number(position)).split('\n').length;
    throw badTimeline(file, `line ${line}`, `it is not JSON from there on. ${advice}`);
  }
}

import { messageOf, UsageError } from '../base/index.js';
import type { Counting } from './rates.js';
import { oneLine } from './xml.js';
import { nameOf, pathOfUrl } from './sources.js';
import type { TimelineSource } from './types.js';

/** What a cut list says about the source of a clip. */
type SourceClue = {
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

/** The most places that a note lists. */
const MAX_LISTED = 100;

/** A note on clips that could not be read as they are, each by its place in the file; none if there are none. */
export function noteOn(what: string, places: readonly string[]): string[] {
  if (places.length === 0) return [];
  const more = places.length > MAX_LISTED ? `; and ${places.length - MAX_LISTED} more` : '';
  return [`${what}: ${places.length} (${places.slice(0, MAX_LISTED).join('; ')}${more}).`];
}

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

/** The source that a clue refers to, or why it is unclear. */
type Match = { readonly source: TimelineSource } | { readonly problem: string };

/** What sources are recognised by, normalised. */
type Signs = { readonly source: TimelineSource; readonly path: string; readonly names: readonly string[] };

/**
 * Finds sources by what editing systems keep of them, the surest sign first: our id, the path, the file name, the reel.
 * A sign that fits several sources is narrowed by those after it.
 */
export function sourceMatcher(sources: readonly TimelineSource[]): (clue: SourceClue) => Match {
  const all = sources.map((source): Signs => {
    const path = plain(source.path.replaceAll('\\', '/').replace(/^(\.\/)+/, ''));
    // Editing systems may keep the ending of a file's name or not.
    return { source, path, names: [plain(source.name), plain(source.name.replace(/(?<=.)\.[^.]*$/, ''))] };
  });
  const find = (clue: SourceClue): Match => {
    let left: readonly Signs[] = all;
    let isKnown = false;
    for (const test of testsOf(clue)) {
      const fitting = left.filter(test);
      if (fitting.length === 1) return { source: fitting[0]!.source };
      if (fitting.length > 1) [left, isKnown] = [fitting, true];
    }
    const called = clue.name ?? clue.path ?? clue.id ?? clue.reel ?? 'a clip without a name';
    return isKnown
      ? { problem: `"${called}" may be ${left.map(({ source }) => source.path).join(' or ')}` }
      : { problem: `"${called}" is not a video of the summary` };
  };
  // A list has many clips of few sources.
  const found = new Map<string, Match>();
  return (clue) => {
    const key = JSON.stringify([clue.id, clue.path, clue.name, clue.reel]);
    const match = found.get(key) ?? find(clue);
    found.set(key, match);
    return match;
  };
}

function testsOf({ id, path: url, name, reel }: SourceClue): ((signs: Signs) => boolean)[] {
  const tests: ((signs: Signs) => boolean)[] = [];
  if (id !== undefined) tests.push(({ source }) => source.id === id);
  if (url !== undefined) {
    const path = plain(pathOfUrl(url));
    const last = plain(nameOf(path));
    tests.push((signs) => path === signs.path || path.endsWith(`/${signs.path}`));
    tests.push(({ names }) => names.includes(last));
  }
  if (name !== undefined) {
    const last = plain(nameOf(name));
    tests.push(({ names }) => names.includes(last));
  }
  if (reel !== undefined) tests.push(({ source }) => source.reel === reel.toUpperCase());
  return tests;
}

/** One form for one name: systems compose accents differently, and lists cannot hold line breaks or outer spaces. */
function plain(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\uFFFD]+/gu, ' ')
    .trim();
}

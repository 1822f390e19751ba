import type { SourceClue } from './edited.js';
import { nameOf } from './sources.js';
import type { TimelineSource } from './types.js';
import { pathOfUrl } from './urls.js';

/** The source that a clue refers to, or why it is unclear. */
export type Match = { readonly source: TimelineSource } | { readonly problem: string };

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

import type { z } from 'zod';

import { UsageError, valueText } from '../base/index.js';

const TYPES: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text in quotes',
  boolean: 'true or false',
  array: 'a list',
};

/** The error for a wrong value of an option, with what was probably meant; `found` as it is to be shown. */
export function badValue(what: string, found: string, issue: z.core.$ZodIssue | undefined): UsageError {
  const say = (expected: string, hint = ''): UsageError =>
    new UsageError('bad-option', `Expected ${what} to be ${expected}, found ${found}.${hint}`);
  switch (issue?.code) {
    case 'invalid_value':
      return say(`one of ${issue.values.join(', ')}`, didYouMean(found.replaceAll('"', ''), issue.values.map(String)));
    case 'invalid_type':
      return say(TYPES[issue.expected] ?? 'something else');
    case 'too_small':
      if (issue.origin === 'string') return say('some text');
      return say(`${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`);
    case 'too_big':
      return say(`${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`);
    default:
      return new UsageError(
        'bad-option',
        `${what}: ${issue?.message.replace(/^Expected/, 'expected') ?? 'not understood'}, found ${found}.`,
      );
  }
}

/**
 * What is wrong with a set of options, in one sentence: expected, found, what to do. `names` are those there are; with `file`,
 * the options are those of a configuration file.
 */
export function flawOfOptions(
  issue: z.core.$ZodIssue | undefined,
  options: unknown,
  names: readonly string[],
  file?: string,
): string {
  const place = file === undefined ? '' : ` in "${file}"`;
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const meant = nearest(key, names);
    const advice = meant === null ? 'docs/reference/options.md lists them.' : `Did you mean "${meant}"?`;
    return `Expected the names of options${place}, found "${key}". ${advice}`;
  }
  const [name, ...inside] = issue?.path ?? [];
  if (name === undefined)
    return `Expected options${place}, such as {"length": "30s"}, found ${valueText(options)}. Correct it.`;
  const value = [name, ...inside].reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)?.[key], options);
  const what = file === undefined ? `option ${String(name)}` : `"${String(name)}"${place}`;
  return badValue(what, valueText(value), issue).message.replace(/^o/, 'O');
}

/** A question after a sentence about a wrong word: the word that was probably meant; empty if there is none. */
export function didYouMean(typed: string, words: readonly string[]): string {
  const meant = nearest(typed, words);
  return meant === null ? '' : ` Did you mean ${meant}?`;
}

/** The word that was probably meant: the nearest one, if at most a third of its letters differ. */
function nearest(typed: string, words: readonly string[]): string | null {
  const ranked = words
    .map((word) => ({ word, away: distanceOf(typed.toLowerCase(), word) }))
    .filter(({ word, away }) => 3 * away <= Math.max(typed.length, word.length))
    .sort((a, b) => a.away - b.away);
  return ranked[0]?.word ?? null;
}

/** The Levenshtein distance: letters to insert, delete or replace. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}

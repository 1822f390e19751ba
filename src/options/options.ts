import { z } from 'zod';
import { UsageError, valueText } from '../base/index.js';
import { methods } from '../select/index.js';
import { DEFAULT_BOUNDS } from '../shots/index.js';
import { type Budget, parseBudget } from '../summary/index.js';
import { choiceOptions, filmOptions } from './films.js';
import { vectorOptions } from './vectors.js';

/** One option as shown to people: in the help of the command line, the configuration file and the documentation. */
type OptionFacts = {
  readonly description: string;
  /** What switching it off does; only switches that are on by default have it. */
  readonly off?: string;
  /** Where help texts and the documentation list it. */
  readonly group: OptionGroup;
  /** The placeholder of the value in help texts; absent for switches. */
  readonly placeholder?: string;
  readonly unit?: string;
  /** May be given several times; its value is a list. */
  readonly isList: boolean;
  /** Unless declared `false`: options that cannot change a result are not part of the record of a run. */
  readonly affectsResult: boolean;
};

/** The groups that options are listed in, in this order, and their headings. */
export const OPTION_GROUPS = {
  wishes: 'Length and wishes',
  film: 'Films',
  method: 'Method',
  features: 'Shots and features',
  output: 'Input and output',
} as const;
type OptionGroup = keyof typeof OPTION_GROUPS;

/** Every option of a run, declared once: type, default, description, unit. */
const declared = { ...filmOptions, ...vectorOptions, ...choiceOptions } as const;

/** The shape of a configuration file: options may be left out, and are checked against each other only together. */
export const configSchema = z.strictObject(declared);

/** The schema of all options of a run. */
export const optionsSchema = configSchema
  .refine(({ shotsBy, minShot, maxShot }) => isDividing(shotsBy, minShot, maxShot), {
    message: 'expected at least twice minShot, so that every length can be divided into shots',
    path: ['maxShot'],
  })
  .refine(({ shotsBy, minShot = 1, maxShot = 1 }) => shotsBy === 'seconds' || Number.isInteger(minShot + maxShot), {
    message: 'expected whole frames',
    path: ['maxShot'],
  })
  .refine(({ minClip, maxClip }) => minClip === undefined || maxClip === undefined || minClip <= maxClip, {
    message: 'expected at most maxClip, so that a clip can fit both',
    path: ['minClip'],
  });

function isDividing(by: 'seconds' | 'frames', min?: number, max?: number): boolean {
  return (max ?? DEFAULT_BOUNDS[by].max) >= 2 * (min ?? DEFAULT_BOUNDS[by].min);
}

/** Every option of a run; those left out have their defaults. */
export type Options = z.output<typeof optionsSchema>;
/** Options as a caller gives them: any may be left out. */
export type OptionsInput = z.input<typeof optionsSchema>;

/** Checks options by their schema; throws a `UsageError` about the first thing that is wrong. */
export function checkOptions(options: OptionsInput): Options {
  const parsed = optionsSchema.safeParse({ ...options, ...defaultsOf(options) });
  if (parsed.success) return parsed.data;
  throw new UsageError('bad-option', flawOfOptions(parsed.error.issues[0], options, Object.keys(declared)));
}

/** The defaults of the method asked for, where they differ from those declared. */
function defaultsOf({ method = 'cvs', ...given }: OptionsInput): OptionsInput {
  const { knobs, normalise, shotsBy } = methods[method] ?? {};
  const own = Object.entries({ ...knobs, normalise, shotsBy });
  return Object.fromEntries(
    own.filter(
      ([name, value]) => value !== undefined && name in declared && given[name as keyof typeof given] === undefined,
    ),
  );
}

/** The lengths that options ask for, parsed. */
export type Budgets = {
  /** `options.length`. */
  readonly budget: Budget;
  /** `options.concept`; `null` if no film of the topic is asked for. */
  readonly conceptBudget: Budget | null;
};

/** The lengths asked for; throws a `UsageError` if one is not understood. */
export function budgetsOf({ length, concept }: Pick<Options, 'length' | 'concept'>): Budgets {
  return { budget: parseBudget(length), conceptBudget: concept === undefined ? null : parseBudget(concept) };
}

/** Each option with its facts and its default (`undefined` where the run decides), in the order of declaration. */
export const optionFacts: readonly (OptionFacts & { name: keyof Options; schema: z.ZodType; defaultValue: unknown })[] =
  Object.entries(declared).map(([name, schema]) => ({
    affectsResult: true,
    ...(schema.meta() as unknown as Omit<OptionFacts, 'isList' | 'affectsResult'>),
    isList: schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodArray,
    name: name as keyof Options,
    schema,
    defaultValue: schema instanceof z.ZodDefault ? schema.parse(undefined) : undefined,
  }));

/** The options that can change a result, for the record of a run. */
export function resultOptions(options: Options): Record<string, unknown> {
  return Object.fromEntries(
    optionFacts.filter((fact) => fact.affectsResult).map((fact) => [fact.name, options[fact.name] ?? null]),
  );
}

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

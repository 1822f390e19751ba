import { z } from 'zod';

import { UsageError } from '../base/index.js';
import { methods } from '../select/index.js';
import { DEFAULT_BOUNDS } from '../shots/index.js';
import { parseBudget, type Budget } from '../summary/index.js';
import { flawOfOptions } from './bad-value.js';
import { choiceOptions } from './choice.js';
import { filmOptions } from './films.js';
import { vectorOptions } from './vectors.js';

/** One option as shown to people: in the help of the command line, the configuration file and the documentation. */
export type OptionFacts = {
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

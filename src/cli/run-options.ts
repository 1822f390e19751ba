import { readFile } from 'node:fs/promises';
import { type Command, Option, InvalidArgumentError } from 'commander';

import {
  badValue,
  OPTION_GROUPS,
  optionFacts,
  type OptionsInput,
  configSchema,
  flawOfOptions,
} from '../options/index.js';
import { flawOf } from '../summary/index.js';
import { UsageError, whyUnreadable } from '../base/index.js';

type OptionName = (typeof optionFacts)[number]['name'];

/** How a command differs in options that are declared once for all: other names and descriptions, other defaults. */
export type Dialect = {
  readonly called?: Partial<Record<OptionName, { readonly name: string; readonly description: string }>>;
  readonly preset?: OptionsInput;
};

/** Adds the options of a run that are declared in `options/`, or some of them, and `--config`, `--json` and `--quiet`. */
export function addRunOptions(command: Command, names?: readonly OptionName[], dialect?: Dialect): Command {
  const own = [
    new Option('--config <FILE>', 'Read options from this file. Default: throughline.config.json, if there is one.'),
    new Option('--json', 'Print one JSON event per line, for programs.').conflicts('quiet'),
    new Option('--quiet', 'Print only errors and what was skipped.'),
  ];
  addDeclared(command, names, dialect);
  for (const option of own) command.addOption(option.helpGroup(`${OPTION_GROUPS.output}:`));
  return command.exitOverride();
}

/** Adds the options that are declared in `options/`, or some of them, and nothing else. */
export function addDeclared(
  command: Command,
  names?: readonly OptionName[],
  { called = {}, preset = {} }: Dialect = {},
): Command {
  const groups = Object.keys(OPTION_GROUPS);
  const inGroups = optionFacts.toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));
  for (const fact of inGroups) {
    if (names && !names.includes(fact.name)) continue;
    const { name: key, description: said } = called[fact.name] ?? fact;
    const name = wordsOf(key);
    const usual = preset[fact.name] ?? fact.defaultValue;
    const shown = usual === undefined || typeof usual === 'boolean' ? '' : ` (default: ${String(usual)})`;
    const flag =
      fact.placeholder !== undefined
        ? `--${name} <${fact.placeholder}>`
        : usual === true
          ? `--no-${name}`
          : `--${name}`;
    const description = usual === true ? (fact.off ?? said) : said;
    const option = new Option(flag, description + shown).helpGroup(`${OPTION_GROUPS[fact.group]}:`);
    if (fact.isList) option.argParser((text: string, before?: unknown[]) => readMore(fact, `--${name}`, text, before));
    else if (fact.placeholder !== undefined) option.argParser((text: string) => readValue(fact, `--${name}`, text));
    command.addOption(option);
  }
  return command;
}

/** The name of an option as it is typed, without the dashes before it. */
export function wordsOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A sentence about options as their flags, for somebody who typed those. */
export function inFlags(sentence: string): string {
  const names = optionFacts.map(({ name }) => name as string);
  return sentence
    .replace(/^Option (?=\w)/, '')
    .replace(/^\w+(?=:)|[a-z]+[A-Z]\w*/g, (word) => (names.includes(word) ? `--${wordsOf(word)}` : word));
}

/** Reads the value of an option: text, or a number if its schema wants one. */
function readValue({ schema }: (typeof optionFacts)[number], flag: string, text: string): unknown {
  const asNumber = text.trim() === '' ? NaN : Number(text);
  for (const candidate of [text, ...(Number.isFinite(asNumber) ? [asNumber] : [])]) {
    if (schema.safeParse(candidate).success) return candidate;
  }
  const asText = schema.safeParse(text).error?.issues[0];
  const wantsNumber = asText?.code === 'invalid_type' && Number.isFinite(asNumber);
  throw badValue(flag, `"${text}"`, wantsNumber ? schema.safeParse(asNumber).error?.issues[0] : asText);
}

/** Reads one more value of an option that can be repeated. */
function readMore(
  { schema }: (typeof optionFacts)[number],
  flag: string,
  text: string,
  before: readonly unknown[] = [],
): unknown[] {
  const { error } = schema.safeParse([text]);
  if (error) throw badValue(flag, `"${text}"${flawOf(text)}`, error.issues[0]);
  return [...before, text];
}

/** The options of a run: typed ones come before those of the configuration file, and these before the command's presets. */
export async function optionsOf(command: Command, { called = {}, preset = {} }: Dialect = {}): Promise<OptionsInput> {
  const keyOf = (name: OptionName): string => called[name]?.name ?? name;
  const typed = optionFacts.filter(({ name }) => command.getOptionValueSource(keyOf(name)) === 'cli');
  const given = Object.fromEntries(typed.map(({ name }) => [name, command.getOptionValue(keyOf(name)) as unknown]));
  return { ...preset, ...(await readConfig(command.getOptionValue('config') as string | undefined)), ...given };
}

const DEFAULT_FILE = 'throughline.config.json';

/** Reads options from a configuration file: `file`, or the default one if it exists. */
export async function readConfig(file: string | undefined): Promise<OptionsInput> {
  const path = file ?? DEFAULT_FILE;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (file === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new UsageError(
      'bad-config',
      `Could not read the configuration "${path}" (${whyUnreadable(error)}). Check the path.`,
      { cause: error },
    );
  }
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(
      'bad-config',
      `Expected JSON in "${path}", found a mistake (${(error as Error).message}). Correct it.`,
      {
        cause: error,
      },
    );
  }
  const parsed = configSchema.safeParse(data);
  if (!parsed.success) {
    const names = optionFacts.map(({ name }) => name);
    throw new UsageError('bad-config', flawOfOptions(parsed.error.issues[0], data, names, path));
  }
  // Not `parsed.data`, whose defaults would look as if the file had set them.
  return data as OptionsInput;
}

/** Reads an option that is a whole number from `least` to `most`. */
export function readCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (text.trim() !== '' && Number.isInteger(count) && count >= least && count <= most) return count;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

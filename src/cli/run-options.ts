import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Command, type CommanderError, InvalidArgumentError, Option } from 'commander';
import { UsageError, whyUnreadable } from '../base/index.js';
import {
  badValue,
  configSchema,
  didYouMean,
  flawOfOptions,
  OPTION_GROUPS,
  optionFacts,
  type OptionsInput,
} from '../options/index.js';
import { flawOf } from '../summary/index.js';

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
function wordsOf(key: string): string {
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

/** What is wrong with a command line that commander refused: expected, found, what to do. */
export function refusalOf(error: CommanderError, program: Command, args: readonly string[]): string {
  const command = commandOf(program, args);
  const name = nameOf(command);
  const help = `"${name} --help" tells more.`;
  const text = error.message.replace(/^error: /, '');
  const quoted = /'([^']*)'/.exec(text)?.[1] ?? '';
  const flag = /^(?:required )?option '(?:-\w, )?(--[\w-]+)/.exec(text)?.[1] ?? quoted;
  switch (error.code) {
    case 'commander.unknownCommand':
      return unknownCommand(quoted, command);
    case 'commander.unknownOption':
      return unknownOption(quoted, command, help);
    case 'commander.missingArgument': {
      const argument = command.registeredArguments.find((each) => each.name() === quoted);
      return `Expected ${argument?.description || quoted} after "${name}", found nothing. ${help}`;
    }
    case 'commander.optionMissingArgument':
      return `Expected a value after ${flag}, found none. ${help}`;
    case 'commander.missingMandatoryOptionValue':
      return `Expected ${flag}, found none. ${choicesOf(command, flag) ?? help}`;
    case 'commander.conflictingOption': {
      const other = /with option '(--[\w-]+)/.exec(text)?.[1];
      return `Expected ${flag} or ${other}, found both. Leave one out.`;
    }
    case 'commander.excessArguments':
      return tooMany(command, help);
    case 'commander.invalidArgument':
      return invalidValue(text) ?? text;
    default:
      return text;
  }
}

/** The command that the first words of a command line name. */
function commandOf(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const word of args) {
    const next = command.commands.find((each) => each.name() === word);
    if (!next) break;
    command = next;
  }
  return command;
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function unknownCommand(found: string, command: Command): string {
  // A folder instead of a command: suggest what most people want with one.
  if (!command.parent && existsSync(found))
    return `Expected a command, found "${found}". To summarise it: throughline summarize "${found}"`;
  const names = command.commands.map((each) => each.name());
  const after = command.parent ? ` after "${nameOf(command)}"` : '';
  return `Expected a command${after}, found "${found}".${didYouMean(found, names)} "${nameOf(command)} --help" lists them.`;
}

function unknownOption(found: string, command: Command, help: string): string {
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const isOfRun = optionFacts.some(({ name }) => `--${wordsOf(name)}` === found);
  if (!command.parent && isOfRun)
    return `Expected a command before ${found}, found none. Put it first, as in: throughline summarize FOLDER ${found} …`;
  return `Expected an option of "${nameOf(command)}", found "${found}".${didYouMean(found, [...flags, '--help'])} ${help}`;
}

function tooMany(command: Command, help: string): string {
  const most = command.registeredArguments.length;
  const found = command.args.map((each) => `"${each}"`).join(', ');
  if (most === 0) return `Expected nothing after "${nameOf(command)}" but options, found ${found}. ${help}`;
  const count = most === 1 ? 'one argument' : `${most} arguments`;
  return `Expected ${count} after "${nameOf(command)}", found ${found}. Put a path that contains spaces in quotes.`;
}

function choicesOf(command: Command, flag: string): string | null {
  const choices = command.options.find(({ long }) => long === flag)?.argChoices;
  return choices ? `Choose one of ${choices.join(', ')}.` : null;
}

/** Parses commander's message about a bad value; the value may contain anything. */
function invalidValue(text: string): string | null {
  const inOption = /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s.exec(text);
  const inArgument = /^command-argument value '(.*)' is invalid for argument '([^']*)'\. (.*)$/s.exec(text);
  const what = inOption?.[1] ?? inArgument?.[2];
  const found = inOption?.[2] ?? inArgument?.[1];
  const why = inOption?.[3] ?? inArgument?.[3];
  if (what === undefined || found === undefined || why === undefined) return null;
  const choices = /^Allowed choices are (.*)\.$/.exec(why)?.[1];
  if (choices !== undefined)
    return `Expected ${what} to be one of ${choices}, found "${found}".${didYouMean(found, choices.split(', '))}`;
  const expected = why.replace(/^Expected /, 'expected ').replace(/(?:, found ".*")?\.$/s, '');
  return `${what}: ${expected}, found "${found}".`;
}

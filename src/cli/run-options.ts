import { type Command, InvalidArgumentError, Option } from 'commander';

import { optionFacts, type OptionsInput } from '../options.js';
import { readConfig } from './config.js';

type OptionName = (typeof optionFacts)[number]['name'];

/** Gives a command the options of a run, or some of them, as declared in `options.ts`, and those of every command. */
export function addRunOptions(command: Command, names?: readonly OptionName[]): Command {
  return addDeclared(command, names)
    .addOption(
      new Option(
        '--config <FILE>',
        'read options from this file (default: throughline.config.json, where there is one)',
      ),
    )
    .addOption(new Option('--json', 'print one JSON event a line, for programs').conflicts('quiet'))
    .addOption(new Option('--quiet', 'print nothing but errors'))
    .exitOverride();
}

/** Gives a command declared options and nothing else: what is not typed is not there, whatever a configuration says. */
export function addDeclared(command: Command, names?: readonly OptionName[]): Command {
  for (const fact of optionFacts) {
    if (names && !names.includes(fact.name)) continue;
    const name = fact.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const shown =
      fact.defaultValue === undefined || typeof fact.defaultValue === 'boolean'
        ? ''
        : ` (default: ${String(fact.defaultValue)})`;
    const flag =
      fact.placeholder === undefined
        ? fact.defaultValue === true
          ? `--no-${name}`
          : `--${name}`
        : `--${name} <${fact.placeholder}>`;
    const description =
      fact.defaultValue === true
        ? `Do not ${fact.description.charAt(0).toLowerCase()}${fact.description.slice(1)}`
        : fact.description;
    const option = new Option(flag, description + shown);
    if (fact.isList) option.argParser((text: string, before: unknown[] | undefined) => readMore(fact, text, before));
    else if (fact.placeholder !== undefined) option.argParser((text: string) => readValue(fact, text));
    command.addOption(option);
  }
  return command;
}

/** Text as number where the option wants one; the schema has the last word. */
function readValue(fact: (typeof optionFacts)[number], text: string): unknown {
  const asNumber = text.trim() === '' ? NaN : Number(text);
  for (const candidate of [text, ...(Number.isFinite(asNumber) ? [asNumber] : [])]) {
    if (fact.schema.safeParse(candidate).success) return candidate;
  }
  const problem =
    fact.schema.safeParse(Number.isFinite(asNumber) ? asNumber : text).error?.issues[0]?.message ?? 'not understood';
  throw new InvalidArgumentError(`${problem}.`);
}

/** One more value of an option that may be given several times. */
function readMore(fact: (typeof optionFacts)[number], text: string, before: readonly unknown[] = []): unknown[] {
  const problem = fact.schema.safeParse([text]).error?.issues[0]?.message;
  if (problem !== undefined) throw new InvalidArgumentError(`${problem}.`);
  return [...before, text];
}

/** What the configuration file says, outranked by what was typed. */
export async function optionsOf(command: Command): Promise<OptionsInput> {
  const typed = optionFacts.filter(({ name }) => command.getOptionValueSource(name) === 'cli');
  const given = Object.fromEntries(typed.map(({ name }) => [name, command.getOptionValue(name) as unknown]));
  return { ...(await readConfig(command.getOptionValue('config') as string | undefined)), ...given };
}

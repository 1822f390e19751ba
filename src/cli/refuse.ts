import { existsSync } from 'node:fs';
import type { Command, CommanderError } from 'commander';

import { didYouMean, optionFacts } from '../options/index.js';
import { wordsOf } from './run-options.js';

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

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';

import { allPages } from '../scripts/figures.js';
import { createProgram } from '../src/cli/index.js';
import { OPTION_GROUPS, optionFacts } from '../src/options/index.js';

const home = resolve(import.meta.dirname, '..');
const program = createProgram(() => undefined);

/** Command lines that a page shows, in blocks or in a sentence, each with what precedes it cut off. */
function commandsOf(text: string): string[] {
  const blocks = [...text.matchAll(/^(?:```(?:sh|bash)?\n(.*?)^```|((?: {4}.*\n)+))/gms)].map(([, fenced, plain]) => fenced ?? plain!); // prettier-ignore
  const inBlocks = blocks.flatMap((block) => block.replace(/\\\n\s*/g, ' ').split('\n'));
  const inSentences = [...text.replace(/```.*?```/gs, '').matchAll(/`((?:npx )?throughline [^`]+)`/g)].map(([, line]) => line!); // prettier-ignore
  return [...inBlocks, ...inSentences].flatMap((line) => {
    const found = /^\s*(?:\$ |[A-Z_]+=\S+ )*(?:npx )?throughline (.+)$/.exec(line);
    return found ? [found[1]!.replace(/\s(?:#|\||>|&&|;).*$/, '')] : [];
  });
}

/** What a shell would make of a line, as far as pages need it. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare!);
}

/** What the program would not understand of a command line, or `null`. Words in capitals stand for something. */
function complaint(line: string): string | null {
  const words = wordsOf(line);
  let command: Command = program;
  while (command.commands.length > 0) {
    const name = words.shift();
    if (name === undefined || name === '--version' || name === '--help' || name === '…') return null;
    const next = command.commands.find((each) => each.name() === name);
    if (!next) return `there is no command "${name}"`;
    command = next;
  }
  while (words.length > 0) {
    const [flag = '', glued] = words.shift()!.split('=');
    if (!/^--?[a-z]/.test(flag) || flag === '--help') continue;
    const option = command.options.find(({ long, short }) => long === flag || short === flag);
    if (!option) return `${command.name()} has no option ${flag}`;
    if (!option.required) continue;
    const value = glued ?? words.shift();
    if (value === undefined) continue;
    const stands = /^[A-Z<…$.]|[|]/.test(value);
    try {
      if (!stands) option.parseArg?.(value, undefined);
    } catch (error) {
      return (error as Error).message;
    }
  }
  return null;
}

/** Every option of a command and of the commands below it. */
function optionsOf(command: Command): string[] {
  return [...command.options.map(({ long }) => long!), ...command.commands.flatMap(optionsOf)];
}

/** Options that a page names in a sentence: in code that begins with one, or with a command. */
function flagsOf(text: string): string[] {
  const commands = program.commands.map((each) => each.name()).join('|');
  const spans = text.replace(/```.*?```/gs, '').match(new RegExp(`\`(?:(?:${commands}) [^\`]*)?--[a-z][^\`]*\``, 'g'));
  return (spans ?? []).flatMap((span) => span.match(/(?<![\w-])--[a-z][a-z0-9-]*/g) ?? []);
}

/** Options of other programs that pages name. */
const FOREIGN = ['--check', '--help', '--version'];

describe('options that pages name', () => {
  const known = new Set([...optionsOf(program), ...FOREIGN]);
  const named = allPages().flatMap((page) =>
    flagsOf(readFileSync(join(home, page), 'utf8')).map((flag) => ({ page, flag })),
  );

  it('are ones the program has', () => {
    expect(named.length).toBeGreaterThan(150);
    const wrong = named.filter(({ flag }) => !known.has(flag)).map(({ page, flag }) => `${page}: ${flag}`);
    expect(wrong).toEqual([]);
  });

  it('are found in a sentence, with and without a value', () => {
    const sentence = 'With `--lenght 3s`, `--no-balanse` or `export --handels`; not `mkvmerge --chapters`.';
    expect(flagsOf(sentence)).toEqual(['--lenght', '--no-balanse', '--handels']);
  });
});

describe('the page on editing systems', () => {
  it('names tests that exist', () => {
    const rows = readFileSync(join(home, 'docs/editors.md'), 'utf8').matchAll(/\| `(\S+\.test\.ts)`: (.+) \|$/gm);
    const named = [...rows].map(([, file, test]) => ({ file: file!, test: test! }));
    expect(named.length).toBeGreaterThan(10);
    const missing = named.filter(({ file, test }) => !readFileSync(join(home, file), 'utf8').includes(`'${test}'`));
    expect(missing).toEqual([]);
  });
});

describe('the glossary', () => {
  it('has every word once, in alphabetical order', () => {
    const rows = readFileSync(join(home, 'docs/glossary.md'), 'utf8').matchAll(/^\| ([a-z][^|]*) \|/gm);
    const words = [...rows].map(([, word]) => word!).slice(1);
    expect(words.length).toBeGreaterThan(30);
    expect(words).toEqual([...new Set(words)].sort());
  });
});

describe('declared options', () => {
  it('stand in a group, and say what switching them off does', () => {
    for (const { name, group, off, defaultValue } of optionFacts) {
      expect(Object.keys(OPTION_GROUPS), name).toContain(group);
      expect(off !== undefined, name).toBe(defaultValue === true);
    }
  });

  it('are shown in their groups, a switch by what it does', () => {
    const help = program.commands.find((each) => each.name() === 'summarize')!.helpInformation();
    for (const heading of Object.values(OPTION_GROUPS)) expect(help).toContain(`\n${heading}:\n`);
    expect(help).toMatch(/--no-balance +In the film of the topic, go by rank alone/);
    expect(help).toMatch(/--no-relate +Every video counts once/);
    expect(help).not.toContain('Do not let');
  });
});

describe('commands that pages show', () => {
  const pages = allPages();
  const shown = pages.flatMap((page) =>
    commandsOf(readFileSync(join(home, page), 'utf8')).map((line) => ({ page, line })),
  );

  it('are found', () => {
    expect(shown.length).toBeGreaterThan(80);
    expect(new Set(shown.map(({ page }) => page)).size).toBeGreaterThan(12);
  });

  it('are ones the program knows, with options it has and values it takes', () => {
    const wrong = shown.flatMap(({ page, line }) => {
      const why = complaint(line);
      return why === null ? [] : [`${page}: throughline ${line}: ${why}`];
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['summarise ./paris', 'there is no command "summarise"'],
    ['summarize ./paris --lenght 3s', 'summarize has no option --lenght'],
    ['topic grow ./paris', 'there is no command "grow"'],
    ['summarize ./paris --method magic', 'Expected --method to be one of cvs'],
    ['export a.json --format avi', 'Allowed choices are'],
  ])('would be caught: %s', (line, why) => expect(complaint(line)).toContain(why));
});

/**
 * Writes the reference pages from the declarations they describe: options, and the schemas of summaries and timelines;
 * and the rules of lint from the table of who may import whom (scripts/zones.ts).
 * With `--check` it changes nothing and fails where a page is out of date, a figure does not stand where it comes from
 * (scripts/figures.ts), a link in any page leads nowhere, or no page leads to a page.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

import { timelineSchema } from '../src/export/index.js';
import { networkRecord } from '../src/features/index.js';
import { optionFacts } from '../src/options/index.js';
import { projectDocument } from '../src/project/index.js';
import { summaryDocument, topicsDocument } from '../src/summary/index.js';
import { allPages, checkFigures, fillBlocks } from './figures.js';
import { zoneRules } from './zones.js';

const home = resolve(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const problems: string[] = [];

publish('docs/reference/options.md', optionsPage());
publish('docs/reference/summary-file.md', summaryPage());
publish('docs/reference/summary.1.schema.json', schemaText(summaryDocument));
publish('docs/reference/topic.1.schema.json', schemaText(projectDocument));
publish('docs/reference/topics.1.schema.json', schemaText(topicsDocument));
publish('docs/reference/timeline.1.schema.json', schemaText(timelineSchema));
publish('docs/reference/network.1.schema.json', schemaText(networkRecord));
publish('.oxlintrc.json', lintText());
const reached = new Set(['README.md']);
for (const page of allPages()) checkPage(page);
for (const page of allPages()) if (!reached.has(page)) problems.push(`${page}: no other page leads here.`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** The rules of lint as they stand, those for files of `src/` made anew from the table of who may import whom. */
function lintText(): string {
  const file = join(home, '.oxlintrc.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { overrides: { files: string[] }[] };
  const kept = config.overrides.filter(({ files }) => !files.every((each) => each.startsWith('src/')));
  const text = JSON.stringify({ ...config, overrides: [...zoneRules(), ...kept] }, null, 2);
  // Lists of names stay on a line.
  return `${text.replaceAll(/\[\s+("[^[\]{}]*")\s+\]/g, (_, list: string) => `[${list.replaceAll(/\s+/g, ' ')}]`)}\n`;
}

/** A schema for other programs: what a file must be to be read. */
function schemaText(schema: z.ZodType): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { io: 'output' }), null, 2)}\n`;
}

function publish(path: string, text: string): void {
  const file = join(home, path);
  if (!isCheck) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    problems.push(`${path} is out of date: run "npm run docs".`);
  }
}

function optionsPage(): string {
  const rows = optionFacts.map(({ name, description, placeholder, unit, defaultValue, affectsResult }) => {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const typed =
      placeholder === undefined ? (defaultValue === true ? `--no-${flag}` : `--${flag}`) : `--${flag} ${placeholder}`;
    const shown = defaultValue === undefined ? '' : `\`${String(defaultValue)}\``;
    return `| \`${typed.replaceAll('|', '\\|')}\` | \`${name}\` | ${shown}${unit ? ` ${unit}` : ''} | ${affectsResult ? 'yes' : 'no'} | ${description.replaceAll('|', '\\|')} |`;
  });
  return `# Options

Made by \`npm run docs\` from \`src/options/\`, where every option is declared once. The command line, the configuration
file (\`throughline.config.json\`) and the library take the same ones. The command line outranks the file. "Result" says
whether an option can change what comes out; those are recorded in \`summary.json\`.

| command line | file and library | default | result | what it does |
|---|---|---|---|---|
${rows.join('\n')}

Only on the command line: \`--config FILE\` (another configuration file), \`--json\` (one event a line), \`--quiet\`.
`;
}

function summaryPage(): string {
  const lines: string[] = [];
  const walk = (schema: z.ZodType, path: string, said = schema.description): void => {
    if (schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodObject) {
      lines.push(`| \`${path}\` | ${said ?? ''} |`);
      return walk(schema.unwrap() as z.ZodType, path);
    }
    if (schema instanceof z.ZodObject) {
      for (const [key, value] of Object.entries(schema.shape)) walk(value as z.ZodType, path ? `${path}.${key}` : key);
      return;
    }
    if (schema instanceof z.ZodArray) return walk(schema.element as z.ZodType, `${path}[]`);
    if (schema instanceof z.ZodNullable) return walk(schema.unwrap() as z.ZodType, `${path}?`, said);
    lines.push(`| \`${path}\` | ${(said ?? '').replaceAll('|', '\\|')} |`);
  };
  walk(summaryDocument, '');
  return `# The summary file

Every run writes \`summary.json\`, schema \`summary.1\`: what went in, with which options, and what came out. Times are whole
ticks of a time base (\`base.num / base.den\` seconds a tick) on the file's own clock; ranges are half-open, \`[start, end)\`.
\`parseSummary\` reads it back and names what is wrong with a file that was edited by hand. A machine-readable form is
[summary.1.schema.json](summary.1.schema.json). \`?\` marks fields that may be \`null\`, \`[]\` lists.

Made by \`npm run docs\` from \`src/summary/document.ts\`.

| field | meaning |
|---|---|
${lines.join('\n')}
`;
}

/** Blocks hold what their files do, figures stand where they come from, links lead somewhere. */
function checkPage(page: string): void {
  const text = readFileSync(join(home, page), 'utf8');
  const filled = fillBlocks(text);
  if (filled !== text) publish(page, filled);
  problems.push(...checkFigures(page, filled));
  for (const [, target = '', heading] of text
    .replace(/```.*?```/gs, '')
    .matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const there = target === '' ? page : join(dirname(page), target);
    if (there !== page) reached.add(there);
    if (!existsSync(join(home, there))) problems.push(`${page}: the link to "${target}" leads nowhere.`);
    else if (heading !== undefined && there.endsWith('.md') && !headingsOf(there).includes(heading))
      problems.push(`${page}: "${there}" has no heading "#${heading}".`);
  }
}

/** The headings of a page as links name them: small letters, dashes for spaces, nothing else. */
function headingsOf(page: string): string[] {
  const text = readFileSync(join(home, page), 'utf8').replace(/```.*?```/gs, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(
    ([, heading = '']) =>
    heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/ /g, '-'), // prettier-ignore
  );
}

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { longerTable } from '../bench/longer.js';
import { tableText } from '../bench/table.js';

const home = resolve(import.meta.dirname, '..');
const BLOCK = /(<!-- from: (\S+) -->\n).*?(<!-- end: \2 -->)/gs;
const CLAIM = /<!-- figures: (\S+)((?: [\d.,]+(?:=\S+)?)+) -->/g;
const COMMENT = /<!--.*?-->/gs;
const GIVEN = /<!-- given: ([^>]+) -->/g;
/** What a bench says of machine, versions and date: no figures of its own. */
const FACTS = /"facts": \[[^\]]*\]|[^.\n]*\d threads, \d+ GB, Node.*?load before [\d.]+/g;
const NUMBER = /\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?/g;

/** Numbers with a unit, several if they share it; scores; counts out of so many. Sizes such as 64 × 36 are none. */
const ONE = String.raw`\d(?:[\d,]*\d)?(?:\.\d+)?`;
const NUMBERS = String.raw`(?<![\w.,#@-])${ONE}(?:(?: to| and| or| \/|–)? ?${ONE})*`;
const UNIT = String.raw`(?:CPU-(?:ms|s|h)|m?s|min|h|(?:milli)?seconds?|minutes?|hours?|[kKMGTPE]?B|bytes|kilobytes?|GFLOPS|times|faster|slower|%|×(?! ?\w))`;
const MEASUREMENT = new RegExp(
  String.raw`${NUMBERS}[\s ]?${UNIT}(?![\w·-])|(?<![\w.,-])0\.\d\d+(?!\w|\.\d)|(?<![\w.,@])\d[\d,]* of \d(?:[\d,]*\d)?(?!\w|\.\d)`,
  'g',
);

/** Every page of the repository, by its path. */
export function allPages(): string[] {
  const inDocs = readdirSync(join(home, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)); // prettier-ignore
  return [...inDocs, ...readdirSync(home), 'models/README.md', 'examples/README.md'].filter((name) =>
    name.endsWith('.md'),
  );
}

/**
 * A page with its blocks `from: FILE` … `end: FILE` as those files are now. `FILE.md#6`: of the first six columns of its first
 * table; `FILE.txt#WORD`: of its indented lines only those with the word.
 */
export function fillBlocks(text: string): string {
  return text.replace(BLOCK, (_, begin: string, file: string, end: string) => `${begin}\n${blockOf(file)}\n\n${end}`);
}

/** Fills the blocks of all pages, in place. */
export function fillPages(): void {
  for (const page of allPages()) {
    const text = readFileSync(join(home, page), 'utf8');
    const filled = fillBlocks(text);
    if (filled !== text) writeFileSync(join(home, page), filled);
  }
}

function blockOf(file: string): string {
  if (file === 'bench/results.json') return tableText();
  if (file === 'bench/longer.ts') return longerTable();
  const [path = '', part] = file.split('#');
  const text = readFileSync(join(home, path), 'utf8').trimEnd();
  if (path.endsWith('.md')) return part === undefined ? text : firstTable(text, Number(part));
  const kept = part === undefined ? text : text.split('\n').filter((line) => !line.startsWith(' ') || line.includes(part)).join('\n'); // prettier-ignore
  return `\`\`\`text\n${kept}\n\`\`\``;
}

/** The first columns of the first table, without its intervals. */
function firstTable(text: string, columns: number): string {
  const rows = /(?:^\|.*\n)+/m.exec(`${text}\n`)![0].trimEnd().split('\n').map((row) => row.split('|').slice(1, -1)); // prettier-ignore
  const shown = rows[0]!.flatMap((head, at) => (at < columns && !/^\s*\d+ %/.test(head) ? [at] : []));
  return rows.map((cells) => `|${shown.map((at) => cells[at]).join('|')}|`).join('\n');
}

/** What is wrong with the figures of a page: claims that no file backs, and measurements without a claim. */
export function checkFigures(page: string, text: string, read = readResults): string[] {
  return [...checkClaims(page, text, read), ...checkMeasurements(page, text)];
}

/**
 * `figures: FILE 1.4 270` says that those figures, which the page states, were
 * printed by a bench: they are in the file, rounded to as many digits as the page gives. `0.09=28.4/300` is worked out from
 * one that was printed, by multiplying and dividing.
 */
function checkClaims(page: string, text: string, read: typeof readResults): string[] {
  return [...text.matchAll(CLAIM)].flatMap(([, file = '', list = '']) => {
    const printed = read(file);
    if (printed === null) return [`${page}: there is no "${file}" for its figures to come from.`];
    const known = (printed.replace(FACTS, '').match(NUMBER) ?? []).map(valueOf);
    const isKnown = (figure: string): boolean => known.some((value) => isRounded(value, figure));
    const stated = new Set(text.replace(COMMENT, '').match(NUMBER));
    return list
      .trim()
      .split(' ')
      .flatMap((each) => {
        const [figure = '', from] = each.split('=');
        const source = from?.split(/[*/]/, 1)[0] ?? figure;
        if (!isKnown(source)) return [`${page}: "${source}" is not in ${file}. Measure again, or correct the page.`];
        if (from !== undefined && !isRounded(workOut(from), figure)) return [`${page}: "${figure}" is not ${from}.`];
        return stated.has(figure) ? [] : [`${page}: names "${figure}" of ${file} as a figure, but does not state it.`];
      });
  });
}

/**
 * Measurements in no block that no claim names. What only looks like one is listed in `given: 60 s; 15 %`: a limit, a default,
 * a size by definition, a quotation. Not looked at: code, figures in words, bare numbers, and numbers whose unit is in the
 * head of a table.
 */
function checkMeasurements(page: string, text: string): string[] {
  if (page === 'docs/reference/options.md') return []; // written from the declarations
  const claimed = new Set(
    [...text.matchAll(CLAIM)].flatMap(([, , list = '']) => list.split(' ').map((each) => each.split('=')[0])),
  );
  const given = [...text.matchAll(GIVEN)].flatMap(([, list = '']) => list.split('; '));
  const found = proseOf(text)
    .match(MEASUREMENT)
    ?.map((each) => each.replace(/\s+/g, ' ')) ?? []; // prettier-ignore
  const bare = found.filter((each) => !given.includes(each) && each.match(NUMBER)!.some((one) => !claimed.has(one)));
  return [
    ...[...new Set(bare)].map((each) => `${page}: "${each}" looks measured, but no "figures:" names where it comes from.`),
    ...given.filter((each) => !found.includes(each)).map((each) => `${page}: "given: ${each}" is not in the page.`),
  ]; // prettier-ignore
}

/** A page without blocks, comments and code: spans, fences, and indented blocks that begin with a command. */
function proseOf(text: string): string {
  return text
    .replace(BLOCK, '')
    .replace(COMMENT, '')
    .replace(/^```.*?^```/gms, '')
    .replace(/(?<=\n\n) {4}(?:\$ |throughline |npm |npx |node |export )(?:.*\n)(?: {4}.*\n|\n(?= {4}))*/g, '')
    .replace(/`[^`]*`/g, '`');
}

function readResults(file: string): string | null {
  return existsSync(join(home, file)) ? readFileSync(join(home, file), 'utf8') : null;
}

function workOut(product: string): number {
  return product
    .split(/(?=[*/])/)
    .map((part) => (part[0] === '*' ? valueOf(part.slice(1)) : part[0] === '/' ? 1 / valueOf(part.slice(1)) : valueOf(part)))
    .reduce((value, factor) => value * factor); // prettier-ignore
}

const valueOf = (figure: string): number => Number(figure.replaceAll(',', ''));
const decimalsOf = (figure: string): number => figure.split('.')[1]?.length ?? 0;
const isRounded = (value: number, figure: string): boolean =>
  value.toFixed(decimalsOf(figure)) === valueOf(figure).toFixed(decimalsOf(figure));

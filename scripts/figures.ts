import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { tableText } from '../bench/table.js';

const home = resolve(import.meta.dirname, '..');
const BLOCK = /(<!-- from: (\S+) -->\n).*?(<!-- end: \2 -->)/gs;
const CLAIM = /<!-- figures: (\S+)((?: [\d.,−]+)+) -->/g;
const NUMBER = /\d[\d,]*(?:\.\d+)?/g;

/** Every page of the repository, by its path. */
export function allPages(): string[] {
  const inDocs = readdirSync(join(home, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)); // prettier-ignore
  return [...inDocs, ...readdirSync(home), 'models/README.md', 'examples/README.md'].filter((name) =>
    name.endsWith('.md'),
  );
}

/** A page with its blocks `from: FILE` … `end: FILE` as those files stand. */
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
  return `\`\`\`text\n${readFileSync(join(home, file), 'utf8').trimEnd()}\n\`\`\``;
}

/**
 * What is wrong with the figures a page claims. `figures: FILE 1.4 270` says that those figures, which the page states, were
 * printed by a bench: they stand in the file, rounded to as many digits as the page gives.
 */
export function checkFigures(page: string, text: string, read = readResults): string[] {
  return [...text.matchAll(CLAIM)].flatMap(([claim, file = '', list = '']) => {
    const printed = read(file);
    if (printed === null) return [`${page}: there is no "${file}" for its figures to come from.`];
    const known = (printed.match(NUMBER) ?? []).map(valueOf);
    const stated = new Set(text.replace(claim, '').match(NUMBER));
    return list
      .trim()
      .split(' ')
      .flatMap((figure) => {
        const isKnown = known.some((value) => value.toFixed(decimalsOf(figure)) === valueOf(figure).toFixed(decimalsOf(figure))); // prettier-ignore
        if (!isKnown) return [`${page}: "${figure}" does not stand in ${file}. Measure again, or correct the page.`];
        return stated.has(figure) ? [] : [`${page}: names "${figure}" of ${file} as a figure, but does not state it.`];
      });
  });
}

function readResults(file: string): string | null {
  return existsSync(join(home, file)) ? readFileSync(join(home, file), 'utf8') : null;
}

const valueOf = (figure: string): number => Number(figure.replaceAll(',', ''));
const decimalsOf = (figure: string): number => figure.split('.')[1]?.length ?? 0;

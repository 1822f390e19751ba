import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one table of docs/benchmarks.md, as measured last: every part with what it was measured on. */
const FILE = join(import.meta.dirname, 'results.json');
const PARTS = ['solver', 'pipeline', 'memory'] as const;
export type PartName = (typeof PARTS)[number];

/** A line of the table: what was measured, on what, and what came out. */
export type Row = readonly [what: string, on: string, figure: string];

/** A part of the table. Rows are empty where its data was not there, which `remark` says. */
export type Part = {
  readonly command: string;
  readonly facts: readonly string[];
  readonly rows: readonly Row[];
  readonly remark?: string;
};

export const partNames: readonly PartName[] = PARTS;

/** Puts a part in place of what was measured of it before. */
export function keepPart(name: PartName, part: Part): void {
  writeFileSync(FILE, `${JSON.stringify({ ...readParts(), [name]: part }, null, 2)}\n`);
}

function readParts(): Partial<Record<PartName, Part>> {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Partial<Record<PartName, Part>>) : {};
}

/** The table as markdown, from what is kept; padded, so that its source is a table too. */
export function tableText(): string {
  const parts = readParts();
  const kept = PARTS.flatMap((name) => (parts[name] ? [{ name, ...parts[name] }] : []));
  if (kept.length === 0) return 'Not measured yet: `npm run bench` writes its table here.';
  const lines: string[][] = [
    ['measured', 'on', 'figure'],
    ...kept.flatMap(({ name, rows }) =>
      rows.map(([what, ...rest]) => [`${name}: ${what}`, ...rest].map((cell) => cell.replaceAll('|', '\\|'))),
    ),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...lines.map((cells) => [...cells[at]!].length)));
  const pad = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell + ' '.repeat(widths[at]! - [...cell].length)).join(' | ')} |`;
  const rule = pad(widths.map((width) => '-'.repeat(width)));
  const remarks = kept.flatMap(({ remark }) => remark ?? []);
  const machines = new Set(kept.map(({ facts }) => facts.slice(0, -1).join(', ')));
  const sources = [...machines].map((machine) => {
    const here = kept.filter(({ facts }) => facts.slice(0, -1).join(', ') === machine);
    const runs = here.map(({ name, command, facts }) => `- ${name}: ${facts.at(-1)}; \`${command}\``);
    return `Measured on ${machine}:\n\n${runs.join('\n')}`;
  });
  return [[pad(lines[0]!), rule, ...lines.slice(1).map(pad)].join('\n'), ...remarks, ...sources].join('\n\n');
}

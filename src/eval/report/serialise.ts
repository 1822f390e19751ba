import { compareTexts, NumericError } from '../../base/index.js';
import type { Benchmark } from '../benchmark.js';

/** Fields that identify a record come first; the others follow by name, so that equal records are equal bytes. */
const FIRST = ['schema', 'id', 'name', 'code', 'video', 'path', 'row', 'shot'];

/** `benchmark.json`: numbers in full, fields in a fixed order, plain lists and records on one line, a final newline. */
export function serialiseBenchmark(benchmark: Benchmark): string {
  return `${write(benchmark, '', 'benchmark')}\n`;
}

function write(value: unknown, indent: string, field: string): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new NumericError(
      'not-finite',
      `Expected a finite number in ${field}, found ${value}. Give null for no value.`,
    );
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const list = Array.isArray(value);
  const items = list
    ? value.map((item, index) => write(item, inner, `${field}[${index}]`))
    : fieldsOf(value).map(([name, item]) => `${JSON.stringify(name)}: ${write(item, inner, `${field}.${name}`)}`);
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  if (items.length === 0 || Object.values(value).every(isPlain)) return `${open}${items.join(', ')}${close}`;
  return `${open}\n${items.map((item) => inner + item).join(',\n')}\n${indent}${close}`;
}

function fieldsOf(record: object): [string, unknown][] {
  const placeOf = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return Object.entries(record)
    .filter(([, item]) => item !== undefined)
    .sort(([one], [other]) => placeOf(one) - placeOf(other) || compareTexts(one, other));
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

const LONGEST_CHARS = 200;
const DEEPEST = 4;
const MAX_ITEMS = 8;

/** A value from a file, for a message: as JSON, cut where it is long, deep or wide. */
export function valueText(value: unknown): string {
  const text = write(value, DEEPEST);
  return text.length > LONGEST_CHARS ? `${text.slice(0, LONGEST_CHARS)}…` : text;
}

function write(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_CHARS));
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const keys = Object.keys(value);
  if (keys.length > 0 && depth === 0) return `${open}…${close}`;
  const parts = keys.slice(0, MAX_ITEMS).map((key) => {
    const inner = write((value as Record<string, unknown>)[key], depth - 1);
    return isList ? inner : `${write(key, 0)}:${inner}`;
  });
  return `${open}${[...parts, ...(keys.length > MAX_ITEMS ? ['…'] : [])].join(',')}${close}`;
}

/** Replaces control characters, so that a file name can neither move the cursor nor look like another line of output. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

/** Orders texts by their code units, which is the same on every machine, unlike the order of a language. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A cell of a table; `null` is left empty. */
export type CsvCell = string | number | null;

/** A table as CSV (RFC 4180): a line of names, then one line per row. All rows have the same cells as the first. */
export function csvText(rows: readonly Readonly<Record<string, CsvCell>>[]): string {
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  return lines.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

/** Spreadsheets read cells that begin with these signs as formulas; an apostrophe in front makes them text. */
const FORMULA = /^[=+\-@\t\r]/;

function quote(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

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

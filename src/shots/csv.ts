/** A line of a table that is not blank; `line` is its number in the file, from 1. */
type TableLine = { readonly line: number; readonly cells: readonly string[] };

/** Parses CSV into trimmed cells (RFC 4180 quotes). The separator is `,`, `;` or tab, the one most common in the first line. */
export function readTable(text: string): TableLine[] {
  const separator = separatorOf(text.slice(0, text.search(/[\r\n]|$/)));
  const table: TableLine[] = [];
  let [cells, cell, quoted, wasQuoted]: [string[], string, boolean, boolean] = [[], '', false, false];
  // Tracked separately: searching the cell at every quote would take quadratic time for a long cell.
  let isBlank = true;
  let [line, startLine] = [1, 1];
  const endCell = (): void => {
    cells.push(wasQuoted ? cell : cell.trim());
    [cell, wasQuoted, isBlank] = ['', false, true];
  };
  const endLine = (): void => {
    endCell();
    if (cells.some((value) => value !== '')) table.push({ line: startLine, cells });
    cells = [];
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (quoted && char === '"' && text[i + 1] === '"') {
      cell += '"';
      isBlank = false;
      i++;
    } else if (char === '"' && (quoted || isBlank)) {
      if (!quoted) cell = '';
      quoted = !quoted;
      wasQuoted = true;
    } else if (!quoted && char === separator) {
      endCell();
    } else if (!quoted && (char === '\n' || (char === '\r' && text[i + 1] !== '\n'))) {
      endLine();
      startLine = ++line;
    } else if (quoted || char !== '\r') {
      if (char === '\n') line++;
      cell += char;
      isBlank &&= char.trim() === '';
    }
  }
  endLine();
  return table;
}

function separatorOf(header: string): string {
  const count = (separator: string): number => header.split(separator).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

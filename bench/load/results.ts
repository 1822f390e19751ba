/** One size, measured: the line of figures, and the line of the machine it was measured on. */
type Row = { readonly machine: string; readonly line: string };

const sizeOf = ({ line }: Row): number => Number.parseFloat(line);

/**
 * Puts the line of a size in place of an earlier one. Each line stands under the machine it was measured on, and under
 * the load of that hour: lines of another run, or of another part, keep theirs.
 */
export function withRow(
  text: string,
  part: string,
  row: Row,
  { parts, headOf }: { readonly parts: readonly string[]; readonly headOf: (part: string) => string },
): string {
  const rows = readRows(text);
  const others = (rows.get(part) ?? []).filter((other) => sizeOf(other) !== sizeOf(row));
  rows.set(
    part,
    [...others, row].toSorted((a, b) => sizeOf(a) - sizeOf(b)),
  );
  const sections = parts.filter((name) => rows.has(name)).map((name) => {
    const measured = rows.get(name)!;
    const machines = [...new Set(measured.map(({ machine }) => machine))];
    const blocks = machines.flatMap((machine) => {
      const lines = measured.filter((each) => each.machine === machine).map(({ line }) => line);
      return [machine, headOf(name), ...lines];
    });
    return [`== ${name}`, ...blocks, ''].join('\n');
  }); // prettier-ignore
  return sections.join('\n');
}

/** Lines of figures begin with a number; any other is a machine's, or the head below it. */
function readRows(text: string): Map<string, Row[]> {
  const rows = new Map<string, Row[]>();
  for (const section of text.split(/^== /m).slice(1)) {
    const [part, ...lines] = section.split('\n').filter(Boolean);
    let machine = '';
    for (const line of lines) {
      if (/^\s*\d/.test(line)) rows.set(part!, [...(rows.get(part!) ?? []), { machine, line }]);
      else if (!line.trimStart().startsWith(part!)) machine = line;
    }
  }
  return rows;
}

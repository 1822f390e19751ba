/** From this many on, notes that differ only in names and numbers become one. */
const SEVERAL = 3;
/** Names that such a note lists. */
const LISTED = 3;

/**
 * Notes for the reader, in order, with several of one kind as one line: the first of them and a count. Notes are of one kind
 * if they differ only in what is quoted and in numbers.
 */
export function mergeNotes(notes: readonly string[]): string[] {
  const kinds = new Map<string, string[]>();
  for (const note of notes.toSorted()) kinds.set(kindOf(note), [...(kinds.get(kindOf(note)) ?? []), note]);
  return [...kinds.values()].flatMap((alike) => (alike.length < SEVERAL ? alike : [merged(alike)])).sort();
}

/** What notes of one kind have in common. */
function kindOf(note: string): string {
  return note.replaceAll(/"[^"]*"/g, '""').replaceAll(/\d+(?:\.\d+)?/g, '0');
}

function merged([first, ...others]: readonly string[]): string {
  const names = [...new Set(others.flatMap((note) => /"[^"]*"/.exec(note) ?? []))];
  const listed = names.slice(0, LISTED).join(', ');
  const rest = names.length > LISTED ? `${listed}, …` : listed;
  return `${first} The same for ${others.length} more${rest === '' ? '' : `: ${rest}`}.`;
}

const LONGEST_CHARS = 200;
const DEEPEST = 4;
const MOST_ITEMS = 8;

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
  const parts = keys.slice(0, MOST_ITEMS).map((key) => {
    const inner = write((value as Record<string, unknown>)[key], depth - 1);
    return isList ? inner : `${write(key, 0)}:${inner}`;
  });
  return `${open}${[...parts, ...(keys.length > MOST_ITEMS ? ['…'] : [])].join(',')}${close}`;
}

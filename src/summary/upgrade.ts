import { messageOf, UsageError, valueText } from '../base/index.js';

/** A JSON object of any shape. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** One step each: `upgrades[n]` turns a record of version n into one of version n + 1, schema name included. */
export type Upgrades = Readonly<Record<number, (record: RawRecord) => RawRecord>>;

/** Reads the text of a stored record and upgrades it to the current version; `advice` is for text that is not JSON. */
export function readRecord(text: string, about: Parameters<typeof upgradeRecord>[1] & { advice: string }): RawRecord {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (cause) {
    const found = `Expected JSON in "${about.source}", found something else (${messageOf(cause)}).`;
    throw new UsageError('bad-json', `${found} ${about.advice}`, { cause });
  }
  return upgradeRecord(raw, about);
}

/**
 * Upgrades a stored record to version `current` of `kind`, one step at a time. Throws an error that names `source` if the
 * record is of another kind, of a newer version, or too old for the steps.
 */
export function upgradeRecord(
  raw: unknown,
  { kind, current, upgrades, source }: { kind: string; current: number; upgrades: Upgrades; source: string },
): RawRecord {
  const expected = `Expected schema "${kind}.${current}" in "${source}"`;
  let record = raw;
  for (;;) {
    if (!isRecord(record)) {
      throw new UsageError('bad-schema', `${expected}, found no JSON object. Choose a file that Throughline wrote.`);
    }
    const version = versionOf(record, kind);
    if (version === current) return record;
    if (version === null) {
      const found = record['schema'] === undefined ? 'no schema' : `schema ${valueText(record['schema'])}`;
      throw new UsageError('bad-schema', `${expected}, found ${found}. Choose a file that Throughline wrote.`);
    }
    if (version > current) {
      throw new UsageError(
        'newer-schema',
        `${expected}, found the newer ${kind}.${version}. Update Throughline to read it.`,
      );
    }
    const step = upgrades[version];
    if (step === undefined) {
      throw new UsageError(
        'older-schema',
        `${expected}, found ${kind}.${version}, which can no longer be read. Summarise the videos again.`,
      );
    }
    const next = step(record);
    if (versionOf(next, kind) !== version + 1) {
      throw new Error(`The upgrade of ${kind}.${version} must give ${kind}.${version + 1}.`);
    }
    record = next;
  }
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is RawRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function versionOf(record: RawRecord, kind: string): number | null {
  const schema = record['schema'];
  if (typeof schema !== 'string' || !schema.startsWith(`${kind}.`)) return null;
  const version = schema.slice(kind.length + 1);
  return /^(0|[1-9]\d{0,8})$/.test(version) ? Number(version) : null;
}

/** A field as errors name it: `videos[0].shots[3].rank`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, part) =>
      typeof part === 'number' ? `${name}[${part}]` : name === '' ? String(part) : `${name}.${String(part)}`,
    '',
  );
}

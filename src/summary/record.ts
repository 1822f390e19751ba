import type { z } from 'zod';
import { compareTexts, messageOf, type TimeRange, UsageError, valueText } from '../base/index.js';
import {
  type Concept,
  summaryDocument,
  type SummaryDocument,
  type SummaryShot,
  type VideoSummary,
} from './document.js';

/** The version `summaryDocument` describes. When it rises, a step from the version before joins `UPGRADES`. */
const CURRENT = 2;
const UPGRADES: Upgrades = {
  // Version 1 knew neither evidence nor takes: each shot is a take and a view of its own.
  1: (record) => ({ ...record, schema: 'summary.2', videos: mapRecords(record['videos'], withOwnTakes) }),
};

const withOwnTakes = (video: RawRecord): RawRecord => ({
  ...video,
  takes: mapRecords(video['shots'], ({ index, startFrame, endFrame, range }) => ({
    index,
    startFrame,
    endFrame,
    range,
  })),
  shots: mapRecords(video['shots'], (shot) => ({ evidence: null, take: shot['index'], view: shot['index'], ...shot })),
});

/** Changes each object of a list; what is not such a list is left for the schema to refuse. */
function mapRecords(list: unknown, change: (record: RawRecord) => RawRecord): unknown {
  return Array.isArray(list) ? list.map((each: unknown) => (isRecord(each) ? change(each) : each)) : list;
}

/** Reads a `summary.json` of this or an earlier version. `source` names the file in errors. Unknown fields are dropped. */
export function parseSummary(text: string, source = 'summary.json'): SummaryDocument {
  const advice = 'Choose a file that Throughline wrote.';
  const record = readRecord(text, { kind: 'summary', current: CURRENT, upgrades: UPGRADES, source, advice });
  return checkSummary(record, source);
}

/** The text of a `summary.json`: fields in the order of the schema, options by name, two spaces, a final newline. */
export function serialiseSummary(document: SummaryDocument): string {
  const { begin, add, end } = summaryWriter(document.concept);
  return [begin(document), ...document.videos.map(add), end(document)].join('');
}

const headSchema = summaryDocument.pick({ schema: true, throughline: true, topic: true, options: true, model: true });
const tailSchema = summaryDocument.pick({ concept: true, contactSheets: true, skipped: true, notes: true });

/** The part of a `summary.json` before the videos. */
export type SummaryHead = Pick<SummaryDocument, keyof typeof headSchema.shape>;
/** The part of a `summary.json` after the videos. */
export type SummaryTail = Pick<SummaryDocument, keyof typeof tailSchema.shape>;

/** Writes the text of a `summary.json` piece by piece, with only one video in memory. */
export type SummaryWriter = {
  begin(head: SummaryHead): string;
  add(video: VideoSummary): string;
  end(tail: SummaryTail): string;
};

/** Gives the same text as `serialiseSummary`, with the same checks. `concept` is the one that `end` will get. */
export function summaryWriter(concept: Concept | undefined): SummaryWriter {
  const source = 'the summary to write';
  const inFilm = new Set(concept?.shots.map(({ video }) => video));
  const shown: VideoSummary[] = [];
  const ids = new Set<string>();
  return {
    begin(given) {
      const head = parseWith(headSchema, given, source);
      return `${linesOf({ ...head, options: sortKeys(head.options) }).slice(0, -2)},\n  "videos": [`;
    },
    add(given) {
      const place = ids.size;
      const video = parseWith(summaryDocument.shape.videos.element, given, source, ['videos', place]);
      checkOneMore(video, place, ids, source);
      if (inFilm.has(video.id)) shown.push(video);
      return `${place === 0 ? '' : ','}\n    ${linesOf(video).replaceAll('\n', '\n    ')}`;
    },
    end(given) {
      const tail = parseWith(tailSchema, given, source);
      if (tail.concept) checkConcept(tail.concept, shown, source);
      return `${ids.size === 0 ? '' : '\n  '}],${linesOf(tail).slice(1)}\n`;
    },
  };
}

const linesOf = (value: object): string => JSON.stringify(value, null, 2);

function checkSummary(value: unknown, source: string): SummaryDocument {
  const document = parseWith(summaryDocument, value, source);
  const ids = new Set<string>();
  document.videos.forEach((video, place) => checkOneMore(video, place, ids, source));
  if (document.concept) checkConcept(document.concept, document.videos, source);
  return document;
}

function parseWith<T>(schema: z.ZodType<T>, value: unknown, source: string, at: readonly PropertyKey[] = []): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refuse(source, fieldName([...at, ...(issue?.path ?? [])]), issue?.message ?? 'not a summary');
}

function checkOneMore(video: VideoSummary, place: number, ids: Set<string>, source: string): void {
  if (ids.has(video.id))
    throw refuse(source, `videos[${place}].id`, `"${video.id}" is also the id of an earlier video`);
  ids.add(video.id);
  checkVideo(video, `videos[${place}]`, source);
}

/** What the schema cannot check: no empty stretches, takes and shots in order, shots inside their takes, clips without overlap, one clock, ranks 0, 1, 2 … each once. */
function checkVideo(video: VideoSummary, at: string, source: string): void {
  if (video.range.end <= video.range.start) throw refuse(source, `${at}.range`, 'end is not after start');
  for (const list of ['takes', 'shots', 'clips'] as const) {
    let [frame, tick] = [0, video.range.start];
    const placed = [...video[list].entries()];
    // Clips may play in any order; each frame plays once.
    if (list === 'clips') placed.sort(([, a], [, b]) => a.startFrame - b.startFrame);
    placed.forEach(([i, { startFrame, endFrame, range }]) => {
      const field = `${at}.${list}[${i}]`;
      if (startFrame < frame || range.start < tick) throw refuse(source, field, 'begins before the one above it ends');
      if (endFrame <= startFrame) throw refuse(source, `${field}.endFrame`, `${endFrame} is not after ${startFrame}`);
      checkRange(range, video, `${field}.range`, source);
      [frame, tick] = [endFrame, range.end];
    });
    if (frame > video.frames) throw refuse(source, `${at}.${list}`, `frame ${frame} is past the last, ${video.frames}`);
    if (tick > video.range.end)
      throw refuse(source, `${at}.${list}`, `tick ${tick} is past the end, ${video.range.end}`);
  }
  const misplaced = video.shots.findIndex(({ index }, place) => index !== place);
  if (misplaced >= 0) {
    const { index } = video.shots[misplaced]!;
    throw refuse(source, `${at}.shots[${misplaced}].index`, `${index} is not its place, ${misplaced}`);
  }
  const strange = video.shots.findIndex(({ take, startFrame, endFrame }) => {
    const whole = video.takes[take];
    return whole === undefined || startFrame < whole.startFrame || endFrame > whole.endFrame;
  });
  if (strange >= 0) throw refuse(source, `${at}.shots[${strange}].take`, 'the shot is not inside that take');
  const ranks = video.shots.map((shot) => shot.rank).toSorted((a, b) => a - b);
  const wrong = ranks.findIndex((rank, i) => rank !== i);
  if (wrong >= 0) throw refuse(source, `${at}.shots`, `rank ${wrong} is missing or given twice`);
}

/** Ticks of one video are compared directly, so all of them must count in one base. */
function checkRange({ start, end, base }: TimeRange, video: VideoSummary, field: string, source: string): void {
  if (end <= start) throw refuse(source, field, 'end is not after start');
  const { num, den } = video.range.base;
  if (base.num !== num || base.den !== den) {
    throw refuse(source, `${field}.base`, `${base.num}/${base.den} is not the video’s ${num}/${den}`);
  }
}

/** Checks that the film of the topic plays stretches of the videos, and that no rank is given twice. */
function checkConcept({ shots, pooled, frames }: Concept, videos: readonly VideoSummary[], source: string): void {
  const byId = new Map(videos.map((video) => [video.id, video]));
  const ranks = new Set<number>();
  shots.forEach(({ video: id, shot, startFrame, endFrame, range, filmFrame, rank }, i) => {
    const at = `concept.shots[${i}]`;
    const video = byId.get(id);
    if (video === undefined) throw refuse(source, `${at}.video`, `there is no video "${id}"`);
    if (shot >= video.shots.length) throw refuse(source, `${at}.shot`, `"${id}" has ${video.shots.length} shots`);
    if (endFrame <= startFrame) throw refuse(source, `${at}.endFrame`, `${endFrame} is not after ${startFrame}`);
    checkRange(range, video, `${at}.range`, source);
    const isInside = endFrame <= video.frames && range.start >= video.range.start && range.end <= video.range.end;
    if (!isInside) throw refuse(source, at, `it reaches past an end of "${id}"`);
    if (filmFrame >= frames) throw refuse(source, `${at}.filmFrame`, `${filmFrame} is past the last, ${frames}`);
    if (ranks.has(rank) || rank >= pooled) throw refuse(source, `${at}.rank`, `${rank} is given twice or too high`);
    ranks.add(rank);
  });
}

function refuse(source: string, field: string, found: string): UsageError {
  return new UsageError(
    'bad-summary',
    `Expected a valid ${field} in "${source}", found a problem: ${found}. Correct that field, or summarise again.`,
  );
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => compareTexts(a, b));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

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

/** A JSON object of any shape. */
type RawRecord = Readonly<Record<string, unknown>>;

/** One step each: `upgrades[n]` turns a record of version n into one of version n + 1, schema name included. */
type Upgrades = Readonly<Record<number, (record: RawRecord) => RawRecord>>;

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
function isRecord(value: unknown): value is RawRecord {
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

/** How the summary of one video differs between two records. Shots are those of the record that has them. */
export type SummaryChange = {
  readonly video: string;
  readonly kind: 'added' | 'removed' | 'moved' | 'same';
  /** Shots that are in the summary now and were not before, and the reverse, in film order. */
  readonly came: readonly SummaryShot[];
  readonly went: readonly SummaryShot[];
  /** Shots in both. */
  readonly kept: number;
};

/**
 * How the summary of each video differs between two records, in the order of the later one, removed videos last. Videos
 * are identified by content and shots by their frames, so a new name or place makes no difference.
 */
export function compareSummaries(before: SummaryDocument | null, after: SummaryDocument): SummaryChange[] {
  const earlier = new Map(before?.videos.map((video) => [video.sha256, video]));
  const changes = after.videos.map((video) => {
    const known = earlier.get(video.sha256) ?? null;
    earlier.delete(video.sha256);
    return compareVideos(known, video);
  });
  return [...changes, ...[...earlier.values()].map((video) => compareVideos(video, null))];
}

function compareVideos(before: VideoSummary | null, after: VideoSummary | null): SummaryChange {
  const [old, now] = [chosenOf(before), chosenOf(after)];
  const [oldKeys, nowKeys] = [new Set(old.map(keyOf)), new Set(now.map(keyOf))];
  const came = now.filter((shot) => !oldKeys.has(keyOf(shot)));
  const went = old.filter((shot) => !nowKeys.has(keyOf(shot)));
  const moved = came.length + went.length > 0 ? 'moved' : 'same';
  return {
    video: (after ?? before)!.path,
    kind: before === null ? 'added' : after === null ? 'removed' : moved,
    came,
    went,
    kept: now.length - came.length,
  };
}

function chosenOf(video: VideoSummary | null): SummaryShot[] {
  return video?.shots.filter((shot) => shot.chosen) ?? [];
}

function keyOf({ startFrame, endFrame }: SummaryShot): string {
  return `${startFrame}-${endFrame}`;
}

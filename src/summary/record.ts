import type { z } from 'zod';

import { compareTexts, UsageError, type TimeRange } from '../base/index.js';
import { summaryDocument, type Concept, type SummaryDocument, type VideoSummary } from './document.js';
import { fieldName, isRecord, type RawRecord, readRecord, type Upgrades } from './upgrade.js';

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

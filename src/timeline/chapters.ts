import { formatClock, type Rational, rescale, UsageError } from '../base/index.js';
import { playingOnly, frameBase } from './rates.js';
import type { Timeline, TimelineFormat } from './types.js';
import { element, leaf, oneLine, xmlFile } from './xml.js';

/** A stretch of the film with a name. Times are ticks of the base asked for. */
type Chapter = { readonly title: string; readonly start: number; readonly end: number };

/** One chapter per clip, from the beginning of the film, in ticks of `base` seconds. */
function chaptersOf(timeline: Timeline, base: Rational): Chapter[] {
  const tickOf = (frame: number): number => rescale(frame, frameBase(timeline.rate), base);
  return playingOnly(timeline).timeline.clips.map((clip) => ({
    title: oneLine(clip.name),
    start: tickOf(clip.recordIn),
    end: tickOf(clip.recordOut),
  }));
}

/** Formats a time as `01:02:03.004`. `unitsPerSecond` is a power of ten; hours have two digits or more. */
function formatMoment(units: number, unitsPerSecond: number): string {
  const part = (value: number, width: number): string => String(value).padStart(width, '0');
  const seconds = Math.floor(units / unitsPerSecond);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const places = String(unitsPerSecond).length - 1;
  return `${clock.map((value) => part(value, 2)).join(':')}.${part(units % unitsPerSecond, places)}`;
}

/** WebVTT chapters for a `<track kind="chapters">` of the film: one cue per clip. */
export const vtt: TimelineFormat = {
  title: 'WebVTT chapters',
  extension: '.chapters.vtt',
  write(timeline) {
    const notes = timeline.notes.map((note) => `NOTE ${plain(note)}`);
    const cues = chaptersOf(timeline, { num: 1, den: 1000 }).map(({ title, start, end }, at) =>
      [String(at + 1), `${formatMoment(start, 1000)} --> ${formatMoment(end, 1000)}`, escape(title)].join('\n'),
    );
    return { text: `${['WEBVTT', ...notes, ...cues].join('\n\n')}\n`, notes: [] };
  },
};

/** A note ends at an empty line, and an arrow in it would make it a cue. */
function plain(note: string): string {
  return note.replace(/\s+/g, ' ').replaceAll('-->', '→');
}

function escape(title: string): string {
  return title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const NANOSECONDS = 1_000_000_000;

/** Matroska chapters, for `mkvmerge --chapters`: one atom per clip, to the nanosecond. */
export const mkvChapters: TimelineFormat = {
  title: 'Matroska chapters',
  extension: '.chapters.xml',
  write(timeline) {
    const atoms = chaptersOf(timeline, { num: 1, den: NANOSECONDS }).map(({ title, start, end }, at) =>
      element('ChapterAtom', {}, [
        leaf('ChapterUID', at + 1),
        leaf('ChapterTimeStart', formatMoment(start, NANOSECONDS)),
        leaf('ChapterTimeEnd', formatMoment(end, NANOSECONDS)),
        element('ChapterDisplay', {}, [leaf('ChapterString', title), leaf('ChapterLanguage', 'und')]),
      ]),
    );
    const root = element('Chapters', {}, [element('EditionEntry', {}, [leaf('EditionUID', 1), ...atoms])]);
    return { text: xmlFile(root, { comments: timeline.notes }), notes: [] };
  },
};

/** YouTube shows chapters if the first is at 0:00 and there are at least so many, of at least this length. */
const FEWEST = 3;
const SHORTEST_MS = 10_000;

/**
 * Lines for a YouTube description. Clips shorter than ten seconds share a chapter with those after them. If that leaves
 * fewer than three, every clip has its own line: YouTube links it to its time, but shows no chapters.
 */
export const youtube: TimelineFormat = {
  title: 'YouTube chapters',
  extension: '.chapters.txt',
  write(timeline) {
    const clips = chaptersOf(timeline, { num: 1, den: 1000 });
    const joined = joinShort(clips);
    const isEnough = joined.length >= FEWEST;
    const lines = (isEnough ? joined : clips).map(({ title, start }) => `${clock(start)} ${title}`);
    const found = `${joined.length} of that length could be made of ${clips.length} clips`;
    const note = `YouTube shows chapters only if there are at least ${FEWEST} of at least 10 seconds each; ${found}. It will show these lines as links.`;
    return { text: `${lines.join('\n')}\n`, notes: isEnough ? [] : [note] };
  },
};

/** Chapters of at least ten seconds, as YouTube counts: from one whole second to the next line's. */
function joinShort(clips: readonly Chapter[]): Chapter[] {
  const joined: Chapter[] = [];
  for (const clip of clips) {
    const last = joined.at(-1);
    if (last && wholeSecond(clip.start) - wholeSecond(last.start) < SHORTEST_MS) {
      joined[joined.length - 1] = { ...last, end: clip.end };
    } else joined.push(clip);
  }
  // If the last one is too short it is dropped, and the one before it lasts to the end.
  return joined.filter(({ start, end }) => end - wholeSecond(start) >= SHORTEST_MS);
}

function wholeSecond(ms: number): number {
  return 1000 * Math.floor(ms / 1000);
}

/** `0:07`, `1:02:03`. */
function clock(ms: number): string {
  return formatClock(wholeSecond(ms) / 1000).replace(/\.\d+$/, '');
}

/** A caption; times in milliseconds, of a video from its first picture, of a film from its beginning. */
export type Caption = { readonly start: number; readonly end: number; readonly text: string };

/** The formats of captions, by the ending of their files. */
export const CAPTION_FORMATS = ['srt', 'vtt'] as const;
/** One of `CAPTION_FORMATS`. */
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

/** More than anyone speaks in a day; a file with more is damaged or malicious. */
const MAX_CAPTIONS = 200_000;

/** Reads SubRip or WebVTT, which differ little. Styles, notes, settings and tags are left out. `file` names it in messages. */
export function parseCaptions(text: string, file: string): Caption[] {
  const captions: Caption[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at]!.includes('-->')) continue;
    const [from, to] = lines[at]!.split('-->').map((part) => part.trim().split(/\s/, 1)[0]!);
    const [start, end] = [momentOf(from ?? ''), momentOf(to ?? '')];
    if (start === null || end === null || end < start) {
      throw new UsageError(
        'bad-captions',
        `Expected captions (SubRip or WebVTT) in "${file}", found a problem at line ${at + 1}: it is no pair of times. Correct it.`,
      );
    }
    const said: string[] = [];
    while (lines[at + 1]?.trim()) said.push(lines[++at]!);
    const plain = said.map((line) => unescape(line.replace(/<[^>]*>/g, '')).trim()).filter((line) => line !== '');
    if (plain.length > 0 && end > start) captions.push({ start, end, text: plain.join('\n') });
    if (captions.length > MAX_CAPTIONS) {
      throw new UsageError(
        'bad-captions',
        `Expected at most ${MAX_CAPTIONS} captions in "${file}", found more. Give the captions of one video.`,
      );
    }
  }
  return captions;
}

/** `01:02:03,004` or `02:03.004` in milliseconds. */
function momentOf(text: string): number | null {
  const [, hours = '0', minutes, seconds, millis] = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[,.](\d{3})$/.exec(text) ?? [];
  if (minutes === undefined || Number(minutes) > 59 || Number(seconds) > 59) return null;
  return 1000 * (3600 * Number(hours) + 60 * Number(minutes) + Number(seconds)) + Number(millis);
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&nbsp;': ' ', '&amp;': '&' };

function unescape(text: string): string {
  return text.replace(/&(?:lt|gt|nbsp|amp);/g, (entity) => ENTITIES[entity]!);
}

/**
 * The captions of a film from those of its sources, by their ids: what is said in each clip, cut at its ends and moved to where
 * it plays. A caption that goes on from one clip to the next stays one.
 */
export function captionsOf(timeline: Timeline, bySource: ReadonlyMap<string, readonly Caption[]>): Caption[] {
  const film: Caption[] = [];
  const playing = playingOnly(timeline).timeline;
  const starts = new Map(playing.sources.map((source) => [source.id, source.range.start]));
  for (const { source, range, recordIn, recordOut } of playing.clips) {
    const first = starts.get(source)!;
    const [clipStart, clipEnd] = [range.start, range.end].map((tick) => rescale(tick - first, range.base, MILLISECOND)) as [number, number]; // prettier-ignore
    const [start, end] = [recordIn, recordOut].map((frame) => rescale(frame, frameBase(playing.rate), MILLISECOND)) as [number, number]; // prettier-ignore
    for (const caption of bySource.get(source) ?? []) {
      if (caption.end <= clipStart || caption.start >= clipEnd) continue;
      const inFilm = (millis: number): number => Math.max(start, Math.min(end, start + millis - clipStart));
      const moved = { start: inFilm(caption.start), end: inFilm(caption.end), text: caption.text };
      const last = film.at(-1);
      if (moved.end <= moved.start) continue;
      if (last?.text === moved.text && last.end === moved.start) film[film.length - 1] = { ...last, end: moved.end };
      else film.push(moved);
    }
  }
  return film.toSorted((a, b) => a.start - b.start);
}

const MILLISECOND = { num: 1, den: 1000 };

/** Captions as SubRip or WebVTT. */
export function writeCaptions(captions: readonly Caption[], format: CaptionFormat): string {
  const isVtt = format === 'vtt';
  const moment = (millis: number): string =>
    isVtt ? formatMoment(millis, 1000) : formatMoment(millis, 1000).replace('.', ',');
  const cues = captions.map(({ start, end, text }, at) => {
    // A line of a caption may look like the times of another.
    const said = isVtt ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text.replaceAll('-->', '→'); // prettier-ignore
    return `${at + 1}\n${moment(start)} --> ${moment(end)}\n${said}\n`;
  });
  return `${isVtt ? 'WEBVTT\n\n' : ''}${cues.join('\n')}`;
}

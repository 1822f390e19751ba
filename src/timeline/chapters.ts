import { rescale, type Rational, formatClock } from '../base/index.js';
import { playingOnly } from './conform.js';
import { frameBase } from './rates.js';
import { oneLine, element, leaf, xmlFile } from './xml.js';
import type { Timeline, TimelineFormat } from './types.js';

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
export function formatMoment(units: number, unitsPerSecond: number): string {
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

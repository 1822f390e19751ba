import { toSeconds, type TimeRange } from '../base/index.js';
import { agreementOf, type FilmOrder, type OrderedShot, type OrderRule } from './film-order.js';

/** A video that others hear too: its group, where it begins in it in seconds, and how certain that is. */
type VideoSound = { readonly group: number; readonly offsetSeconds: number; readonly confidence: number };

/** Where a video begins on the clock of its topic, and how that is known. */
export type VideoClock = {
  readonly recorded: Recorded | null;
  readonly heard: VideoSound | null;
  /** Seconds; `null` if neither its file nor its sound says. */
  readonly startSeconds: number | null;
};

/**
 * Recorded times, corrected by sound. Videos that hear the same have exact distances, and cameras have clocks that are off:
 *   start_v = offset_v + median over the group's videos u with a time of (time_u − offset_u)
 * A group without any time has a clock of its own, which counts only if the whole topic is in it.
 */
export function setClocks(dated: readonly DatedVideo[], heard: readonly (VideoSound | null)[]): VideoClock[] {
  const corrections = new Map<number, number[]>();
  for (const [at, { startSeconds }] of dated.entries()) {
    const own = heard[at];
    if (!own || startSeconds === null) continue;
    corrections.set(own.group, [...(corrections.get(own.group) ?? []), startSeconds - own.offsetSeconds]);
  }
  const isOneGroup = dated.length > 1 && heard.every((own) => own !== null && own.group === heard[0]?.group);
  return dated.map(({ recorded, startSeconds }, at) => {
    const own = heard[at] ?? null;
    const begin = own && (medianOf(corrections.get(own.group) ?? []) ?? (isOneGroup ? 0 : null));
    return { recorded, heard: own, startSeconds: begin === null || own === null ? startSeconds : begin + own.offsetSeconds }; // prettier-ignore
  });
}

/** The lower one of two in the middle: a time that one of the videos has. */
function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? null;
}

/** A shot of one of several videos, by the place of its video. */
type PlacedShot = Pick<OrderedShot, 'source' | 'range' | 'whole'>;

/** Sound is aligned to within this, in seconds: a shorter overlap of two shots is none. */
const ALIGNED_WITHIN = 0.1;

/** Whether two shots of different videos show one instant, by their sound. */
export function sameInstant(clocks: readonly VideoClock[]): (a: PlacedShot, b: PlacedShot) => boolean {
  const within = ({ source, range, whole }: PlacedShot): { group: number; start: number; end: number } | null => {
    const heard = clocks[source]?.heard;
    if (!heard) return null;
    const from = heard.offsetSeconds - toSeconds(whole.start, whole.base);
    return { group: heard.group, start: from + secondsAt(range, 'start'), end: from + secondsAt(range, 'end') };
  };
  return (a, b) => {
    if (a.source === b.source) return false;
    const [one, other] = [within(a), within(b)];
    if (one?.group === undefined || one.group !== other?.group) return false;
    return Math.min(one.end, other.end) - Math.max(one.start, other.start) > ALIGNED_WITHIN;
  };
}

function secondsAt(range: TimeRange, edge: 'start' | 'end'): number {
  return toSeconds(range[edge], range.base);
}

/** The rule that orders a film, and why, as a sentence. */
type OrderChoice = { readonly rule: OrderRule; readonly reason: string };

/** With `auto`, at most this share of the film's videos may be without a time. */
const MAX_UNDATED = 0.25;
/** Videos agree on an order if they do so by two standard deviations more than by chance. */
const MIN_AGREEMENT = 2;

/**
 * The rule for a film. `auto` takes the first that the videos allow: time, if nearly all have one; moments, if the videos
 * show what they share in the same order; wide to close, if pictures can be read; position.
 */
export function chooseOrder(
  asked: FilmOrder,
  shots: readonly OrderedShot[],
  clocks: readonly VideoClock[],
): OrderChoice {
  const isMeasured = shots.some(({ closeness = null }) => closeness !== null);
  if (asked === 'wide' && isMeasured) return { rule: 'wide', reason: `${WIDE}, as asked for.` };
  if (asked === 'wide')
    return { rule: 'position', reason: `${POSITION}: there is no picture to measure wide and close by.` };
  if (asked === 'film' || asked === 'position') return { rule: 'position', reason: `${POSITION}, as asked for.` };
  if (asked === 'source' || asked === 'importance') return { rule: asked, reason: `${NAMES[asked]}, as asked for.` };
  const shown = [...new Set(shots.map(({ source }) => source))].sort((a, b) => a - b);
  const dated = shown.filter((source) => clocks[source]!.startSeconds !== null);
  const isDated = shown.length > 1 && dated.length >= (1 - MAX_UNDATED) * shown.length;
  const who = `${dated.length === 0 ? 'none' : dated.length} of its ${shown.length} videos`;
  const withTime = `${who} ${dated.length < 2 ? 'has' : 'have'} a time that can be used`;
  if (asked === 'time' || (asked === 'auto' && isDated)) {
    if (dated.length === 0)
      return { rule: 'position', reason: `${POSITION}: none of its videos has a time of recording.` };
    const rest = dated.length < shown.length ? ' The others play along by their place in their own video.' : '';
    return { rule: 'time', reason: `By time of recording: ${withTime} (${sourcesOf(dated, clocks)}).${rest}` };
  }
  const { z, tau, pairs } = agreementOf(shots);
  const agree = `over ${pairs} ${pairs === 1 ? 'pair' : 'pairs'} of videos (τ ${tau.toFixed(2)}, ${z.toFixed(1)} standard deviations from chance)`;
  if (asked === 'moments' || z >= MIN_AGREEMENT) {
    if (pairs === 0) return { rule: 'position', reason: `${POSITION}: no two videos share two moments.` };
    return { rule: 'moments', reason: `By moments, as most videos show them: their orders agree ${agree}.` };
  }
  const apart = pairs === 0 ? 'no two videos share two moments' : `the videos do not agree on an order ${agree}`;
  const [rule, name] = isMeasured ? (['wide', WIDE] as const) : (['position', POSITION] as const);
  return { rule, reason: `${name}: ${withTime}, and ${apart}.` };
}

const POSITION = 'By place in the own video';
const WIDE = 'From wide to close views';
const NAMES = { source: 'Video by video', importance: 'Most important first' } as const;

/** `2 by QuickTime date, 1 by file name, 3 set by sound`. */
function sourcesOf(dated: readonly number[], clocks: readonly VideoClock[]): string {
  const counts = new Map<string, number>();
  for (const source of dated) {
    const { heard, recorded } = clocks[source]!;
    const by = heard ? 'set by sound' : `by ${TIME_NAMES[recorded!.from]}`;
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  return [...counts].map(([by, count]) => `${count} ${by}`).join(', ');
}

/** How people call the sources of times. */
export const TIME_NAMES: Readonly<Record<Recorded['from'], string>> = {
  quicktime: 'QuickTime date',
  container: 'creation time of the file',
  name: 'file name',
  number: 'file number',
};

/** What is known about one file before its topic is looked at. */
type DatedFile = {
  readonly name: string;
  /** Length of the video. */
  readonly seconds: number;
  readonly dates?: { readonly container?: string; readonly quicktime?: string; readonly writer?: string } | undefined;
};

/** Where the time of a recording comes from. */
export const TIME_SOURCES = ['quicktime', 'container', 'name', 'number'] as const;

/** When a video was recorded, as far as its file says. */
type Recorded = {
  /** ISO 8601, with the time zone if it is known; absent if only the order of the files is. */
  readonly at?: string;
  readonly from: (typeof TIME_SOURCES)[number];
  /** Why the time is not used; absent if it is. */
  readonly doubt?: string;
};

/** The time of a video, and where it begins on the clock of the topic in seconds; `null` if no time can be used. */
type DatedVideo = { readonly recorded: Recorded | null; readonly startSeconds: number | null };

/** A time as it is written: milliseconds as if in UTC, and minutes east of UTC, `null` for a local clock of unknown zone. */
type Reading = { readonly from: Recorded['from']; readonly written: number; readonly zone: number | null };

const MINUTE = 60_000;
/** Zones differ by whole quarters of an hour, up to fourteen hours from UTC. */
const ZONE_STEP = 15;
const MAX_ZONE = 14 * 60;
/** A name and a tag agree if they are this close, apart from the zone. */
const AGREE_MS = 10_000;
/** Clocks that were never set begin in 1904 (QuickTime), 1970 (Unix) or 1980 (FAT). */
const FIRST_YEAR = 1995;

/** Programs that write the time of the conversion or of the upload. */
const CONVERTERS = /google|handbrake|vlc|l-smash|mainconcept|premiere|adobe|imovie|final cut|davinci|isomedia|gpac/i;
/** Cameras that write local time where the format wants UTC. */
const LOCAL_CLOCKS = /gopro/i;
const CAMERAS = /gopro|dji|sony|canon|nikon|panasonic|apple|iphone|android|samsung|insta360/i;

/**
 * When the videos of a topic were recorded, on one clock. In each file the QuickTime date counts first, since it has a time
 * zone; then the name, if it has a date and a time; then the tag of the container. Times that cannot be true are kept with
 * the reason, but not used: clocks that were never set, times of a conversion, one time for several files, and local times
 * if the zone of the topic is not known. Files without times that one camera numbered are in the order of their numbers.
 */
export function dateVideos(files: readonly DatedFile[]): DatedVideo[] {
  const read = files.map(readFile);
  const doubts = read.map((each, at) => each.reading && doubtOf(at, files, read));
  const zone = zoneOf(read.filter((_, at) => doubts[at] === null));
  const isLocal = zone === null && read.every(({ reading }, at) => doubts[at] !== null || reading?.zone === null);
  const dated = read.map(({ reading }, at): DatedVideo => {
    if (!reading) return { recorded: null, startSeconds: null };
    const known = reading.zone ?? zone;
    const doubt = doubts[at] ?? (known === null && !isLocal ? 'its time zone is not known' : null);
    const recorded = { at: iso(reading.written, known), from: reading.from, ...(doubt === null ? {} : { doubt }) };
    const startSeconds = doubt === null ? (reading.written - (known ?? 0) * MINUTE) / 1000 : null;
    return { recorded, startSeconds };
  });
  const chained = chainChapters(files, dated);
  return chained.some(({ startSeconds }) => startSeconds !== null) ? chained : (byNumber(files, chained) ?? chained);
}

/** The time that a file states; `zoneVote` is the zone that a name and a tag show together. */
function readFile({ name, seconds, dates = {} }: DatedFile): {
  readonly reading: Reading | null;
  readonly zoneVote: number | null;
} {
  const stated = dates.quicktime === undefined ? null : parseStated(dates.quicktime);
  if (stated && stated.zone !== null) {
    const reading = { from: 'quicktime' as const, ...stated };
    return { reading, zoneVote: stated.zone };
  }
  const named = parseName(name);
  const tag = dates.container === undefined ? null : parseStated(dates.container);
  if (!named) {
    const zone = LOCAL_CLOCKS.test(dates.writer ?? '') ? null : (tag?.zone ?? 0);
    return { reading: tag && { from: 'container', written: tag.written, zone }, zoneVote: null };
  }
  const zone = named.zone ?? (tag && zoneBetween(named.written, tag.written, seconds));
  // A camera that writes local time as UTC shows a zone of nothing: no vote, and no knowledge.
  const isKnown = zone !== null && (zone !== 0 || named.zone === 0);
  return { reading: { from: 'name', written: named.written, zone: isKnown ? zone : null }, zoneVote: isKnown && named.zone === null ? zone : null }; // prettier-ignore
}

/** The zone of a local time if the tag, of the start or of the end of the recording, is the same moment in UTC. */
function zoneBetween(local: number, utc: number, seconds: number): number | null {
  for (const start of [utc, utc - 1000 * seconds]) {
    const zone = Math.round((local - start) / (ZONE_STEP * MINUTE)) * ZONE_STEP;
    if (Math.abs(zone) <= MAX_ZONE && Math.abs(local - zone * MINUTE - start) <= AGREE_MS) return zone;
  }
  return null;
}

/** The zone that most videos show; of several, the one nearest to UTC. */
function zoneOf(read: readonly { readonly zoneVote: number | null }[]): number | null {
  const votes = new Map<number, number>();
  for (const { zoneVote } of read) if (zoneVote !== null) votes.set(zoneVote, (votes.get(zoneVote) ?? 0) + 1);
  const [best] = [...votes].sort(([a, m], [b, n]) => n - m || Math.abs(a) - Math.abs(b) || a - b);
  return best?.[0] ?? null;
}

/** Why the time of a file cannot be true; `null` if it can. */
function doubtOf(
  place: number,
  files: readonly DatedFile[],
  read: readonly { readonly reading: Reading | null }[],
): string | null {
  const [{ dates, seconds, name }, reading] = [files[place]!, read[place]!.reading!];
  const year = new Date(reading.written).getUTCFullYear();
  if (year < FIRST_YEAR) return `the clock was not set (${year})`;
  if (reading.from !== 'container') return null;
  const writer = dates?.writer ?? '';
  const converter = CONVERTERS.exec(writer)?.[0];
  if (converter !== undefined) return `written by a program, not by a camera (${converter})`;
  const isCamera = CAMERAS.test(writer);
  const recording = chapterOf(name)?.recording;
  for (const [other, file] of files.entries()) {
    const theirs = read[other]!.reading;
    if (other === place || theirs?.from !== 'container') continue;
    if (recording !== undefined && chapterOf(file.name)?.recording === recording) continue;
    if (Math.abs(theirs.written - reading.written) < 1000) return `the same time as "${file.name}"`;
    // One camera cannot record two at once; a program can convert them in less time than they last.
    const [first, length] = reading.written < theirs.written ? [reading, seconds] : [theirs, file.seconds];
    const overlap = first.written + 1000 * length - Math.max(reading.written, theirs.written);
    if (!isCamera && (file.dates?.writer ?? '') === writer && overlap > AGREE_MS)
      return `overlaps "${file.name}", which the same program or camera wrote`;
  }
  return null;
}

/**
 * Chapters of one long recording often have the time of its beginning: each begins where the one before ends.
 */
function chainChapters(files: readonly DatedFile[], dated: readonly DatedVideo[]): DatedVideo[] {
  const chained = [...dated];
  const chapters = files.flatMap(({ name }, at) => {
    const chapter = chapterOf(name);
    return chapter ? [{ at, ...chapter }] : [];
  });
  const ends = new Map<string, number>();
  for (const { at, recording } of chapters.sort((a, b) => a.chapter - b.chapter)) {
    const { startSeconds } = dated[at]!;
    if (startSeconds === null) continue;
    const start = Math.max(startSeconds, ends.get(recording) ?? -Infinity);
    chained[at] = { ...dated[at]!, startSeconds: start };
    ends.set(recording, start + files[at]!.seconds);
  }
  return chained;
}

/** The chapters of GoPro cameras: GH020012 is the second of recording 12, GOPR0012 the first, GP010012 the second. */
function chapterOf(name: string): { readonly recording: string; readonly chapter: number } | null {
  const stem = stemOf(name);
  const [, kind, chapter, recording] = /^(G[HXLS]|GP)(\d\d)(\d{4})(?!\d)/i.exec(stem) ?? [];
  if (kind !== undefined) {
    const from = kind.toUpperCase() === 'GP' ? 1 : 0;
    return { recording: `${from ? 'GOPR' : kind.toUpperCase()}${recording}`, chapter: Number(chapter) + from };
  }
  const first = /^GOPR(\d{4})(?!\d)/i.exec(stem)?.[1];
  return first === undefined ? null : { recording: `GOPR${first}`, chapter: 1 };
}

/** Files that one camera numbered, in the order of the numbers; `null` if some were not. */
function byNumber(files: readonly DatedFile[], dated: readonly DatedVideo[]): DatedVideo[] | null {
  const numbers = files.map(({ name }) => numberOf(name));
  const [first] = numbers;
  if (files.length < 2 || !first || !numbers.every((each) => each?.prefix === first.prefix)) return null;
  const keys = numbers.map((each) => each!.number);
  if (new Set(keys).size < keys.length) return null;
  const starts: number[] = [];
  let end = 0;
  for (const at of [...files.keys()].sort((a, b) => keys[a]! - keys[b]!)) {
    starts[at] = end;
    end += files[at]!.seconds;
  }
  return dated.map(({ recorded }, at) => {
    return { recorded: recorded ?? { from: 'number' as const }, startSeconds: starts[at]! };
  });
}

/** The prefix and the number that cameras give: IMG_0123, MVI_0123, DSC01234, DJI_0123, GH020012. */
function numberOf(name: string): { readonly prefix: string; readonly number: number } | null {
  const chapter = chapterOf(name);
  if (chapter) {
    const [, prefix, number] = /^(\D+)(\d+)$/.exec(chapter.recording)!;
    return { prefix: prefix!, number: Number(number) * 100 + chapter.chapter };
  }
  const [, prefix, number] = /^(IMG_|MVI_|DSC[NF_]?|DJI_|MAH|MOV_?|C|P1)(\d{4,7})$/i.exec(stemOf(name)) ?? [];
  return prefix === undefined ? null : { prefix: prefix.toUpperCase(), number: Number(number) };
}

/** A date and a time in a name: VID_20240131_142530, PXL_20240131_132530123 (UTC), 2024-01-31 14.25.30, DJI_20240131142530_0001. */
const NAME =
  /(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?:[-_. T]|_at_| at | )?([01]\d|2[0-3])([-_.:h ]?)([0-5]\d)\6([0-5]\d)(?!\d{4})/i;

function parseName(name: string): { readonly written: number; readonly zone: number | null } | null {
  const stem = stemOf(name);
  const [, year, , month, day, hour, , minute, second] = NAME.exec(stem) ?? [];
  if (year === undefined) return null;
  const written = instant([year, month!, day!, hour!, minute!, second!].map(Number));
  return written === null ? null : { written, zone: /^PXL_/i.test(stem) ? 0 : null };
}

const STATED = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;

function parseStated(text: string): { readonly written: number; readonly zone: number | null } | null {
  const [, year, month, day, hour, minute, second = '0', fraction = '0', zone] = STATED.exec(text) ?? [];
  if (year === undefined) return null;
  const written = instant([year, month!, day!, hour!, minute!, second].map(Number));
  if (written === null) return null;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? [];
  const east = Number(`${sign ?? '+'}1`) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  return { written: written + Math.round(1000 * Number(fraction)), zone: zone === undefined ? null : east };
}

/** Milliseconds of a date that exists; `null` for 31 February. */
function instant([year, month, day, hour, minute, second]: number[]): number | null {
  const written = Date.UTC(year!, month! - 1, day, hour, minute, second);
  const date = new Date(written);
  return date.getUTCMonth() === month! - 1 && date.getUTCDate() === day && hour! < 24 ? written : null;
}

function iso(written: number, zone: number | null): string {
  const text = new Date(written).toISOString().replace(/\.000Z$|Z$/, '');
  if (zone === null) return text;
  if (zone === 0) return `${text}Z`;
  const minutes = Math.abs(zone);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${text}${zone < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function stemOf(name: string): string {
  return name.replace(/^.*[\\/]/, '').replace(/\.\w{2,4}$/, '');
}

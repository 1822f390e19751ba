import { open, stat, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';

import { CancelledError, MediaError, rational, type Rational } from '../base/index.js';
import { passEveryFrame } from './decode.js';
import { inputOf, lastComplaint, MAX_PIXELS, newMark, requireOwnEnd, startFfmpeg, STUCK_MS } from './process.js';
import { locateFfmpeg } from './tools.js';
import type { AudioTrack, Colour, DateTags, VideoInfo } from './types.js';

/** Part of cache keys. Raise it when the same file would be described in another way. */
export const PROBE_VERSION = 1;

/** Refuses a path that could imitate lines of the decoder's report. */
export function requirePlainName(path: string): void {
  if (!/\p{Cc}/u.test(resolve(path))) return;
  throw new MediaError(
    'bad-name',
    `Expected a name without line breaks and other control characters, found "${path}": it could imitate the decoder's report. Rename the file.`,
  );
}

/**
 * Reads the headers and the first picture of a file. The decoder that will read the file describes it, so that both always
 * agree: tracks from its report of the input; exact clock, size and shape from the first frame it gives.
 */
export async function probe(path: string, signal?: AbortSignal): Promise<VideoInfo> {
  await checkReadable(path);
  requirePlainName(path);
  const ffmpeg = await locateFfmpeg();
  const lines: string[] = [];
  const mark = newMark();
  const running = await startFfmpeg(
    [
      ...['-loglevel', 'level+info', '-copyts'],
      ...['-dump_separator', mark, ...inputOf(path), '-map', '0:V:0', '-frames:v', '1', '-vf', `showinfo@${mark}`],
      ...[...passEveryFrame(ffmpeg.major), '-f', 'null', '-'],
    ],
    {
      signal,
      limitMs: STUCK_MS,
      onLine(line) {
        if (lines.length < MAX_REPORT_LINES) lines.push(line);
        return false;
      },
    },
  );
  const exit = await running.exited;
  if (signal?.aborted) throw new CancelledError();
  requireOwnEnd(exit, running, path);
  const report = readReport(lines, mark);
  if (report.isContradictory) {
    throw new MediaError(
      'bad-tags',
      `Expected one description of "${path}", found tags in it that imitate the decoder's own. Choose another file.`,
    );
  }
  if (report.video === null) throw report.container === 'unknown' ? notVideo(path, lines) : noVideoTrack(path, report);
  if (/\bmov\b/.test(report.container) && (await isEncrypted(path))) {
    throw new MediaError(
      'encrypted',
      `Expected pictures that can be read in "${path}", found encrypted ones (DRM). Choose a copy without protection.`,
    );
  }
  const frame = report.frame;
  if (frame === null) {
    throw new MediaError(
      'no-frames',
      `Expected pictures in "${path}", could decode none (${lastComplaint(running.errors)}). The file is damaged or its codec is not supported.`,
    );
  }
  if (frame.timeBase === null) {
    throw new MediaError(
      'bad-clock',
      `Expected a clock with a unit in "${path}", found one without. The header is damaged. Copy or download the file again.`,
    );
  }
  if (frame.widthPx * frame.heightPx > MAX_PIXELS) {
    throw new MediaError(
      'bad-size',
      `Expected a picture of at most ${MAX_PIXELS} pixels in "${path}", found ${frame.widthPx}×${frame.heightPx}. The header is damaged. Copy or download the file again.`,
    );
  }
  if (frame.widthPx < 2 || frame.heightPx < 2) {
    throw new MediaError(
      'bad-size',
      `Expected a picture of at least 2×2 pixels in "${path}", found ${frame.widthPx}×${frame.heightPx}. Choose another file.`,
    );
  }
  return {
    path,
    ...report.video,
    ...frame,
    timeBase: frame.timeBase,
    container: report.container,
    durationHint: report.durationHint,
    ...(report.timecode === null ? {} : { timecode: report.timecode }),
    ...((report.dates.container ?? report.dates.quicktime) ? { dates: report.dates } : {}),
    audio: report.audio,
  };
}

/** Checks that a file has sound that can be decoded, to be played as music. */
export async function probeMusic(path: string, signal?: AbortSignal): Promise<void> {
  await checkReadable(path, 'sound');
  const running = await startFfmpeg(
    ['-loglevel', 'error', ...inputOf(path, { isMusic: true }), '-map', '0:a:0', '-t', '1', '-f', 'null', '-'],
    { signal, limitMs: STUCK_MS },
  );
  const exit = await running.exited;
  if (signal?.aborted) throw new CancelledError();
  requireOwnEnd(exit, running, path);
  if (exit.code === 0) return;
  const found = running.errors.some((line) => line.includes('matches no streams'))
    ? 'a file without sound'
    : `something else (${lastComplaint(running.errors)})`;
  throw new MediaError('no-music', `Expected sound in "${path}", found ${found}. Choose another file for the music.`);
}

/** A file may declare any number of tracks; this many lines describe every sensible one. */
const MAX_REPORT_LINES = 20_000;

type Report = {
  container: string;
  /** The report names two different containers. */
  isContradictory: boolean;
  durationHint: number | null;
  timecode: string | null;
  dates: DateTags;
  covers: number;
  video: Pick<VideoInfo, 'codec' | 'pixelFormat' | 'colour' | 'interlaced' | 'rotationDeg'> | null;
  audio: AudioTrack[];
  frame:
    (Pick<VideoInfo, 'widthPx' | 'heightPx' | 'sampleAspect' | 'frameRate'> & { timeBase: Rational | null }) | null;
};

/*
 * Tags and languages appear in the report as they are in the file, including line breaks, so a file can imitate any of these
 * lines. Its length, timecode, dates and rotation are its own statements anyway; tracks and pictures count only with the mark.
 */
const INPUT = /^\[info\] Input #0, ([^ ]+), from /;
const OUTPUT = /^\[info\] Output #0, /;
const DURATION = /^\[info\] {3}Duration: (\d+):(\d+):(\d+\.\d+)/;
const TRACK_BEGINS = /^\[info\] {3,5}Stream #0:\d+/;
/** The text before a track's kind; only a short word counts as a language. */
const LANGUAGE = /^\[info\] {3,5}Stream #0:\d+(?:\[\w+\])?\(([^()\p{Cc}]{1,64})\)$/u;
const KIND = /: (Video|Audio|Subtitle|Data|Attachment): /g;
/** A tag of the file, of the picture track or of a timecode track; that of the picture track comes first. */
const TIMECODE = /^\[info\] {5,9}timecode +: (\d{2}:\d{2}:\d{2}[:;.]\d{2,3})$/i;
/** Tags of the file about the time of its recording; a stream repeats that of the file, or has that of a copy. */
const DATE =
  /^\[info\] {5}(creation_time|date|com\.apple\.quicktime\.creationdate) *: (\d{4}-\d\d-\d\d[T ][\d:.+Z-]{5,24})$/i;
/** Who wrote the file: a camera or a program. */
const WRITER =
  /^\[info\] {5,9}(?:encoder|handler_name|(?:com\.apple\.quicktime\.)?(?:make|model)|com\.android\.\w+) *: (\P{Cc}{1,80})$/iu;
const ROTATION = /^\[info\] {7,}displaymatrix: rotation of (-?[\d.]+) degrees/;
const CLOCK = /^config in time_base: (\d+)\/(\d+), frame_rate: (\d+)\/(\d+)/;
const FRAME = /^n: *0 pts:.* sar:(\d+)\/(\d+) s:(\d+)x(\d+) /;

function readReport(lines: readonly string[], mark: string): Report {
  const report: Report = {
    container: 'unknown',
    isContradictory: false,
    durationHint: null,
    timecode: null,
    dates: {},
    covers: 0,
    video: null,
    audio: [],
    frame: null,
  };
  const shown = new RegExp(`^\\[showinfo@${mark} @ [^\\]]+\\] \\[info\\] `);
  let current: 'video' | 'other' = 'other';
  let statedRate: number | null = null;
  let clock: { timeBase: Rational | null; rate: Rational | null } | null = null;
  let isInput = true;
  for (const line of lines) {
    const input = INPUT.exec(line)?.[1];
    if (input !== undefined) {
      report.isContradictory ||= report.container !== 'unknown' && report.container !== input;
      report.container = input;
    }
    const duration = DURATION.exec(line);
    if (duration) report.durationHint = Number(duration[1]) * 3600 + Number(duration[2]) * 60 + Number(duration[3]);
    report.timecode ??= TIMECODE.exec(line)?.[1] ?? null;
    isInput &&= !OUTPUT.test(line);
    const date = isInput ? DATE.exec(line) : null;
    const kind = date && (date[1]!.length > 'creation_time'.length ? 'quicktime' : 'container');
    if (kind) report.dates = { [kind]: date[2]!, ...report.dates };
    const writer = isInput ? WRITER.exec(line)?.[1] : undefined;
    if (writer !== undefined) report.dates = { ...report.dates, writer: joinWriter(report.dates.writer, writer) };
    if (TRACK_BEGINS.test(line)) current = 'other';
    const prefix = shown.exec(line)?.[0];
    const track = prefix === undefined ? readTrack(line, mark) : null;
    if (track) {
      current = 'other';
      const { kind, codec, text } = track;
      if (kind === 'Audio') report.audio.push(audioTrack(track, report.audio.length));
      if (kind === 'Video' && text.includes('(attached pic)')) report.covers++;
      else if (kind === 'Video' && report.video === null) {
        current = 'video';
        const pixelFormat = /^\w+/.exec(text)?.[0] ?? 'unknown';
        statedRate = Number(/, ([\d.]+) fps/.exec(text)?.[1] ?? NaN);
        const interlaced = /\b(top|bottom) (coded )?first\b/.test(text);
        report.video = { codec, pixelFormat, ...colourOf(text), interlaced, rotationDeg: 0 };
      }
    }
    const rotation = ROTATION.exec(line);
    if (rotation && current === 'video' && report.video) {
      report.video = { ...report.video, rotationDeg: clockwise(Number(rotation[1])) };
    }
    if (prefix === undefined) continue;
    const base = CLOCK.exec(line.slice(prefix.length));
    if (base) {
      const [num = 0, den = 0, rateNum = 0, rateDen = 0] = base.slice(1).map(Number);
      clock = { timeBase: positive(num, den), rate: positive(rateNum, rateDen) };
    }
    const frame = FRAME.exec(line.slice(prefix.length));
    if (frame && clock) {
      const [sarNum = 0, sarDen = 0, widthPx = 0, heightPx = 0] = frame.slice(1).map(Number);
      report.frame = {
        widthPx,
        heightPx,
        sampleAspect: positive(sarNum, sarDen) ?? { num: 1, den: 1 },
        timeBase: clock.timeBase,
        frameRate: steadyRate(clock.rate, statedRate),
      };
    }
  }
  return report;
}

/** The words of a file about who wrote it, each once, within bounds. */
function joinWriter(known: string | undefined, word: string): string {
  return known === undefined ? word : known.includes(word) || known.length > 200 ? known : `${known}; ${word}`;
}

function positive(num: number, den: number): Rational | null {
  return num > 0 && den > 0 ? rational(num, den) : null;
}

/** A reported track: its kind and codec and, after the first mark, what is known about its pictures or sound. */
type ReportedTrack = { kind: string; codec: string; language: string | null; text: string };

/** Reads a track line, whose parts are separated by the mark. A language before it may be any text, so the last kind counts. */
function readTrack(line: string, mark: string): ReportedTrack | null {
  const [head = '', ...rest] = line.split(mark);
  const kind = [...head.matchAll(KIND)].at(-1);
  if (rest.length === 0 || !kind) return null;
  const language = LANGUAGE.exec(head.slice(0, kind.index))?.[1] ?? null;
  const [codec = 'unknown'] = head.slice(kind.index + kind[0].length).split(/[ ,]/, 1);
  return { kind: kind[1]!, codec, language, text: rest.join(', ') };
}

/** The guessed rate if it is within 1 % of the stated mean: guesses for irregular files can be far off. */
function steadyRate(guessed: Rational | null, stated: number | null): Rational | null {
  if (!guessed || stated === null || !Number.isFinite(stated)) return null;
  return Math.abs(guessed.num / guessed.den / stated - 1) < 0.01 ? guessed : null;
}

/** From the pixel format and, in brackets after it: range, then one word for all three or matrix/primaries/transfer, then the scan. */
function colourOf(text: string): { colour?: Colour } {
  const [, format = '', list = ''] = /^(\w+)(?:\(([^)]*)\))?/.exec(text) ?? [];
  const words = list.split(', ');
  const isFullRange = words.includes('pc') || format.startsWith('yuvj');
  const said = words.find((word) => !/^(?:tv|pc|progressive|unknown|(?:top|bottom) .*first|)$/.test(word));
  if (said === undefined && !isFullRange) return {};
  const parts = said?.includes('/') ? said.split('/') : [said, said, said];
  const [matrix, primaries, transfer] = parts.map((part) => (part === undefined || part === 'unknown' ? null : part));
  return { colour: { matrix: matrix ?? null, primaries: primaries ?? null, transfer: transfer ?? null, isFullRange } };
}

/** The clockwise turn in degrees; the report has the counter-clockwise one of the stored picture. */
function clockwise(counterClockwiseDeg: number): VideoInfo['rotationDeg'] {
  const quarter = ((Math.round(-counterClockwiseDeg / 90) % 4) + 4) % 4;
  return ([0, 90, 180, 270] as const)[quarter as 0 | 1 | 2 | 3];
}

const CHANNELS: Record<string, number> = { mono: 1, stereo: 2, quad: 4, '5.0': 5, '5.1': 6, '6.1': 7, '7.1': 8 };

function audioTrack({ codec, language, text }: ReportedTrack, position: number): AudioTrack {
  const layout = /\d+ Hz, ([^,]+)/.exec(text)?.[1] ?? '';
  return {
    position,
    codec,
    channels: CHANNELS[layout.replace(/\(.*/, '')] ?? Number(/(\d+) channels/.exec(layout)?.[1] ?? 0),
    sampleRate: Number(/(\d+) Hz/.exec(text)?.[1] ?? 0),
    language: language === 'und' ? null : language,
    isDefault: text.includes('(default)'),
  };
}

async function checkReadable(path: string, what: 'video' | 'sound' = 'video'): Promise<void> {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) {
      throw new MediaError('not-a-file', `Expected a ${what} file at "${path}", found something else. Give a file.`);
    }
    if (facts.size === 0) {
      throw new MediaError(
        'empty-file',
        `Expected ${what === 'video' ? 'a video' : what} in "${path}", found an empty file (0 bytes). Copy or download it again.`,
      );
    }
    await (await open(path, 'r')).close();
  } catch (error) {
    if (error instanceof MediaError) throw error;
    const reason = (error as NodeJS.ErrnoException).code;
    if (reason === 'ENOENT') {
      throw new MediaError('not-found', `Expected a file at "${path}", found nothing. Check the path.`, {
        cause: error,
      });
    }
    throw new MediaError(
      'unreadable',
      `Could not open "${path}" (${reason ?? 'unknown reason'}). Check its permissions.`,
      { cause: error },
    );
  }
}

function noVideoTrack(path: string, report: Report): MediaError {
  const sound = report.audio.length;
  const seen =
    report.covers > 0
      ? 'only a cover picture'
      : sound > 0
        ? `audio only (${sound} track${sound > 1 ? 's' : ''})`
        : 'no track at all';
  return new MediaError(
    'no-video-track',
    `Expected a video track in "${path}", found ${seen}. Choose a file with moving pictures.`,
  );
}

function notVideo(path: string, lines: readonly string[]): MediaError {
  const cut = lines.some((line) => line.includes('moov atom not found'));
  const seen = cut ? 'no index (moov): it is cut off or is not a video' : `something else (${lastComplaint(lines)})`;
  return new MediaError(
    'not-video',
    `Expected a video in "${path}", found ${seen}. Copy or download it again, or choose another file.`,
  );
}

/** Boxes (ISO 14496-12) on the way from a file to the list of its kinds of samples. */
const PATH = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'];
/** Kinds of samples that are encrypted pictures: common encryption (ISO 23001-7), and that of one shop. */
const ENCRYPTED = new Set(['encv', 'drmi']);
/** More boxes than this in a row are no film. */
const MAX_BOXES = 100_000;

/**
 * Whether the pictures of an MP4 or MOV are encrypted. The decoder does not say: it takes the bytes as they are, and gives grey
 * pictures.
 */
async function isEncrypted(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    return await search(file, 0, (await file.stat()).size, 0);
  } finally {
    await file.close();
  }
}

async function search(file: FileHandle, from: number, to: number, depth: number): Promise<boolean> {
  const header = Buffer.alloc(16);
  for (let at = from, boxes = 0; at + 8 <= to && boxes < MAX_BOXES; boxes++) {
    const { bytesRead } = await file.read(header, 0, 16, at);
    if (bytesRead < 8) return false;
    const name = header.toString('latin1', 4, 8);
    const short = header.readUInt32BE(0);
    const inside = at + (short === 1 ? 16 : 8);
    const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? to - at : short;
    const end = Math.min(to, at + size);
    if (end < inside) return false;
    if (depth === PATH.length) {
      if (ENCRYPTED.has(name)) return true;
    } else if (name === PATH[depth]) {
      // The list begins with its version and its length.
      const first = name === 'stsd' ? inside + 8 : inside;
      if (await search(file, first, end, depth + 1)) return true;
    }
    at = end;
  }
  return false;
}

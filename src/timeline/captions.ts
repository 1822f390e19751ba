import { rescale, UsageError } from '../base/index.js';
import { formatMoment } from './chapters.js';
import { playingOnly } from './conform.js';
import { frameBase } from './rates.js';
import type { Timeline } from './types.js';

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

import { countingOf, spanOf } from './conform.js';
import { formatRate, isSameRate, type Counting } from './rates.js';
import { sourceIndex } from './sources.js';
import { oneLine } from './text.js';
import { formatTimecode } from './timecode.js';
import type { Timeline, TimelineClip, TimelineFormat, TimelineSource } from './types.js';

/** Events that CMX 3600 can number. */
const MOST_EVENTS = 999;

/**
 * CMX 3600: events of one line, comments below each. All timecode counts at the timeline's rate. For a source with another
 * rate, a comment states the exact frames: `THROUGHLINE IN OUT IS FRAMES m TO n AT RATE`.
 */
export const edl: TimelineFormat = {
  title: 'CMX 3600 EDL',
  extension: '.edl',
  write(timeline) {
    const sourceOf = sourceIndex(timeline);
    const lines = [`TITLE: ${oneLine(timeline.title)}`, `FCM: ${timeline.dropFrame ? 'DROP' : 'NON-DROP'} FRAME`, ''];
    timeline.clips.forEach((clip, at) => {
      lines.push(eventLine(at + 1, clip, sourceOf(clip), timeline));
      // Some readers refuse comments above the first event, so those on the whole list come below it.
      if (at === 0) lines.push(`* FRAME RATE: ${formatRate(timeline)}`);
      if (at === 0) lines.push(...timeline.notes.map((note) => `* NOTE: ${oneLine(note)}`));
      lines.push(...commentLines(clip, sourceOf(clip), timeline));
    });
    return { text: `${lines.join('\n')}\n`, notes: limits(timeline) };
  },
};

function limits(timeline: Timeline): string[] {
  const notes: string[] = [];
  if (timeline.clips.length > MOST_EVENTS) {
    notes.push(
      `A CMX 3600 list can number ${MOST_EVENTS} events, and this one has ${timeline.clips.length}: older systems stop there. Export video by video, or as OTIO or FCPXML.`,
    );
  }
  const mixed = timeline.sources.filter((source) => countingOf(source, timeline).dropFrame !== timeline.dropFrame);
  if (mixed.length > 0) {
    const names = mixed.map((source) => source.name).join(', ');
    notes.push(`The list mixes drop-frame (";") and non-drop (":") timecode: see ${names}.`);
  }
  return notes;
}

function eventLine(number: number, clip: TimelineClip, source: TimelineSource, timeline: Timeline): string {
  const { from, to, counting } = spanOf(clip, source, timeline);
  const record = (frame: number): string => formatTimecode(timeline.timecodeFrame + frame, timeline);
  return [
    `${String(number).padStart(3, '0')} `,
    source.reel.padEnd(8),
    channelsOf(source).padEnd(5),
    'C'.padEnd(8),
    ...[from, to].map((frame) => formatTimecode(frame, counting)),
    record(clip.recordIn),
    record(clip.recordOut),
  ].join(' ');
}

/** Only picture, or also one or two channels of sound; more than two cannot be written on one line. */
function channelsOf({ audio }: TimelineSource): string {
  const channels = audio.reduce((sum, track) => sum + (track.channels ?? 2), 0);
  return channels === 0 ? 'V' : channels === 1 ? 'B' : 'AA/V';
}

function commentLines(clip: TimelineClip, source: TimelineSource, timeline: Counting): string[] {
  const lines = [`FROM CLIP NAME: ${oneLine(source.name)}`, `SOURCE FILE: ${oneLine(source.url)}`];
  const { before, after } = clip.handles;
  if (before + after > 0) lines.push(`HANDLES: ${before} BEFORE, ${after} AFTER`);
  if (!isSameRate(source.rate, timeline.rate)) lines.push(exactLine(clip, source, timeline));
  if (clip.reason !== '') lines.push(`COMMENT: ${oneLine(clip.reason)}`);
  return lines.map((line) => `* ${line}`);
}

/** The timecodes are repeated, so that a reader can tell whether the event was trimmed since. */
function exactLine(clip: TimelineClip, source: TimelineSource, timeline: Counting): string {
  const { from, to, counting } = spanOf(clip, source, timeline);
  const [first, last] = [formatTimecode(from, counting), formatTimecode(to, counting)];
  const rate = formatRate({ rate: source.rate, dropFrame: false });
  return `THROUGHLINE ${first} ${last} IS FRAMES ${clip.in} TO ${clip.out} AT ${rate}`;
}

import { csvText, type CsvCell, toSeconds } from '../base/index.js';
import { formatRate, frameBase, formatTimecode } from './rates.js';
import { sourceIndex } from './sources.js';
import type { Timeline, TimelineClip, TimelineFormat, TimelineSource } from './types.js';

/** One row per clip (RFC 4180): frames, ticks, seconds and timecode of the source, place on the timeline, rank and score. */
export const csv: TimelineFormat = {
  title: 'CSV',
  extension: '.csv',
  write(timeline) {
    const sourceOf = sourceIndex(timeline);
    const rows = timeline.clips.map((clip, at) => rowOf(at + 1, clip, sourceOf(clip), timeline));
    return { text: csvText(rows), notes: timeline.notes.length > 0 ? ['CSV has no place for the notes above.'] : [] };
  },
};

function rowOf(
  number: number,
  clip: TimelineClip,
  source: TimelineSource,
  timeline: Timeline,
): Record<string, CsvCell> {
  const { base } = clip.range;
  const seconds = (tick: number): number => round(toSeconds(tick - source.range.start, base));
  const recordSeconds = (frame: number): number => round(toSeconds(frame, frameBase(timeline.rate)));
  const label = (frame: number): string => formatTimecode(source.timecodeFrame + frame, source);
  const record = (frame: number): string => formatTimecode(timeline.timecodeFrame + frame, timeline);
  return {
    event: number,
    source: source.id,
    name: source.name,
    url: source.url,
    reel: source.reel,
    source_rate: formatRate(source),
    source_in: clip.in,
    source_out: clip.out,
    source_in_timecode: label(clip.in),
    source_out_timecode: label(clip.out),
    source_in_seconds: seconds(clip.range.start),
    source_out_seconds: seconds(clip.range.end),
    first_frame: clip.firstFrame,
    end_frame: clip.endFrame,
    start_ticks: clip.range.start,
    end_ticks: clip.range.end,
    seconds_per_tick: `${base.num}/${base.den}`,
    record_rate: formatRate(timeline),
    record_in: clip.recordIn,
    record_out: clip.recordOut,
    record_in_timecode: record(clip.recordIn),
    record_out_timecode: record(clip.recordOut),
    record_in_seconds: recordSeconds(clip.recordIn),
    record_out_seconds: recordSeconds(clip.recordOut),
    handle_before: clip.handles.before,
    handle_after: clip.handles.after,
    audio_tracks: source.audio.map((track) => track.name).join(' '),
    rank: clip.rank === null ? null : clip.rank + 1,
    score: clip.score,
    reason: clip.reason,
    enabled: clip.enabled === false ? 'no' : 'yes',
    markers: (clip.markers ?? []).map(({ frame, name, text }) => `${label(frame)} ${name}: ${text}`).join('\n'),
  };
}

/** Six decimals: a millionth of a second is finer than any frame, and floats add no noise. */
function round(seconds: number): number {
  return Number(seconds.toFixed(6));
}

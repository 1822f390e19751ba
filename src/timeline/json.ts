import { type CsvCell, csvText, toSeconds } from '../base/index.js';
import { parseSummary } from '../summary/index.js';
import { badTimeline, type CutList, type EditedClip, noteOn } from './edited.js';
import { formatRate, formatTimecode, frameBase, isCountable } from './rates.js';
import { sourceIndex } from './sources.js';
import { type Timeline, type TimelineClip, type TimelineFormat, timelineSchema, type TimelineSource } from './types.js';
import { oneLine } from './xml.js';

/** The timeline itself, schema `timeline.1`: everything, in the order of the schema. */
export const json: TimelineFormat = {
  title: 'Timeline JSON',
  extension: '.timeline.json',
  write(timeline) {
    return { text: `${JSON.stringify(timelineSchema.parse(timeline), null, 2)}\n`, notes: [] };
  },
};

/** Reads `timeline.1`. Of each clip only its source, `in` and `out` are used; the other figures follow from them. */
export function readTimelineJson(raw: unknown, file: string): CutList {
  const parsed = timelineSchema.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw badTimeline(file, issue?.path.join('.') || 'its root', issue?.message ?? 'not understood');
  }
  const { title, rate, dropFrame, sources, clips } = parsed.data;
  const wrong = [rate, ...sources.map((source) => source.rate)].find((candidate) => !isCountable(candidate));
  if (wrong) throw badTimeline(file, 'a rate', `timecode cannot count ${wrong.num}/${wrong.den} frames per second`);
  const byId = new Map(sources.map((source) => [source.id, source]));
  const disabled = clips.flatMap(({ enabled, name }, at) =>
    enabled === false ? [`"${oneLine(name)}" at clips.${at}`] : [],
  );
  return {
    title,
    counting: { rate, dropFrame },
    notes: noteOn('Disabled clips were left out', disabled),
    clips: [...clips.entries()]
      .filter(([, { enabled }]) => enabled !== false)
      .map(([at, clip]): EditedClip => {
        const source = byId.get(clip.source);
        if (source === undefined) throw badTimeline(file, `clips.${at}.source`, `there is no source "${clip.source}"`);
        if (clip.out <= clip.in) throw badTimeline(file, `clips.${at}.out`, `${clip.out} is not after ${clip.in}`);
        return {
          where: `clips.${at}`,
          clue: { id: source.id, path: source.path, name: source.name, reel: source.reel },
          counting: { rate: source.rate, dropFrame: source.dropFrame },
          origin: 'picture',
          from: clip.in,
          to: clip.out,
        };
      }),
  };
}

/** Reads an edited `summary.json`. Of each clip only its frames are used; its ticks follow from them. */
export function readSummaryJson(text: string, file: string): CutList {
  const { topic, videos } = parseSummary(text, file);
  const clips = videos.flatMap(({ id, path, clips: own }, v) =>
    own.map(({ startFrame, endFrame }, at): EditedClip => ({
      where: `videos.${v}.clips.${at}`,
      clue: { id, path },
      counting: null,
      origin: 'decoded',
      from: startFrame,
      to: endFrame,
    })),
  );
  return { title: topic, counting: null, clips, notes: [] };
}

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

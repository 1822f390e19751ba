import type { Rational } from '../base/index.js';
import { marksOf } from './marks.js';
import { isSameRate } from './rates.js';
import { sourceIndex } from './sources.js';
import type { TimelineClip, TimelineFormat, TimelineSource } from './types.js';

type Otio = { readonly OTIO_SCHEMA: string; readonly [field: string]: unknown };

/** Keys of the media references of a clip: the original, as the library names it, and its small copy. */
const MEDIA = 'DEFAULT_MEDIA';
const PROXY = 'PROXY_MEDIA';

/**
 * OpenTimelineIO JSON. Media time begins at the source's timecode, and ranges count frames of the source's own rate, so
 * that mixed rates stay exact. One video track, and an audio track for each that a source has.
 */
export const otio: TimelineFormat = {
  title: 'OpenTimelineIO',
  extension: '.otio',
  write(timeline) {
    const sourceOf = sourceIndex(timeline);
    const most = Math.max(0, ...timeline.sources.map((source) => source.audio.length));
    const pictures = timeline.clips.map((clip) => clipOf(clip, sourceOf(clip), { withMarker: true }));
    const sounds = Array.from({ length: most }, (_, at) =>
      timeline.clips.map((clip) =>
        sourceOf(clip).audio.length > at
          ? clipOf(clip, sourceOf(clip), { withMarker: false })
          : gapOf(clip, sourceOf(clip)),
      ),
    );
    const root = object('Timeline.1', timeline.title, {
      metadata: { throughline: { schema: timeline.schema, notes: timeline.notes, dropFrame: timeline.dropFrame } },
      global_start_time: time(timeline.timecodeFrame, timeline.rate),
      tracks: item('Stack.1', 'tracks', {
        children: [
          item('Track.1', 'V1', { kind: 'Video', children: pictures }),
          ...sounds.map((children, at) => item('Track.1', `A${at + 1}`, { kind: 'Audio', children })),
        ],
      }),
    });
    return { text: `${JSON.stringify(root, null, 2)}\n`, notes: [] };
  },
};

function object(schema: string, name: string, fields: Readonly<Record<string, unknown>>): Otio {
  return { OTIO_SCHEMA: schema, name, metadata: {}, ...fields };
}

/** Something that can be on a track, or hold what is. */
function item(schema: string, name: string, fields: Readonly<Record<string, unknown>>): Otio {
  return object(schema, name, { source_range: null, effects: [], markers: [], enabled: true, ...fields });
}

function time(frames: number, { num, den }: Rational): Otio {
  return { OTIO_SCHEMA: 'RationalTime.1', rate: num / den, value: frames };
}

function range(start: number, frames: number, rate: Rational): Otio {
  return { OTIO_SCHEMA: 'TimeRange.1', start_time: time(start, rate), duration: time(frames, rate) };
}

function clipOf(clip: TimelineClip, source: TimelineSource, { withMarker }: { withMarker: boolean }): Otio {
  const start = source.timecodeFrame + clip.in;
  const { rank, score, handles, firstFrame, endFrame, range: ticks } = clip;
  return item('Clip.2', clip.name, {
    metadata: { throughline: { video: clip.source, rank, score, handles, firstFrame, endFrame, ticks } },
    source_range: range(start, clip.out - clip.in, source.rate),
    enabled: clip.enabled !== false,
    markers: withMarker ? marksOf(clip).map((mark) => markerOf(mark, source)) : [],
    media_references: {
      [MEDIA]: mediaOf(source, source.url),
      ...(source.proxy === undefined ? {} : { [PROXY]: mediaOf(source, source.proxy) }),
    },
    active_media_reference_key: MEDIA,
  });
}

function gapOf(clip: TimelineClip, source: TimelineSource): Otio {
  return item('Gap.1', '', { source_range: range(0, clip.out - clip.in, source.rate) });
}

const COLORS = { reason: 'GREEN', moment: 'BLUE', evidence: 'CYAN', comment: 'RED' } as const;

function markerOf(
  { kind, frame, name, text, isDone }: ReturnType<typeof marksOf>[number],
  source: TimelineSource,
): Otio {
  return object('Marker.2', name, {
    ...(isDone === undefined ? {} : { metadata: { throughline: { isDone } } }),
    color: COLORS[kind],
    marked_range: range(source.timecodeFrame + frame, 0, source.rate),
    comment: text,
  });
}

function mediaOf(source: TimelineSource, url: string): Otio {
  const { reel, path, timecode, dropFrame, audio, isConformed, frameRate } = source;
  const ownRate = frameRate !== null && isSameRate(frameRate, source.rate) ? {} : { frameRate, isConformed };
  return object('ExternalReference.1', source.name, {
    metadata: { throughline: { reel, path, timecode, dropFrame, audio, ...ownRate } },
    available_range: range(source.timecodeFrame, source.frames, source.rate),
    available_image_bounds: null,
    target_url: url,
  });
}

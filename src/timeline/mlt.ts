import { rational } from '../base/index.js';
import { framesIn, inTimeline, playingOnly, recordFrame } from './rates.js';
import { marksOf } from './marks.js';
import { sourceIndex, pathOfUrl } from './sources.js';
import type { Timeline, TimelineClip, TimelineFormat, TimelineSource } from './types.js';
import { element, xmlFile, type Xml } from './xml.js';

/**
 * MLT XML, which melt plays, and Shotcut and Kdenlive open as a project, each with properties of its own. Everything counts
 * frames of the timeline's rate, and `out` is the last frame: a source of another rate is asked for the frame at that time.
 */
export const mlt: TimelineFormat = {
  title: 'MLT XML',
  extension: '.mlt',
  write(given, target) {
    const { timeline, notes } = playingOnly(given);
    const isKdenlive = target === 'kdenlive';
    const says = { LC_NUMERIC: 'C', version: '7.0.0', title: timeline.title };
    const root = element('mlt', { ...says, producer: isKdenlive ? 'main_bin' : 'timeline' }, [
      profile(timeline),
      ...(isKdenlive ? kdenliveProject(timeline) : shotcutProject(timeline)),
    ]);
    return { text: xmlFile(root, { comments: timeline.notes }), notes: [...notes, ...limits(timeline)] };
  },
};

function shotcutProject(timeline: Timeline): Xml[] {
  const ids = new Map(timeline.sources.map((source, at) => [source.id, `source${at + 1}`]));
  const sourceOf = sourceIndex(timeline);
  const whole = span(0, lengthOf(timeline));
  return [
    ...timeline.sources.map((source) =>
      producer(source, ids.get(source.id)!, timeline, { 'shotcut:caption': source.name }),
    ),
    // Shotcut takes the first track for its background, and makes the first clip there as long as the timeline.
    black('black', timeline),
    element('playlist', { id: 'background' }, [element('entry', { producer: 'black', ...whole })]),
    element('playlist', { id: 'V1' }, [
      ...properties({ 'shotcut:video': 1, 'shotcut:name': 'V1' }),
      ...timeline.clips.map((clip) => entry(clip, sourceOf(clip), ids.get(clip.source)!, timeline)),
    ]),
    element('tractor', { id: 'timeline', ...whole }, [
      property('shotcut', 1),
      ...shotcutMarkers(timeline),
      ...['background', 'V1'].map((track) => element('track', { producer: track })),
    ]),
  ];
}

/** The version of the structure of projects; Kdenlive converts those of earlier versions. */
const KDENLIVE_PROJECT = '1.04';

/**
 * A project of Kdenlive: the sources in its bin, then one track for pictures and one for sound. A source is named once in the
 * bin and once for each track, with the same `kdenlive:id`; a track is a tractor of two playlists, of which one is empty.
 */
function kdenliveProject(timeline: Timeline): Xml[] {
  const numbers = new Map(timeline.sources.map((source, at) => [source.id, at + 2]));
  const bin = (source: TimelineSource): Readonly<Record<string, string | number>> => ({
    ...{ 'kdenlive:id': numbers.get(source.id)!, 'kdenlive:clipname': source.name, 'kdenlive:folderid': -1 },
  });
  const sourceOf = sourceIndex(timeline);
  const whole = span(0, lengthOf(timeline));
  const trackOf = (name: 'A1' | 'V1'): Xml[] => {
    const isSound = name === 'A1';
    const hides = isSound ? { 'set.test_audio': 0, 'set.test_image': 1 } : { 'set.test_audio': 1, 'set.test_image': 0 };
    const isOn = ({ audio }: TimelineSource): boolean => !isSound || audio.length > 0;
    const entries = timeline.clips.map((clip) => {
      const source = sourceOf(clip);
      if (!isOn(source)) return element('blank', { length: clip.recordOut - clip.recordIn });
      const number = numbers.get(clip.source)!;
      return entry(clip, source, `${name}.${number}`, timeline, [property('kdenlive:id', number)]);
    });
    const kind = isSound ? [property('kdenlive:audio_track', 1)] : [];
    return [
      ...timeline.sources
        .filter(isOn)
        .map((source) => producer(source, `${name}.${numbers.get(source.id)}`, timeline, { ...bin(source), ...hides })),
      element('playlist', { id: `${name}.0` }, [...kind, ...entries]),
      element('playlist', { id: `${name}.1` }, kind),
      element('tractor', { id: name, ...whole }, [
        ...[...kind, property('kdenlive:track_name', ''), property('kdenlive:timeline_active', 1)],
        ...[0, 1].map((half) => element('track', { hide: isSound ? 'video' : 'audio', producer: `${name}.${half}` })),
      ]),
    ];
  };
  // Picture and sound of a clip are moved together.
  const groups = timeline.clips
    .filter((clip) => sourceOf(clip).audio.length > 0)
    .map(({ recordIn }) => {
      const leaves = [0, 1].map((track) => ({ type: 'Leaf', leaf: 'clip', data: `${track}:${recordIn}` }));
      return { type: 'AVSplit', children: leaves };
    });
  const guides = marksOfTimeline(timeline).map(({ at, text, kind }) => ({ comment: text, pos: at, type: kind === 'comment' ? 0 : 3 })); // prettier-ignore
  const said = { version: KDENLIVE_PROJECT, guides: JSON.stringify(guides), groups: JSON.stringify(groups) };
  return [
    ...timeline.sources.map((source) => producer(source, `bin.${numbers.get(source.id)}`, timeline, bin(source))),
    element('playlist', { id: 'main_bin' }, [
      ...Object.entries(said).map(([name, value]) => property(`kdenlive:docproperties.${name}`, value)),
      property('xml_retain', 1),
      ...timeline.sources.map((source) => element('entry', { producer: `bin.${numbers.get(source.id)}` })),
    ]),
    black('black_track', timeline),
    ...[...trackOf('A1'), ...trackOf('V1')],
    element('tractor', { id: 'timeline', global_feed: 1, ...whole }, [
      ...['black_track', 'A1', 'V1'].map((track) => element('track', { producer: track })),
    ]),
  ];
}

function lengthOf({ clips }: Timeline): number {
  return clips.at(-1)?.recordOut ?? 1;
}

function entry(
  clip: TimelineClip,
  source: TimelineSource,
  id: string,
  timeline: Timeline,
  inside: readonly Xml[] = [],
): Xml {
  const { from, to } = inTimeline(clip, source, timeline);
  return element('entry', { producer: id, ...span(from, to) }, inside);
}

function black(id: string, timeline: Timeline): Xml {
  const frames = lengthOf(timeline);
  const said = { length: frames, mlt_service: 'color', resource: 0, mlt_image_format: 'rgba' };
  return element('producer', { id, ...span(0, frames) }, properties(said));
}

function marksOfTimeline(timeline: Timeline): { at: number; text: string; kind: string }[] {
  const sourceOf = sourceIndex(timeline);
  return timeline.clips.flatMap((clip) =>
    marksOf(clip).map(({ kind, frame, name, text }) => {
      return { at: recordFrame(clip, sourceOf(clip), frame, timeline), text: `${name}: ${text}`, kind };
    }),
  );
}

/** Markers of the timeline, as Shotcut keeps them: a list of properties within the properties. */
function shotcutMarkers(timeline: Timeline): Xml[] {
  const lists = marksOfTimeline(timeline).map(({ at, text, kind }, place) => {
    const color = kind === 'comment' ? '#ff0000' : '#008000';
    return element('properties', { name: place }, properties({ text, start: at, end: at, color }));
  });
  if (lists.length === 0) return [];
  return [element('properties', { name: 'shotcut:markers' }, lists)];
}

function limits({ sources }: Timeline): string[] {
  const several = sources.filter(({ audio }) => audio.length > 1);
  if (several.length === 0) return [];
  return [`MLT plays only the first sound track of ${several.map(({ name }) => name).join(', ')}.`];
}

/** Half-open frames as MLT writes them. */
function span(from: number, to: number): { in: number; out: number } {
  return { in: from, out: to - 1 };
}

function property(name: string, value: string | number): Xml {
  return { name: 'property', attributes: { name }, content: String(value) };
}

function properties(values: Readonly<Record<string, string | number>>): Xml[] {
  return Object.entries(values).map(([name, value]) => property(name, value));
}

function profile({ widthPx, heightPx, sampleAspect, rate }: Timeline): Xml {
  const shape = rational(widthPx * sampleAspect.num, heightPx * sampleAspect.den);
  return element('profile', {
    description: 'Throughline',
    width: widthPx,
    height: heightPx,
    progressive: 1,
    sample_aspect_num: sampleAspect.num,
    sample_aspect_den: sampleAspect.den,
    display_aspect_num: shape.num,
    display_aspect_den: shape.den,
    frame_rate_num: rate.num,
    frame_rate_den: rate.den,
    colorspace: 709,
  });
}

function producer(
  source: TimelineSource,
  id: string,
  timeline: Timeline,
  more: Readonly<Record<string, string | number>>,
): Xml {
  const frames = Math.max(1, framesIn(source, timeline));
  const said = { length: frames, mlt_service: 'avformat-novalidate', resource: pathOfUrl(source.url) };
  return element('producer', { id, ...span(0, frames) }, properties({ ...said, ...more }));
}

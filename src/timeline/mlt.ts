import { rational } from '../base/index.js';
import { framesIn, inTimeline, playingOnly, recordFrame } from './rates.js';
import { marksOf } from './marks.js';
import { sourceIndex, pathOfUrl } from './sources.js';
import type { Timeline, TimelineClip, TimelineFormat, TimelineSource } from './types.js';
import { element, xmlFile, type Xml } from './xml.js';

/**
 * MLT XML, which melt plays and Shotcut opens as a project. Everything counts frames of the timeline's rate, and `out` is
 * the last frame: a source of another rate is asked for the frame at that time.
 */
export const mlt: TimelineFormat = {
  title: 'MLT XML',
  extension: '.mlt',
  write(given) {
    const { timeline, notes } = playingOnly(given);
    const ids = new Map(timeline.sources.map((source, at) => [source.id, `source${at + 1}`]));
    const sourceOf = sourceIndex(timeline);
    const entry = (clip: TimelineClip): Xml => {
      const { from, to } = inTimeline(clip, sourceOf(clip), timeline);
      return element('entry', { producer: ids.get(clip.source), ...span(from, to) });
    };
    const root = element('mlt', { LC_NUMERIC: 'C', version: '7.0.0', title: timeline.title, producer: 'timeline' }, [
      profile(timeline),
      ...timeline.sources.map((source) => producer(source, ids.get(source.id)!, timeline)),
      element('playlist', { id: 'V1' }, [
        property('shotcut:video', 1),
        property('shotcut:name', 'V1'),
        ...timeline.clips.map(entry),
      ]),
      element('tractor', { id: 'timeline', ...span(0, timeline.clips.at(-1)?.recordOut ?? 1) }, [
        property('shotcut', 1),
        ...markers(timeline),
        element('track', { producer: 'V1' }),
      ]),
    ]);
    return { text: xmlFile(root, { comments: timeline.notes }), notes: [...notes, ...limits(timeline)] };
  },
};

/** Markers of the timeline, as Shotcut keeps them: a list of properties within the properties. */
function markers(timeline: Timeline): Xml[] {
  const sourceOf = sourceIndex(timeline);
  const all = timeline.clips.flatMap((clip) =>
    marksOf(clip).map(({ kind, frame, name, text }) => {
      const at = recordFrame(clip, sourceOf(clip), frame, timeline);
      return { text: `${name}: ${text}`, start: at, end: at, color: kind === 'comment' ? '#ff0000' : '#008000' };
    }),
  );
  if (all.length === 0) return [];
  const lists = all.map(
    (marker, at) =>
    element('properties', { name: at }, Object.entries(marker).map(([name, value]) => property(name, value))), // prettier-ignore
  );
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

function producer(source: TimelineSource, id: string, timeline: Timeline): Xml {
  const frames = Math.max(1, framesIn(source, timeline));
  return element('producer', { id, ...span(0, frames) }, [
    property('length', frames),
    property('mlt_service', 'avformat-novalidate'),
    property('resource', pathOfUrl(source.url)),
    property('shotcut:caption', source.name),
  ]);
}

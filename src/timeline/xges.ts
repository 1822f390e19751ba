import { frameBase } from './rates.js';
import { inTimeline, playingOnly } from './rates.js';
import { sourceIndex } from './sources.js';
import type { TimelineClip, TimelineFormat } from './types.js';
import { element, xmlFile, type Xml } from './xml.js';

/** Bits of a track of pictures, and of one of sound. */
const [SOUND, PICTURES] = [2, 4];

/**
 * A project of GStreamer Editing Services, which Pitivi opens. Times are whole nanoseconds, rounded as GStreamer rounds those
 * of pictures: frame n of rate r begins at ⌊n·10⁹/r⌋. Rounded up, a clip would begin a frame late.
 */
export const xges: TimelineFormat = {
  title: 'GStreamer Editing Services',
  extension: '.xges',
  write(given) {
    const { timeline, notes } = playingOnly(given);
    const sourceOf = sourceIndex(timeline);
    const { num, den } = frameBase(timeline.rate);
    const time = (frame: number): number => Number((BigInt(frame) * BigInt(num) * 10n ** 9n) / BigInt(den));
    const clip = (each: TimelineClip, at: number): Xml => {
      const source = sourceOf(each);
      const { from } = inTimeline(each, source, timeline);
      const start = time(each.recordIn);
      return element('clip', {
        ...{ id: at, 'asset-id': source.url, 'type-name': 'GESUriClip', 'layer-priority': 0, rate: 0 },
        'track-types': source.audio.length > 0 ? SOUND + PICTURES : PICTURES,
        ...{ start, duration: time(each.recordOut) - start, inpoint: time(from) },
        ...{ properties: `properties, name=(string)clip${at};`, metadatas: 'metadatas;' },
      });
    };
    const { widthPx, heightPx, sampleAspect: shape, rate } = timeline;
    const picture = `video/x-raw(ANY), width=(int)${widthPx}, height=(int)${heightPx}, framerate=(fraction)${rate.num}/${rate.den}, pixel-aspect-ratio=(fraction)${shape.num}/${shape.den}`; // prettier-ignore
    const assets = timeline.sources.map(({ url }) =>
      element('asset', { id: url, 'extractable-type-name': 'GESUriClip', ...NOTHING }),
    );
    const tracks = [
      track(0, PICTURES, 'video/x-raw(ANY)', picture),
      track(1, SOUND, 'audio/x-raw(ANY)', 'audio/x-raw, rate=(int)48000, channels=(int)2'),
    ];
    const content = [
      element('ressources', {}, assets),
      element('timeline', NOTHING, [
        ...tracks,
        element('layer', { priority: 0, ...NOTHING }, timeline.clips.map(clip)),
      ]),
    ];
    const metadatas = `metadatas, name=(string)${quoted(timeline.title)};`;
    const project = element('project', { ...NOTHING, metadatas }, content);
    const isRelative = timeline.sources.some(({ url }) => !/^\w+:/.test(url));
    const lost = isRelative ? ['GStreamer finds no files by relative paths: export with absolute ones.'] : [];
    const text = xmlFile(element('ges', { version: '0.7' }, [project]), { comments: timeline.notes });
    return { text, notes: [...notes, ...lost] };
  },
};

const NOTHING = { properties: 'properties;', metadatas: 'metadatas;' };

function track(id: number, type: number, caps: string, restriction: string): Xml {
  const properties = `properties, restriction-caps=(string)${quoted(restriction)};`;
  return element('track', { caps, 'track-type': type, 'track-id': id, properties, metadatas: 'metadatas;' });
}

/** A string as GStreamer writes it: marks behind a backslash, and bytes beyond ASCII as octal numbers. */
function quoted(text: string): string {
  const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`;
  const escaped = text
    .replace(/[\x20-\x7e]/g, (character) => (/[\w./:+-]/.test(character) ? character : `\\${character}`))
    .replace(/[^\x20-\x7e]+/gu, (others) => [...Buffer.from(others)].map(octal).join(''));
  return `"${escaped}"`;
}

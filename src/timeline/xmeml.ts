import type { Rational } from '../base/index.js';
import { isSameRate, nominalOf, type Counting, formatTimecode, playingOnly } from './rates.js';
import { sourceIndex, pathOfUrl } from './sources.js';
import { marksOf } from './marks.js';
import { forOpenShot } from './targets.js';
import type { Timeline, TimelineClip, TimelineFormat, TimelineSource } from './types.js';
import { element, leaf, xmlFile, type Xml } from './xml.js';

/** Channels assumed for a sound track if the summary does not say how many it has. */
const USUAL_CHANNELS = 2;

/** Channels taken of one source: every channel of a clip names every other, so the file grows with their square. */
const MAX_CHANNELS = 32;

/** One clip on one track: the picture, or one channel of the sound. Places are counted from 1. */
type Item = {
  readonly id: string;
  readonly clip: TimelineClip;
  readonly source: TimelineSource;
  readonly kind: 'video' | 'audio';
  readonly track: number;
  readonly place: number;
};

/**
 * Final Cut Pro 7 XML, version 5. `start` and `end` count frames of the sequence, `in` and `out` frames of the source
 * from its first picture; a file is described where it appears first and named by its id afterwards.
 */
export const xmeml: TimelineFormat = {
  title: 'Final Cut Pro 7 XML',
  extension: '.xml',
  write(given, target) {
    const isOpenShot = target === 'openshot';
    // OpenShot would play disabled clips.
    const { timeline: playing, notes } = isOpenShot ? playingOnly(given) : { timeline: given, notes: [] };
    const timeline = isOpenShot ? withoutSound(forOpenShot(playing)) : given;
    const groups = itemsOf(timeline);
    const described = new Set<string>();
    const fileIds = new Map(timeline.sources.map((source, at) => [source.id, `file-${at + 1}`]));
    const render = (item: Item, group: readonly Item[]): Xml => {
      const fileId = fileIds.get(item.source.id)!;
      // OpenShot leaves out clips whose file is described elsewhere, and expects a path where others expect a URL.
      const isKnown = described.has(fileId) && !isOpenShot;
      const url = isOpenShot
        ? pathOfUrl(item.source.url)
        : item.source.url.replace(/^file:\/\/\//, 'file://localhost/');
      const file = isKnown ? element('file', { id: fileId }) : describeFile(item.source, fileId, url);
      described.add(fileId);
      return clipItem(item, group, file);
    };
    const tracks = new Map<string, Xml[]>();
    for (const kind of ['video', 'audio'] as const) {
      for (const group of groups) {
        for (const item of group.filter((candidate) => candidate.kind === kind)) {
          const key = `${kind} ${item.track}`;
          if (!tracks.has(key)) tracks.set(key, []);
          tracks.get(key)!.push(render(item, group));
        }
      }
    }
    const trackOf = (kind: string): Xml[] =>
      [...tracks]
        .filter(([key]) => key.startsWith(kind))
        .map(([, items]) => element('track', {}, [...items, leaf('enabled', 'TRUE'), leaf('locked', 'FALSE')]));
    const sequence = element('sequence', { id: 'sequence-1' }, [
      leaf('name', timeline.title),
      leaf('duration', timeline.clips.at(-1)?.recordOut ?? 0),
      rateOf(timeline.rate),
      timecodeOf(timeline.timecodeFrame, timeline),
      element('media', {}, [
        element('video', {}, [element('format', {}, [pictureOf(timeline)]), ...trackOf('video')]),
        element('audio', {}, [
          leaf('numOutputChannels', 2),
          element('format', {}, [
            element('samplecharacteristics', {}, [leaf('depth', 16), leaf('samplerate', 48_000)]),
          ]),
          ...trackOf('audio'),
        ]),
      ]),
    ]);
    const root = element('xmeml', { version: 5 }, [sequence]);
    return {
      text: xmlFile(root, { doctype: 'xmeml', comments: timeline.notes }),
      notes: [...notes, ...limits(timeline)],
    };
  },
};

/** OpenShot plays the sound of a picture’s clip; clips of sound would be heard as well. */
function withoutSound(timeline: Timeline): Timeline {
  return { ...timeline, sources: timeline.sources.map((source) => ({ ...source, audio: [] })) };
}

function limits({ sources }: Timeline): string[] {
  const cut = sources.filter((source) => channelsOf(source) > MAX_CHANNELS);
  if (cut.length === 0) return [];
  const names = cut.map(({ name }) => name).join(', ');
  return [
    `The list has at most ${MAX_CHANNELS} channels of sound of a source; the others were left out: see ${names}.`,
  ];
}

function channelsOf({ audio }: TimelineSource): number {
  return audio.reduce((sum, track) => sum + (track.channels ?? USUAL_CHANNELS), 0);
}

/** For each clip its picture and the channels of its sound. */
function itemsOf(timeline: Timeline): Item[][] {
  const sourceOf = sourceIndex(timeline);
  const lengths = new Map<string, number>();
  let count = 0;
  return timeline.clips.map((clip) => {
    const source = sourceOf(clip);
    const channels = Math.min(channelsOf(source), MAX_CHANNELS);
    return [0, ...Array.from({ length: channels }, (_, at) => at + 1)].map((channel): Item => {
      const kind = channel === 0 ? 'video' : 'audio';
      const track = Math.max(1, channel);
      const place = (lengths.get(`${kind} ${track}`) ?? 0) + 1;
      lengths.set(`${kind} ${track}`, place);
      return { id: `clipitem-${++count}`, clip, source, kind, track, place };
    });
  });
}

function clipItem({ id, clip, source, kind, track }: Item, group: readonly Item[], file: Xml): Xml {
  const markers = marksOf(clip).map(({ frame, name, text }) =>
    element('marker', {}, [leaf('name', name), leaf('comment', text), leaf('in', frame), leaf('out', -1)]),
  );
  return element('clipitem', { id }, [
    leaf('name', clip.name),
    leaf('enabled', clip.enabled === false ? 'FALSE' : 'TRUE'),
    leaf('duration', source.frames),
    rateOf(source.rate),
    leaf('start', clip.recordIn),
    leaf('end', clip.recordOut),
    leaf('in', clip.in),
    leaf('out', clip.out),
    file,
    ...(kind === 'audio'
      ? [element('sourcetrack', {}, [leaf('mediatype', 'audio'), leaf('trackindex', track)])]
      : markers),
    ...(group.length === 1 ? [] : group.map(linkTo)),
  ]);
}

/** Picture and sound of a clip link to each other, so that an editing system moves them together. */
function linkTo({ id, kind, track, place }: Item): Xml {
  return element('link', {}, [
    leaf('linkclipref', id),
    leaf('mediatype', kind),
    leaf('trackindex', track),
    leaf('clipindex', place),
  ]);
}

function describeFile(source: TimelineSource, id: string, url: string): Xml {
  const channels = channelsOf(source);
  const sound = element('audio', {}, [leaf('channelcount', channels)]);
  return element('file', { id }, [
    leaf('name', source.name),
    leaf('pathurl', url),
    rateOf(source.rate),
    leaf('duration', source.frames),
    timecodeOf(source.timecodeFrame, source, source.reel),
    element('media', {}, [
      element('video', {}, [leaf('duration', source.frames), pictureOf(source)]),
      ...(channels > 0 ? [sound] : []),
    ]),
  ]);
}

function rateOf(rate: Rational): Xml {
  const nominal = nominalOf(rate);
  const isNtsc = !isSameRate(rate, { num: nominal, den: 1 });
  return element('rate', {}, [leaf('timebase', nominal), leaf('ntsc', isNtsc ? 'TRUE' : 'FALSE')]);
}

function timecodeOf(frame: number, counting: Counting, reel?: string): Xml {
  return element('timecode', {}, [
    ...(reel === undefined ? [] : [element('reel', {}, [leaf('name', reel)])]),
    rateOf(counting.rate),
    leaf('string', formatTimecode(frame, counting)),
    leaf('frame', frame),
    leaf('displayformat', counting.dropFrame ? 'DF' : 'NDF'),
  ]);
}

function pictureOf({ rate, widthPx, heightPx, sampleAspect }: Omit<TimelineSource, 'audio'> | Timeline): Xml {
  const isSquare = sampleAspect.num === sampleAspect.den;
  return element('samplecharacteristics', {}, [
    rateOf(rate),
    leaf('width', widthPx),
    leaf('height', heightPx),
    // The format has names only for a few television pixels; other shapes cannot be written.
    ...(isSquare ? [leaf('pixelaspectratio', 'square')] : []),
    leaf('fielddominance', 'none'),
  ]);
}

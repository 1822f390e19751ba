import type { Rational } from '../base/index.js';
import { marksOf } from './marks.js';
import { formatRate, frameBase, isSameRate } from './rates.js';
import { sourceIndex } from './sources.js';
import type { Timeline, TimelineClip, TimelineFormat, TimelineSource } from './types.js';
import { element, leaf, xmlFile, type Xml } from './xml.js';

/** Rates a `conform-rate` may name (FCPXML 1.10 DTD). */
const CONFORM_RATES = new Set(['23.98', '24', '25', '29.97', '30', '47.95', '48', '50', '59.94', '60']);

/**
 * FCPXML 1.10: formats and assets, then one project whose spine plays asset clips. Times are whole frames as fractions
 * of a second. A clip's `offset` and `duration` lie on frames of the sequence, its `start` on a frame of the source.
 */
export const fcpxml: TimelineFormat = {
  title: 'FCPXML 1.10',
  extension: '.fcpxml',
  write(timeline) {
    const formats = formatTable();
    const sequenceFormat = formats.idOf(timeline);
    const assets = timeline.sources.map((source, at) => asset(source, `a${at + 1}`, formats.idOf(source)));
    const idOf = new Map(timeline.sources.map((source, at) => [source.id, `a${at + 1}`]));
    const sourceOf = sourceIndex(timeline);
    const spine = timeline.clips.map((clip) => assetClip(clip, sourceOf(clip), idOf.get(clip.source)!, timeline));
    const frames = timeline.clips.at(-1)?.recordOut ?? 0;
    const sequence = element(
      'sequence',
      {
        format: sequenceFormat,
        duration: time(frames, timeline.rate),
        tcStart: time(timeline.timecodeFrame, timeline.rate),
        tcFormat: timeline.dropFrame ? 'DF' : 'NDF',
        audioLayout: 'stereo',
        audioRate: '48k',
      },
      [...(timeline.notes.length > 0 ? [leaf('note', timeline.notes.join(' '))] : []), element('spine', {}, spine)],
    );
    const root = element('fcpxml', { version: '1.10' }, [
      element('resources', {}, [...formats.elements(), ...assets]),
      element('library', {}, [
        element('event', { name: timeline.title }, [element('project', { name: timeline.title }, [sequence])]),
      ]),
    ]);
    return { text: xmlFile(root, { doctype: 'fcpxml', comments: timeline.notes }), notes: [] };
  },
};

/** Frames as a fraction of a second; whole seconds are written without one. */
function time(frames: number, rate: Rational): string {
  const { num, den } = frameBase(rate);
  const top = BigInt(frames) * BigInt(num);
  return top % BigInt(den) === 0n ? `${top / BigInt(den)}s` : `${top}/${den}s`;
}

type Shape = Pick<Timeline, 'rate' | 'widthPx' | 'heightPx' | 'sampleAspect'>;

/** One `format` for each size, shape and rate, by id. */
function formatTable(): { idOf(shape: Shape): string; elements(): Xml[] } {
  const known = new Map<string, Xml>();
  return {
    idOf({ rate, widthPx, heightPx, sampleAspect: { num, den } }) {
      const pixels = num === den ? {} : { paspH: num, paspV: den };
      const says = { frameDuration: `${rate.den}/${rate.num}s`, width: widthPx, height: heightPx, ...pixels };
      const key = JSON.stringify(says);
      if (!known.has(key)) known.set(key, element('format', { id: `r${known.size + 1}`, ...says }));
      return String(known.get(key)?.attributes['id']);
    },
    elements: () => [...known.values()],
  };
}

function asset(source: TimelineSource, id: string, format: string): Xml {
  const channels = source.audio.map((track) => track.channels);
  const known = channels.every((count) => count !== null) ? channels.reduce((sum, count) => sum + count, 0) : undefined;
  const hasAudio = source.audio.length > 0;
  return element(
    'asset',
    {
      id,
      name: source.name,
      start: time(source.timecodeFrame, source.rate),
      duration: time(source.frames, source.rate),
      hasVideo: 1,
      format,
      videoSources: 1,
      ...(hasAudio ? { hasAudio: 1, audioSources: source.audio.length, audioChannels: known } : {}),
    },
    [
      element('media-rep', { kind: 'original-media', src: source.url }),
      ...(source.proxy === undefined ? [] : [element('media-rep', { kind: 'proxy-media', src: source.proxy })]),
      element('metadata', {}, [element('md', { key: 'com.apple.proapps.studio.reel', value: source.reel })]),
    ],
  );
}

function assetClip(clip: TimelineClip, source: TimelineSource, ref: string, timeline: Timeline): Xml {
  const start = time(source.timecodeFrame + clip.in, source.rate);
  const markers = marksOf(clip).map(({ kind, frame, name, text, isDone }) =>
    element('marker', {
      start: time(source.timecodeFrame + frame, source.rate),
      duration: time(1, source.rate),
      value: kind === 'reason' ? text : `${name}: ${text}`,
      // Comments are things to do.
      completed: isDone === undefined ? undefined : Number(isDone),
      note: kind === 'reason' && clip.score !== null ? `score ${clip.score}` : undefined,
    }),
  );
  return element(
    'asset-clip',
    {
      ref,
      offset: time(timeline.timecodeFrame + clip.recordIn, timeline.rate),
      name: clip.name,
      start,
      duration: time(clip.recordOut - clip.recordIn, timeline.rate),
      enabled: clip.enabled === false ? 0 : undefined,
      tcFormat: source.dropFrame ? 'DF' : 'NDF',
      audioRole: source.audio.length > 0 ? 'dialogue' : undefined,
    },
    [...(isSameRate(source.rate, timeline.rate) ? [] : [conformRate(source)]), ...markers, ...soundTracks(source)],
  );
}

/** The clip plays in real time: frames are left out or repeated, its speed does not change. */
function conformRate({ rate }: TimelineSource): Xml {
  const exact = formatRate({ rate, dropFrame: false });
  const name = { '23.976': '23.98', '47.952': '47.95' }[exact] ?? exact;
  return element('conform-rate', { scaleEnabled: 0, srcFrameRate: CONFORM_RATES.has(name) ? name : undefined });
}

/** Several sound tracks get a role each, by their names, if the channels of each are known. */
function soundTracks({ audio }: TimelineSource): Xml[] {
  if (audio.length < 2) return [];
  let channel = 0;
  const elements: Xml[] = [];
  for (const { name, channels } of audio) {
    if (channels === null) return [];
    const numbers = Array.from({ length: channels }, () => ++channel);
    elements.push(element('audio-channel-source', { srcCh: numbers.join(', '), role: `dialogue.${name}` }));
  }
  return elements;
}

import { rational, rescale, toSeconds, type Rational } from '../base/index.js';
import type { SummaryDocument, VideoSummary } from '../summary/index.js';
import { canDrop, countableRate, formatRate, frameBase, nearestStandard, isDropLabel, parseTimecode } from './rates.js';
import type { Timeline, TimelineClip, TimelineSource } from './types.js';
import type { Locate } from './urls.js';

/** The most sound tracks, and channels in one, that are exported; a file may claim any number. */
const MAX_TRACKS = 64;

/** The videos of a summary as sources, by id. Adds what a reader should know to `notes`. */
export function sourcesOf(
  document: SummaryDocument,
  videos: readonly VideoSummary[],
  { locate, proxies }: { readonly locate: Locate; readonly proxies?: ReadonlyMap<string, string> | undefined },
  notes: string[],
): [string, TimelineSource][] {
  const reels = reelsOf(document);
  return videos.map((video) => {
    const frameRate = video.frameRate && rational(video.frameRate.num, video.frameRate.den);
    const counted = frameRate && countableRate(frameRate, video.frames);
    const length = video.range.end - video.range.start;
    const mean = frameRate ? frameRate.num / frameRate.den : video.frames / toSeconds(length, video.range.base);
    const rate = counted ?? nearestStandard(mean);
    const isConformed = counted === null;
    if (isConformed) notes.push(conformedNote(video, rate, mean));
    const start = startOf(video.timecode, rate);
    if (start === null) {
      notes.push(
        `${nameOf(video.path)} states the timecode ${video.timecode}, which does not exist at ${formatRate({ rate, dropFrame: false })} frames per second; its frames are counted from zero.`,
      );
    }
    const source: TimelineSource = {
      id: video.id,
      name: nameOf(video.path),
      path: video.path,
      url: locate(video.path),
      ...(proxies?.has(video.path) ? { proxy: proxies.get(video.path)! } : {}),
      reel: reels.get(video.id)!,
      widthPx: video.widthPx,
      heightPx: video.heightPx,
      sampleAspect: video.sampleAspect,
      frameRate,
      rate,
      isConformed,
      frames: isConformed ? Math.max(1, rescale(length, video.range.base, frameBase(rate))) : video.frames,
      range: video.range,
      timecodeFrame: start?.frame ?? 0,
      dropFrame: start?.dropFrame ?? false,
      timecode: video.timecode ?? null,
      audio: Array.from({ length: Math.min(video.audioTracks, MAX_TRACKS) }, (_, at) => ({
        name: `A${at + 1}`,
        channels: Math.min(video.audio?.[at]?.channels ?? 0, MAX_TRACKS) || null,
        language: video.audio?.[at]?.language ?? null,
      })),
    };
    return [video.id, source];
  });
}

/** The frame of the timecode that a file states: zero if it states none, `null` if there is no such label. */
export function startOf(
  timecode: string | undefined,
  rate: Rational,
): { readonly frame: number; readonly dropFrame: boolean } | null {
  if (timecode === undefined) return { frame: 0, dropFrame: false };
  const dropFrame = isDropLabel(timecode) === true && canDrop(rate);
  const frame = parseTimecode(timecode, { rate, dropFrame });
  return frame === null ? null : { frame, dropFrame };
}

function conformedNote(video: VideoSummary, rate: Rational, mean: number): string {
  const conformed = `${formatRate({ rate, dropFrame: false })} frames per second`;
  const why = video.frameRate
    ? `has ${Math.round(1000 * mean) / 1000} frames per second, which timecode cannot count`
    : `has a varying frame rate (${Math.round(1000 * mean) / 1000} on average)`;
  return `${nameOf(video.path)} ${why}: it was conformed to ${conformed}, and its cuts were rounded to the nearest frame.`;
}

/** A file's name without its folders. */
export function nameOf(path: string): string {
  return path.split(/[\\/]/).findLast((step) => step !== '') ?? path;
}

/** Finds the source of a clip. Throws if the timeline does not have it. */
export function sourceIndex(timeline: Timeline): (clip: TimelineClip) => TimelineSource {
  const byId = new Map(timeline.sources.map((source) => [source.id, source]));
  return (clip) => {
    const source = byId.get(clip.source);
    if (source === undefined) throw new Error(`The timeline has no source "${clip.source}".`);
    return source;
  };
}

/** Names with another meaning in a cut list: auxiliary, black, colour bars. */
const RESERVED = new Set(['AX', 'BL', 'BARS', 'NONE']);
const LONGEST = 8;

/** A reel name for each video: at most 8 capital letters, digits and underscores, made from the file name, unique. */
export function reelsOf({ videos }: Pick<SummaryDocument, 'videos'>): Map<string, string> {
  const taken = new Set(RESERVED);
  // Where to continue counting for names that begin alike. Counting from 2 each time would take quadratic time.
  const counts = new Map<string, number>();
  return new Map(
    videos.map(({ id, path }) => {
      const name = plain(path.replace(/^.*[\\/]/s, '').replace(/(?<=.)\.[^.]*$/s, '')) || 'CLIP';
      const wanted = name.slice(0, LONGEST);
      let [reel, count] = [wanted, counts.get(wanted) ?? 2];
      for (; taken.has(reel); count++) reel = `${name.slice(0, LONGEST - String(count).length)}${count}`;
      taken.add(reel);
      counts.set(wanted, count);
      return [id, reel];
    }),
  );
}

/** Drops accents and characters outside ASCII, and turns everything but letters and digits into underscores. */
function plain(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, '')
    .toUpperCase();
  return letters.replace(/[^A-Z0-9]+/g, '_').replace(/^_+|_+$/g, '');
}

import { isAbsolute, relative, resolve, sep } from 'node:path';
import { rational, type Rational, rescale, toSeconds } from '../base/index.js';
import type { SummaryDocument, VideoSummary } from '../summary/index.js';
import { canDrop, countableRate, formatRate, frameBase, isDropLabel, nearestStandard, parseTimecode } from './rates.js';
import type { Timeline, TimelineClip, TimelineSource } from './types.js';

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

/** Turns the path of a source in the summary into a URL. */
export type Locate = (path: string) => string;

/** File URLs of sources in `folder`. */
export function fileUrls(folder: string): Locate {
  return (path) => {
    const steps = resolve(folder, path).split(sep);
    // A drive letter's colon is the one character of a path that must stay as it is.
    const encoded = steps.map((step, at) => (at === 0 && /^[A-Za-z]:$/.test(step) ? `/${step}` : encodeStep(step)));
    return `file://${encoded.join('/')}`;
  };
}

/**
 * File URLs of sources in a folder of another machine, whose paths may be written another way (`D:\\footage`, `/Volumes/x`). A
 * video outside of the topic's folder is expected in the folder itself.
 */
export function rootUrls(root: string): Locate {
  const [, host, drive, rest = ''] = /^(?:\/\/([^/]+)|([A-Za-z]:))?(.*)$/s.exec(root.replaceAll('\\', '/')) ?? [];
  const start = `file://${host === undefined ? '' : encodeStep(host)}${drive === undefined ? '' : `/${drive}`}`;
  const stepsOf = (path: string): string[] => path.split(/[\\/]/).filter((step) => step !== '' && step !== '.');
  return (path) => {
    const own = stepsOf(path);
    const isInside = !/^([\\/]|[A-Za-z]:[\\/])/.test(path) && !own.includes('..');
    return [start, ...[...stepsOf(rest), ...(isInside ? own : own.slice(-1))].map(encodeStep)].join('/');
  };
}

/** URLs of sources in `folder`, relative to the folder `from`; absolute if there is no relative path (another drive). */
export function relativeUrls(folder: string, from: string): Locate {
  return (path) => {
    const way = relative(from, resolve(folder, path));
    return isAbsolute(way) ? fileUrls(folder)(path) : stepsToUrl(way.split(sep));
  };
}

/** The relative URL of a path from a summary. */
export const sameFolder: Locate = (path) => stepsToUrl(path.split(sep));

function stepsToUrl(steps: readonly string[]): string {
  const url = steps.map(encodeStep).join('/');
  // "a:b.mp4" would read as a scheme, but colons are encoded; a leading dash would read as an option.
  return url.startsWith('-') ? `./${url}` : url;
}

/** Like encodeURIComponent, with quotes encoded too, and lone surrogates, which it refuses, replaced. */
function encodeStep(step: string): string {
  return encodeURIComponent(step.replace(/\p{Cs}/gu, '\uFFFD')).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The path of a URL or a path, with forward slashes; text that is not encoded properly is not decoded. */
export function pathOfUrl(url: string): string {
  // A file URL may name this machine or another, and has a slash before the letter of a drive.
  const path = url
    .replace(/^file:\/\/(?:localhost)?(?=\/)/i, '')
    .replace(/^file:(?=\/\/)/i, '')
    .replace(/^\/(?=[A-Za-z]:\/)/, '')
    .replace(/^\.\//, '');
  try {
    return decodeURIComponent(path).replaceAll('\\', '/');
  } catch {
    return path.replaceAll('\\', '/');
  }
}

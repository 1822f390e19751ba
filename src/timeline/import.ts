import { UsageError } from '../base/index.js';
import { clipsOf, type Clip, type SummaryDocument, type SummaryShot, type VideoSummary } from '../summary/index.js';
import { shotsIn, timelineOfTopic, type PickedClip, type TimelineOptions } from './build.js';
import { openEdges } from './edges.js';
import { filmWishes } from './film-wishes.js';
import { badTimeline, parseJson, type CutList, sourceMatcher } from './edited.js';
import { readEdl } from './edl.js';
import { readSummaryJson, readTimelineJson } from './json.js';
import { readOtio } from './otio-read.js';
import { timelineRateFor, type Counting } from './rates.js';
import { sourcesOf } from './sources.js';
import type { Timeline, TimelineSource } from './types.js';
import { sameFolder } from './urls.js';

/** Far more than anyone edits; a file with more is damaged or malicious. */
const MAX_CLIPS = 20_000;

/**
 * Reads a cut list against the summary its videos come from: EDL, OpenTimelineIO, `timeline.1` or an edited
 * `summary.json`, recognised by content. Videos without a clip in it keep theirs. `file` names it in messages.
 */
export function importTimeline(
  text: string,
  document: SummaryDocument,
  { file, counting }: { file: string } & Pick<TimelineOptions, 'counting'>,
): {
  /** The clips in the order the list plays them. */
  readonly timeline: Timeline;
  /** The summary with those clips: in film order for each video, every stretch once. */
  readonly document: SummaryDocument;
  /** What makes the film of the topic play these clips: options of a run, as a configuration file has them. */
  readonly film: {
    readonly pin: readonly string[];
    readonly concept: string;
    readonly topicSequence: readonly string[];
  };
  /** What of that differs from the list. */
  readonly filmNotes: readonly string[];
  /** What was changed or left out. */
  readonly notes: readonly string[];
  /** Clips that could not be used, with the reason and their place: no source in the summary, or outside of it. */
  readonly leftOut: readonly string[];
} {
  const sources = sourcesOf(document, document.videos, { locate: sameFolder }, []).map(([, source]) => source);
  if (sources.length === 0) {
    throw new UsageError(
      'no-clips',
      'Expected a summary with videos, found none. Give the summary that the list was made from.',
    );
  }
  const list = readList(text.replace(/^\uFEFF/, ''), file, { asked: counting, usual: usualCounting(sources) });
  if (list.clips.length > MAX_CLIPS) {
    throw badTimeline(file, list.clips[MAX_CLIPS]!.where, `it has more than ${MAX_CLIPS} clips`);
  }
  const videos = new Map(document.videos.map((video) => [video.id, video]));
  const edges = new Map(sources.map((source) => [source.id, openEdges(videos.get(source.id)!, source)]));
  const matchOf = sourceMatcher(sources);
  const picks: (PickedClip & { where: string })[] = [];
  const leftOut: string[] = [];
  for (const clip of list.clips) {
    const match = matchOf(clip.clue);
    const found = 'source' in match ? edges.get(match.source.id)!.resolve(clip) : null;
    if (found !== null && 'source' in match) picks.push({ video: match.source.id, clip: found, where: clip.where });
    else
      leftOut.push(
        'problem' in match
          ? `${match.problem} (${clip.where})`
          : `the clip at ${clip.where} lies outside of its source`,
      );
  }
  if (picks.length === 0) {
    throw new UsageError(
      'no-clips',
      `Expected clips of the summary’s videos in "${file}", found none (${leftOut[0] ?? 'it is empty'}). Give the summary that the list was made from.`,
    );
  }
  const moved = [...edges.values()].flatMap((edge) => edge.notes());
  const clipsOfVideo = groupClips(picks);
  const rest = document.videos.filter(({ id }) => !clipsOfVideo.has(id));
  const kept = rest.length > 0 ? [`Not in the list, so their clips stay as they were: ${rest.map(({ path }) => path).join(', ')}.`] : []; // prettier-ignore
  const film = document.concept ? ['The list was read as the summaries of its videos; the film of the topic stays as it was. To read it as that film: --film.'] : []; // prettier-ignore
  const reordered = isFilmOrder(picks) ? [] : ['A summary plays each stretch of a video once, in film order: clips were sorted, and joined where they overlap.']; // prettier-ignore
  const { wishes, notes: filmNotes } = filmWishes(document, picks);
  return {
    film: wishes,
    filmNotes: [...list.notes, ...moved, ...filmNotes],
    timeline: timelineOfTopic(document, picks, {
      title: list.title ?? undefined,
      counting: counting ?? list.counting ?? undefined,
    }),
    document: withClips(document, clipsOfVideo, file),
    notes: [...list.notes, ...moved, ...kept, ...film, ...reordered],
    leftOut,
  };
}

function readList(text: string, file: string, rates: { asked: Counting | undefined; usual: Counting }): CutList {
  if (text.trimStart().startsWith('<')) {
    throw new UsageError(
      'unknown-format',
      `Expected an EDL, OTIO or JSON file, found XML in "${file}", which can be written but not read back. Export one of those.`,
    );
  }
  if (!text.trimStart().startsWith('{')) return readEdl(text, { file, ...rates });
  const raw = parseJson(text, file) as Record<string, unknown>;
  if (typeof raw['OTIO_SCHEMA'] === 'string') return readOtio(raw, file);
  return raw['schema'] === 'timeline.1' ? readTimelineJson(raw, file) : readSummaryJson(text, file);
}

/** What a list without a stated rate most likely counts in: the rate of the longest source. */
function usualCounting(sources: readonly TimelineSource[]): Counting {
  const seconds = ({ frames, rate }: TimelineSource): number => (frames * rate.den) / rate.num;
  const longest = sources.reduce((best, source) => (seconds(source) > seconds(best) ? source : best));
  return { rate: timelineRateFor(longest.rate), dropFrame: false };
}

function groupClips(picks: readonly PickedClip[]): Map<string, Clip[]> {
  const groups = new Map<string, Clip[]>();
  for (const { video, clip } of picks) {
    const group = groups.get(video);
    if (group) group.push(clip);
    else groups.set(video, [clip]);
  }
  return groups;
}

function isFilmOrder(picks: readonly PickedClip[]): boolean {
  const ends = new Map<string, number>();
  return picks.every(({ video, clip }) => {
    const isAfter = clip.startFrame >= (ends.get(video) ?? 0);
    ends.set(video, clip.endFrame);
    return isAfter;
  });
}

/** The summary with other clips. A shot counts as chosen when at least half of its frames play. */
function withClips(
  document: SummaryDocument,
  clipsOfVideo: ReadonlyMap<string, readonly Clip[]>,
  file: string,
): SummaryDocument {
  const videos = document.videos.map((video): VideoSummary => {
    const own = clipsOfVideo.get(video.id);
    if (own === undefined) return video;
    const clips = joinClips(own);
    if (JSON.stringify(clips) === JSON.stringify(joinClips(video.clips))) return video;
    const played = playedFrames(video, clips);
    const shots = video.shots.map((shot) => {
      const chosen = 2 * (played.get(shot) ?? 0) >= shot.endFrame - shot.startFrame;
      return { ...shot, chosen, support: chosen ? shot.support : [] };
    });
    // The film and the storyboard next to the record show the old cut.
    return { ...video, shots, clips, film: null, storyboard: null };
  });
  const isChanged = videos.some((video, at) => video !== document.videos[at]);
  return {
    ...document,
    videos,
    notes: [...document.notes, ...(isChanged ? [`Clips were taken from "${file}".`] : [])],
  };
}

/** Film order, every frame once. */
function joinClips(clips: readonly Clip[]): Clip[] {
  const apart: Clip[] = [];
  for (const clip of clips.toSorted((a, b) => a.startFrame - b.startFrame || a.endFrame - b.endFrame)) {
    const last = apart.at(-1);
    if (last === undefined || clip.startFrame >= last.endFrame) apart.push(clip);
    else if (clip.endFrame > last.endFrame) {
      apart[apart.length - 1] = { ...last, endFrame: clip.endFrame, range: { ...last.range, end: clip.range.end } };
    }
  }
  return clipsOf(apart);
}

/** How many frames of each shot play; shots of which none plays are left out. */
function playedFrames({ shots }: VideoSummary, clips: readonly Clip[]): Map<SummaryShot, number> {
  const played = new Map<SummaryShot, number>();
  for (const clip of clips) {
    for (const shot of shotsIn(shots, clip)) {
      const frames = Math.min(clip.endFrame, shot.endFrame) - Math.max(clip.startFrame, shot.startFrame);
      played.set(shot, (played.get(shot) ?? 0) + frames);
    }
  }
  return played;
}

import { lengthInSeconds, toSeconds } from '../../base/index.js';
import type { SummaryDocument, SummaryShot, VideoSummary } from '../../summary/index.js';
import { strongestOf } from './importance.js';
import { pictureBudget } from './pictures.js';

/** One video as the page needs it: the record, and what is computed from it once. */
export type ReportVideo = {
  /** Place in the document; names the video inside the page, where its own id could be any text. */
  readonly ordinal: number;
  readonly record: VideoSummary;
  readonly title: string;
  readonly seconds: number;
  readonly chosenSeconds: number;
  readonly chosen: readonly SummaryShot[];
  readonly strongest: number;
  /** Shape on a screen, width over height. */
  readonly aspect: number;
  /** Where each clip begins in the film, in seconds. */
  readonly clipStarts: readonly number[];
  /** The part of the importance of the chosen shots that is shared. */
  readonly sharedPart: number;
};

/** The document of a run as the page needs it. */
export type ReportTopic = {
  readonly document: SummaryDocument;
  readonly videos: readonly ReportVideo[];
  readonly byId: ReadonlyMap<string, ReportVideo>;
  readonly shotCount: number;
  readonly pictureCount: number;
  hasPicture(ordinal: number, shotIndex: number): boolean;
};

/** Reads a document once for the page. */
export function readTopic(document: SummaryDocument): ReportTopic {
  const fade = Number(document.options['fade'] ?? 0) || 0;
  const videos = document.videos.map((record, ordinal) => readVideo(record, ordinal, fade));
  const pictures = pictureBudget(document.videos, document.concept?.shots);
  return {
    document,
    videos,
    byId: new Map(videos.map((video) => [video.record.id, video])),
    shotCount: document.videos.reduce((sum, video) => sum + video.shots.length, 0),
    pictureCount: pictures.count,
    hasPicture: pictures.has,
  };
}

function readVideo(record: VideoSummary, ordinal: number, fade: number): ReportVideo {
  const chosen = record.shots.filter((shot) => shot.chosen);
  const steps = record.path.split(/[\\/]/).filter((step) => step !== '');
  const largest = chosen.reduce((most, shot) => Math.max(most, shot.own, shot.shared), Number.MIN_VALUE);
  let [own, shared] = [0, 0];
  for (const shot of chosen) {
    own += (shot.own / largest) ** 2;
    shared += (shot.shared / largest) ** 2;
  }
  return {
    ordinal,
    record,
    title: steps.at(-1) ?? record.id,
    seconds: lengthInSeconds(record.range),
    chosenSeconds: record.seconds ?? record.clips.reduce((sum, clip) => sum + lengthInSeconds(clip.range), 0),
    chosen,
    strongest: strongestOf(record.shots),
    clipStarts: clipStarts(record.clips, fade),
    aspect: (record.widthPx * record.sampleAspect.num) / (record.heightPx * record.sampleAspect.den),
    sharedPart: own + shared > 0 ? shared / (own + shared) : 0,
  };
}

/** Where a shot begins and ends for a viewer: seconds from the video's first frame. */
export function shotSeconds(video: ReportVideo, shot: SummaryShot): { start: number; end: number } {
  const { start, base } = video.record.range;
  const zero = toSeconds(start, base);
  return {
    start: toSeconds(shot.range.start, shot.range.base) - zero,
    end: toSeconds(shot.range.end, shot.range.base) - zero,
  };
}

/** Where clips begin in their film, in seconds, when neighbours share `fade` seconds, at most half of either. */
function clipStarts(clips: VideoSummary['clips'], fade: number): number[] {
  const lengths = clips.map(({ range }) => lengthInSeconds(range));
  let start = 0;
  return lengths.map((length, index) => {
    const begins = start;
    start += length - Math.min(fade, length / 2, (lengths[index + 1] ?? 0) / 2);
    return begins;
  });
}

/** Where the summary film begins to show a shot, in seconds; `null` when no clip shows any of it. */
export function filmSeconds({ record, clipStarts }: ReportVideo, shot: SummaryShot): number | null {
  const index = record.clips.findIndex((clip) => shot.startFrame < clip.endFrame && shot.endFrame > clip.startFrame);
  const clip = record.clips[index];
  if (clip === undefined) return null;
  return clipStarts[index]! + toSeconds(Math.max(0, shot.range.start - clip.range.start), clip.range.base);
}

import { lengthInSeconds, toSeconds } from '../../base/index.js';
import type { SummaryDocument, SummaryShot, VideoSummary } from '../../summary/index.js';
import { strongestOf } from './importance.js';
import { pictureBudget } from './pictures.js';

/** One video as the page sees it: the record and what is worked out of it once. */
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
  /** Seconds that clips of the film share where they fade into each other. */
  readonly fade: number;
  /** Part of the chosen shots' importance that comes from the other videos. */
  readonly sharedPart: number;
};

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
    chosenSeconds: record.clips.reduce((sum, clip) => sum + lengthInSeconds(clip.range), 0),
    chosen,
    strongest: strongestOf(record.shots),
    fade,
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

/** Where the summary film begins to show a shot, in seconds; `null` when no clip shows any of it. */
export function filmSeconds(video: ReportVideo, shot: SummaryShot): number | null {
  let played = 0;
  for (const [place, clip] of video.record.clips.entries()) {
    if (shot.startFrame < clip.endFrame && shot.endFrame > clip.startFrame) {
      return played + toSeconds(Math.max(0, shot.range.start - clip.range.start), clip.range.base);
    }
    const next = video.record.clips[place + 1];
    const length = lengthInSeconds(clip.range);
    played += length - Math.min(video.fade, length / 2, next ? lengthInSeconds(next.range) / 2 : 0);
  }
  return null;
}

import { lengthInSeconds, toSeconds } from '../../base/index.js';
import type { SummaryDocument, SummaryShot, TopicShot, VideoSummary } from '../../summary/index.js';
import { type Html, markup, ownPart, raw, relativeScore, spreadEvenly, strongestOf } from './html.js';

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

/** The most pictures in a page: at about 10 kB each, a browser still opens it at once. */
export const PICTURE_LIMIT = 1500;

/** Which shots are shown with their picture. */
type PictureBudget = { readonly count: number; has(ordinal: number, shotIndex: number): boolean };

/**
 * All shots up to the limit. Beyond it: those of the topic's film, the other chosen ones, their first counterparts, then
 * all others, each group spread evenly over the room that is left.
 */
function pictureBudget(
  videos: readonly VideoSummary[],
  film: readonly Pick<TopicShot, 'video' | 'shot'>[] = [],
  limit = PICTURE_LIMIT,
): PictureBudget {
  const total = videos.reduce((sum, video) => sum + video.shots.length, 0);
  if (total <= limit) return { count: total, has: () => true };

  const kept = videos.map((video) => new Uint8Array(video.shots.length));
  const ordinals = new Map(videos.map((video, ordinal) => [video.id, ordinal]));
  let count = 0;
  const keep = (wanted: readonly (readonly [number, number])[]): void => {
    const fresh = wanted.filter(([ordinal, shot]) => kept[ordinal]?.[shot] === 0);
    for (const at of spreadEvenly(fresh.length, limit - count)) {
      const [ordinal, shot] = fresh[at] ?? [0, 0];
      const row = kept[ordinal];
      if (row === undefined || row[shot] !== 0) continue;
      row[shot] = 1;
      count++;
    }
  };

  const chosen = videos.flatMap((video, ordinal) =>
    video.shots.flatMap((shot, index) => (shot.chosen ? [{ shot, at: [ordinal, index] as const }] : [])),
  );
  keep(film.flatMap(({ video, shot }) => (ordinals.has(video) ? [[ordinals.get(video)!, shot] as const] : [])));
  keep(chosen.map(({ at }) => at));
  keep(
    chosen.flatMap(({ shot }) => {
      const first = shot.support[0];
      const ordinal = first === undefined ? undefined : ordinals.get(first.video);
      return first === undefined || ordinal === undefined ? [] : [[ordinal, first.shot] as const];
    }),
  );
  keep(videos.flatMap((video, ordinal) => video.shots.map((_, index) => [ordinal, index] as const)));
  return { count, has: (ordinal, shotIndex) => kept[ordinal]?.[shotIndex] === 1 };
}

/** Width of a timeline drawing in its own units; it is stretched to the width it is shown at. */
const SPAN = 10_000;
const HEIGHT = 100;

/** The shots of a timeline as four paths (own and shared, chosen and not) and a wash: few elements, however long the video. */
export function drawBars(video: ReportVideo): Html {
  const paths = { own: ['', ''], shared: ['', ''] };
  let marks = '';
  const unit = video.seconds > 0 ? SPAN / video.seconds : 0;
  for (const shot of video.record.shots) {
    const { start, end } = shotSeconds(video, shot);
    const [left, right] = [round(start * unit), round(end * unit)];
    const total = HEIGHT * relativeScore(shot.score, video.strongest);
    const own = total * ownPart(shot);
    const group = shot.chosen ? 1 : 0;
    paths.own[group] += box(left, right, HEIGHT - own, HEIGHT);
    paths.shared[group] += box(left, right, HEIGHT - total, HEIGHT - own);
    if (shot.chosen) marks += box(left, right, 0, HEIGHT);
  }
  const path = (name: string, data: string): string => (data === '' ? '' : `<path class="${name}" d="${data}"/>`);
  return raw(
    `<g id="b${video.ordinal}">${path('wash', marks)}` +
      `${path('own off', paths.own[0] ?? '')}${path('shared off', paths.shared[0] ?? '')}` +
      `${path('own', paths.own[1] ?? '')}${path('shared', paths.shared[1] ?? '')}</g>`,
  );
}

function box(left: number, right: number, top: number, bottom: number): string {
  const [y, height] = [round(top), round(bottom - top)];
  return height > 0 && right > left ? `M${left} ${y}H${right}v${height}H${left}z` : '';
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** The bars drawn by `drawBars`, shown again. */
export function showBars(ordinal: number, className: string, width: string): Html {
  return markup`<svg
    class="${className}"
    width="${width}"
    viewBox="0 0 ${SPAN} ${HEIGHT}"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <use href="#b${ordinal}" />
  </svg>`;
}

/** The importance of one shot as a horizontal bar, relative to the strongest shot of its video, split into own and shared. */
export function drawSplit(shot: SummaryShot, strongest: number): Html {
  const total = 100 * relativeScore(shot.score, strongest);
  const own = round(total * ownPart(shot));
  return markup`<svg class="split" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    <rect class="own" width="${own}" height="1" />
    <rect class="shared" x="${own}" width="${round(total - own)}" height="1" />
  </svg>`;
}

/** A share in [0, 1] as a horizontal bar. */
export function drawShare(part: number): Html {
  return markup`<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    <rect class="shared" width="${round(100 * Math.min(1, Math.max(0, part)))}" height="1" />
  </svg>`;
}

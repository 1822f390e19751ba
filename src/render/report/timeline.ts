import { lengthInSeconds } from '../../base/index.js';
import { wishOf, type SummaryShot } from '../../summary/index.js';
import { showBars } from './figures.js';
import { formatMoment, formatPercent, formatScore, markup, raw, type Html } from './html.js';
import { isFlawed, ownPart, relativeScore } from './importance.js';
import { reasonOf } from './reasons.js';
import { shotSeconds, type ReportTopic, type ReportVideo } from './topic.js';

/** Reads the thumbnail of a shot: a JPEG of about 320 pixels on the long side, or nothing. */
export type Thumbnail = (videoId: string, shotIndex: number) => Promise<Buffer | null>;

/** Width and height in pixels of a shot of median length, if a video is too long to be seen at once. */
const STRIP = { landscape: { width: 92, height: 60 }, portrait: { width: 68, height: 112 } } as const;

const KEYS =
  'Arrow keys go from shot to shot, with Shift to the next chosen one; Enter opens the card, Escape closes it.';

/** The timeline of a video, a chunk per shot: bars of importance above, pictures below, to the scale of time. */
export async function* renderTimeline(
  topic: ReportTopic,
  video: ReportVideo,
  thumbnail: Thumbnail,
): AsyncGenerator<Html> {
  const { ordinal, record } = video;
  const size = STRIP[video.aspect < 0.9 ? 'portrait' : 'landscape'];
  const pixelsPerSecond = size.width / medianSeconds(record.shots);
  yield markup`<div
    class="lane ${video.aspect < 0.9 ? 'tall' : ''}"
    data-lane="${ordinal}"
    data-seconds="${video.seconds}"
    data-ticks="${record.range.end - record.range.start}"
    data-aspect="${video.aspect}"
    data-median="${medianSeconds(record.shots)}"
    data-base="${record.range.base.num}/${record.range.base.den}"
  >
    <div class="overview" hidden>${showBars(ordinal, 'bars', '100%')}<span class="window"></span></div>
    <div class="scroll">
      <div class="track">
        ${showBars(ordinal, 'bars', '100%')}
        <div
          class="shots"
          role="group"
          aria-label="Shots of ${video.title} in film order. ${KEYS}"
        >`;
  let reached = record.range.start;
  for (const [position, shot] of record.shots.entries()) {
    yield gapBetween(reached, shot.range.start);
    reached = shot.range.end;
    const picture = topic.hasPicture(ordinal, shot.index) ? await thumbnail(record.id, shot.index) : null;
    const width = Math.max(1, Math.round(lengthInSeconds(shot.range) * pixelsPerSecond));
    yield renderShot(topic, video, shot, position, embed(picture, width, size.height));
  }
  yield gapBetween(reached, record.range.end);
  yield markup`</div><div class="ruler" aria-hidden="true"></div></div></div></div>`;
}

/** Empty space for footage outside of shots, so that pictures stay below their bars. */
function gapBetween(start: number, end: number): Html {
  return start < end ? markup`<i class="gap" data-ticks="${start} ${end}"></i>` : markup``;
}

function renderShot(topic: ReportTopic, video: ReportVideo, shot: SummaryShot, position: number, picture: Html): Html {
  const { start, end } = shotSeconds(video, shot);
  const own = ownPart(shot);
  const relative = relativeScore(shot.score, video.strongest);
  const split = shot.score > 0 ? `own ${formatPercent(own)}, shared ${formatPercent(1 - own)}` : 'no importance';
  const wish = wishOf(shot);
  const label =
    `Shot ${shot.index + 1} of ${video.record.shots.length}, ${formatMoment(start)} to ${formatMoment(end)}, ` +
    `${wish === null ? '' : `${wish}, `}${shot.chosen ? 'chosen, ' : ''}rank ${shot.rank + 1}, importance ${formatPercent(relative)}, ${split}`;
  return markup`<button
    type="button"
    class="shot${shot.chosen ? ' chosen' : ''}${isFlawed(shot) ? ' flawed' : ''}${wish === null ? '' : ` ${wish}`}"
    id="s${video.ordinal}-${shot.index}"
    tabindex="${position === 0 ? 0 : -1}"
    aria-label="${label}"
    data-reason="${reasonOf(topic, video, shot)}"
    data-clock="${formatMoment(start)} – ${formatMoment(end)}"
    data-length="${(end - start).toFixed(2)}"
    data-ticks="${shot.range.start} ${shot.range.end}"
    data-frames="${shot.startFrame} ${shot.endFrame}"
    data-rank="${shot.rank + 1}"
    data-score="${formatScore(shot.score)}"
    data-relative="${relative}"
    data-own="${own}"
    >${picture}</button>`;
}

/** A picture inside the page; without one, an empty drawing keeps the shot's width. */
function embed(picture: Buffer | null, width: number, height: number): Html {
  if (picture === null) return markup`<svg class="blank" width="${width}" height="${height}"></svg>`;
  const data = raw(`data:image/jpeg;base64,${picture.toString('base64')}`);
  return markup`<img alt="" width="${width}" height="${height}" loading="lazy" decoding="async" src="${data}" />`;
}

function medianSeconds(shots: readonly SummaryShot[]): number {
  const lengths = shots.map((shot) => lengthInSeconds(shot.range)).sort((a, b) => a - b);
  const middle = lengths[Math.floor(lengths.length / 2)] ?? 1;
  return middle > 0 ? middle : 1;
}

import { lengthInSeconds } from '../../base/index.js';
import { type SummaryShot, TIME_NAMES, wishOf } from '../../summary/index.js';
import {
  formatBytes,
  formatCount,
  formatLength,
  formatMoment,
  formatPercent,
  formatRate,
  formatScore,
  type Html,
  isFlawed,
  markup,
  ownPart,
  plural,
  raw,
  relativeScore,
  relativeUrl,
} from './html.js';
import { reasonOf, renderReasons, standingTag } from './reasons.js';
import { type ReportTopic, type ReportVideo, shotSeconds, showBars } from './topic.js';

/** Everything about one video: facts, timeline, film, reasons. */
export async function* renderVideo(topic: ReportTopic, video: ReportVideo, thumbnail: Thumbnail): AsyncGenerator<Html> {
  const { record, ordinal } = video;
  yield markup`<section class="video" id="v${ordinal}" aria-labelledby="t${ordinal}">
    <header class="video-head">
      <span class="ordinal">${ordinal + 1}</span>
      <h2 id="t${ordinal}"><bdi>${video.title}</bdi></h2>
      ${standingTag(video)}
      ${record.path === video.title ? null : markup`<bdi class="path">${record.path}</bdi>`}
      <nav class="links" aria-label="Files of ${video.title}">${renderLinks(video)}</nav>
    </header>
    ${renderFacts(topic, video)}`;
  yield* renderTimeline(topic, video, thumbnail);
  yield markup`<div class="below${record.film === null ? ' bare' : ''}">${renderFilm(video)}`;
  yield* renderReasons(topic, video);
  yield markup`</div></section>\n`;
}

function renderLinks({ record }: ReportVideo): Html {
  const film =
    record.film === null
      ? markup`<span class="none">no film rendered</span>`
      : markup`<a href="${relativeUrl(record.film)}">Film</a>`;
  const board = record.storyboard === null ? null : markup`<a href="${relativeUrl(record.storyboard)}">Storyboard</a>`;
  return markup`${film}${board}`;
}

function renderFacts(topic: ReportTopic, video: ReportVideo): Html {
  const { record } = video;
  const stretched = record.sampleAspect.num !== record.sampleAspect.den;
  const shape = stretched ? `, pixels ${record.sampleAspect.num}:${record.sampleAspect.den}` : '';
  const facts: readonly (readonly [string, string])[] = [
    ['Length', formatLength(video.seconds)],
    [
      'Summary',
      video.chosenSeconds === 0
        ? 'No film of its own'
        : `${formatLength(video.chosenSeconds)} · ${formatPercent(video.chosenSeconds / (video.seconds || 1))}`,
    ],
    ['Shots', `${formatCount(video.chosen.length)} of ${formatCount(record.shots.length)}`],
    ...(topic.videos.length > 1 ? [['Shared', formatPercent(video.sharedPart)] as const] : []),
    ['Picture', `${record.widthPx} × ${record.heightPx}${shape}`],
    ['Rate', formatRate(record.frameRate)],
    ['Codec', record.codec],
    ['Sound', record.audioTracks === 0 ? 'none' : plural(record.audioTracks, 'track')],
    ['File', formatBytes(record.bytes)],
    ...recordedFact(topic, record.id),
  ];
  return markup`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        markup`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** When the video was recorded and who says so, if that is known. */
function recordedFact({ document }: ReportTopic, id: string): (readonly [string, string])[] {
  const { recorded, heard } = document.concept?.clocks?.find(({ video }) => video === id) ?? {};
  const stated = recorded && `${recorded.at?.replace('T', ' ') ?? 'in the order of'} (${TIME_NAMES[recorded.from]})`;
  return [
    ...(stated ? [['Recorded', recorded.doubt === undefined ? stated : `${stated}, not used: ${recorded.doubt}`] as const] : []), // prettier-ignore
    ...(heard
      ? [['Same sound', `group ${heard.group + 1}, from ${formatLength(heard.offsetSeconds)} on`] as const]
      : []),
  ];
}

function renderFilm(video: ReportVideo): Html | null {
  const { film, storyboard } = video.record;
  if (film === null) return null;
  return markup`<figure class="film${video.aspect < 0.9 ? ' tall' : ''}">
    ${player({
      ...{ id: `f${video.ordinal}`, film, storyboard, label: `Summary film of ${video.title}` },
      ...{ poster: `s${video.ordinal}-${video.chosen[0]?.index ?? 0}` },
      ...{ widthPx: 640, heightPx: Math.round(640 / video.aspect) },
    })}
    <figcaption>Summary film, ${formatLength(video.chosenSeconds)}</figcaption>
  </figure>`;
}

/** A film to play. On paper its storyboard takes its place; a browser loads it only to print it. */
export function player(film: {
  readonly id: string;
  readonly film: string;
  readonly poster: string;
  readonly storyboard: string | null;
  readonly label: string;
  readonly widthPx: number;
  readonly heightPx: number;
}): Html {
  const { storyboard } = film;
  return markup`<video
      controls
      preload="none"
      playsinline
      width="${film.widthPx}"
      height="${film.heightPx}"
      id="${film.id}"
      data-poster="${film.poster}"
      src="${relativeUrl(film.film)}"
      aria-label="${film.label}"
    ></video>
    ${storyboard && markup`<img class="board" alt="" loading="lazy" src="${relativeUrl(storyboard)}" />`}`;
}

/** Reads the thumbnail of a shot: a JPEG of about 320 pixels on the long side, or nothing. */
export type Thumbnail = (videoId: string, shotIndex: number) => Promise<Buffer | null>;

/** Width and height in pixels of a shot of median length, if a video is too long to be seen at once. */
const STRIP = { landscape: { width: 92, height: 60 }, portrait: { width: 68, height: 112 } } as const;

const KEYS =
  'Arrow keys go from shot to shot, with Shift to the next chosen one; Enter opens the card, Escape closes it.';

/** The timeline of a video, a chunk per shot: bars of importance above, pictures below, to the scale of time. */
async function* renderTimeline(topic: ReportTopic, video: ReportVideo, thumbnail: Thumbnail): AsyncGenerator<Html> {
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

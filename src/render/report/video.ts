import { TIME_NAMES } from '../../summary/index.js';
import {
  formatBytes,
  formatCount,
  formatLength,
  formatPercent,
  formatRate,
  plural,
  markup,
  relativeUrl,
  type Html,
} from './html.js';
import { renderReasons } from './reasons.js';
import { standingTag } from './standing.js';
import { renderTimeline, type Thumbnail } from './timeline.js';
import type { ReportTopic, ReportVideo } from './topic.js';

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

import {
  counterpartsOf,
  leastAlike,
  reasonAgainst,
  reasonFor,
  type Shown,
  type SummaryShot,
  type Support,
} from '../../summary/index.js';
import { formatMoment, formatPercent, type Html, markup, ownPart, plural, spreadEvenly } from './html.js';
import { drawShare, drawSplit, filmSeconds, type ReportTopic, type ReportVideo, shotSeconds } from './topic.js';

/** Supporting videos named one by one; the others are counted. */
const NAMED = 8;
/** Reasons shown at once; the rest of a long video's opens on demand. */
const SHOWN = 12;

/** One transparent pixel, which the script replaces by the picture that the timeline already contains. */
const NO_PICTURE = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** Placeholder for the picture of a shot, in the aspect ratio of its video. */
export function picturePlace(video: ReportVideo, shotIndex: number, heightPx: number): Html {
  const width = Math.max(1, Math.round(heightPx * Math.min(2.4, video.aspect)));
  return markup`<img
    class="place"
    alt=""
    width="${width}"
    height="${heightPx}"
    src="${NO_PICTURE}"
    data-picture="s${video.ordinal}-${shotIndex}"
  />`;
}

/** Why each chosen shot was chosen, in film order, a chunk per shot; of very many, those that carry their picture. */
export function* renderReasons(topic: ReportTopic, video: ReportVideo): Generator<Html> {
  const chosen = video.chosen.filter((shot) => topic.hasPicture(video.ordinal, shot.index));
  const untold = video.chosen.length - chosen.length;
  yield markup`<div class="reasons">
    <h3>Why these shots were chosen</h3>
    <ol class="why-list">`;
  for (const shot of chosen.slice(0, SHOWN)) yield renderReason(topic, video, shot);
  yield markup`</ol>`;
  if (chosen.length > SHOWN) {
    const rest = chosen.slice(SHOWN);
    yield markup`<details>
      <summary>${plural(rest.length, 'more chosen shot')}</summary>
      <ol class="why-list">`;
    for (const shot of rest) yield renderReason(topic, video, shot);
    yield markup`</ol></details>`;
  }
  if (untold > 0) yield markup`<p class="aside">Not shown here: ${plural(untold, 'more chosen shot')}.</p>`;
  yield markup`</div>`;
}

function renderReason(topic: ReportTopic, video: ReportVideo, shot: SummaryShot): Html {
  const { start, end } = shotSeconds(video, shot);
  const id = `${video.ordinal}-${shot.index}`;
  const inFilm = video.record.film === null ? null : filmSeconds(video, shot);
  const play =
    inFilm === null
      ? null
      : markup`<button
          type="button"
          class="play"
          data-play="${video.ordinal}"
          data-at="${inFilm}"
        >Play film at ${formatMoment(inFilm)}</button>`;
  return markup`<li class="why">
    <a
      class="frame"
      href="#s${id}"
      data-jump="s${id}"
      aria-label="Shot ${shot.index + 1}, ${formatMoment(start)}, on the timeline"
      >${picturePlace(video, shot.index, 78)}</a
    >
    <div class="case">
      <p class="when"><b>${formatMoment(start)} – ${formatMoment(end)}</b><span>shot ${shot.index + 1}</span>${play}</p>
      <p class="because">${reasonOf(topic, video, shot)}</p>
      <details class="research">
        <summary>Research</summary>
        ${drawSplit(shot, video.strongest)}
        <p class="parts"><span>rank ${shot.rank + 1}</span>${shot.score > 0 ? renderParts(ownPart(shot)) : null}</p>
        ${renderSupport(shot, topic)}
      </details>
    </div>
    <div class="backing" id="w${id}">${renderCounterparts(topic, shot.shown)}</div>
  </li>`;
}

/** Why a shot is in the summary of its video, or why not. */
export function reasonOf(topic: ReportTopic, { record }: ReportVideo, shot: SummaryShot): string {
  const names = {
    method: String(topic.document.options['method'] ?? 'cvs'),
    nameOf: (id: string) => topic.byId.get(id)?.title ?? id,
  };
  return shot.chosen ? reasonFor(shot, names) : reasonAgainst(shot, record, names);
}

/** The shots of other videos that show the same or something like it, with their pictures. */
export function renderCounterparts(topic: ReportTopic, shown: Shown | undefined): Html | null {
  const by = counterpartsOf(shown);
  if (by.length === 0) return null;
  const more = by.length - NAMED;
  return markup`<ul class="counterparts">
    ${by.slice(0, NAMED).map(({ video, shot }) => renderPeer(topic, video, shot, markup``))}${
      more > 0 ? markup`<li class="rest">and ${plural(more, 'more video')}</li>` : null
    }
  </ul>`;
}

function renderParts(own: number): Html {
  return markup`<span class="key own">own ${formatPercent(own)}</span
    ><span class="key shared">shared ${formatPercent(1 - own)}</span>`;
}

function renderSupport(shot: SummaryShot, topic: ReportTopic): Html | null {
  if (shot.support.length === 0) return null;
  const named = shot.support.slice(0, NAMED);
  const rest = shot.support.slice(NAMED);
  const more = markup`<li class="rest">
    and ${plural(rest.length, 'more video')}, ${formatPercent(rest.reduce((sum, support) => sum + support.share, 0))}
    together
  </li>`;
  return markup`<ul class="support">
    ${named.map((support) => renderSupporter(topic, support))}${rest.length > 0 ? more : null}
  </ul>`;
}

function renderSupporter(topic: ReportTopic, { video, share, shot }: Support): Html {
  return renderPeer(topic, video, shot, markup`${drawShare(share)}<span class="part">${formatPercent(share)}</span>`);
}

/** A shot of another video, linked to its place on the page. */
function renderPeer(topic: ReportTopic, id: string, index: number, bar: Html): Html {
  const other = topic.byId.get(id);
  const counterpart = other?.record.shots[index];
  if (other === undefined || counterpart === undefined) {
    return markup`<li>
      <span class="peer"><bdi class="name">${other?.title ?? id}</bdi>${bar}</span>
    </li>`;
  }
  const at = formatMoment(shotSeconds(other, counterpart).start);
  const target = `s${other.ordinal}-${counterpart.index}`;
  return markup`<li>
    <a class="peer" href="#${target}" data-jump="${target}" aria-label="${other.title}, its shot at ${at}"
      >${picturePlace(other, counterpart.index, 40)} <bdi class="name">${other.title}</bdi
      ><span class="at">${at}</span>${bar}</a
    >
  </li>`;
}

/** Videos listed with pictures, from the least alike; the others follow by name. */
const PICTURED = 12;
/** Pictures of a video. */
const PICTURES = 4;

/** The videos from the least to the most like the others, with their evidence; nothing for fewer than three videos. */
export function* renderStandings(topic: ReportTopic): Generator<Html> {
  const order = topic.videos
    .filter(({ record }) => record.belonging !== undefined)
    .toSorted((a, b) => b.record.belonging!.rank - a.record.belonging!.rank);
  const doubles = topic.videos.filter(({ record }) => record.standing?.doubleOf !== undefined);
  if (order.length > 0) {
    const first = leastAlike(topic.document.videos).length;
    yield markup`<section class="odd" id="belonging" aria-labelledby="belonging-title">
      <h2 id="belonging-title" class="label">How alike the videos are: look at ${first === 1 ? 'this' : `these ${first}`} first</h2>
      <ol>`;
    for (const video of order.slice(0, PICTURED)) yield renderBelonging(topic, video);
    yield markup`</ol>`;
    const rest = order.slice(PICTURED);
    if (rest.length > 0) yield markup`<p>Then, always more alike: ${rest.map(linkTo)}</p>`;
    yield markup`</section>`;
  }
  if (doubles.length === 0) return;
  yield markup`<section class="odd" id="odd" aria-labelledby="odd-title">
    <h2 id="odd-title" class="label">Shown twice: ${plural(doubles.length, 'double')}</h2>
    <ul>`;
  for (const video of doubles) yield renderDouble(video, topic.byId);
  yield markup`</ul></section>`;
}

function linkTo({ ordinal, title }: ReportVideo): Html {
  return markup`<a href="#v${ordinal}"><bdi>${title}</bdi></a> `;
}

function renderBelonging(topic: ReportTopic, video: ReportVideo): Html {
  const { likeness, least, nearest, nearestLikeness, against } = video.record.belonging!;
  const pictured = video.record.shots.filter(({ index }) => topic.hasPicture(video.ordinal, index));
  const shown = spreadEvenly(pictured.length, PICTURES).flatMap((at) => pictured[at] ?? []);
  const other = topic.byId.get(nearest);
  const zero = against === 'background' ? 'unrelated footage' : 'the mean of the topic';
  return markup`<li>
    <p class="who"><span class="ordinal">${video.ordinal + 1}</span>${linkTo(video)}${standingTag(video)}</p>
    <div>
      <p class="looks">${shown.map(({ index }) => picturePlace(video, index, 44))}</p>
      <p>
        Likeness to the others <b>${likeness.toFixed(2)}</b>; the least alike of them have ${least.toFixed(2)} among
        themselves, ${zero} 0.${other ? markup` Most like ${linkTo(other)}(${nearestLikeness.toFixed(2)})` : null}
      </p>
      ${drawScale(likeness, least)}
    </div>
  </li>`;
}

function renderDouble(video: ReportVideo, byId: ReportTopic['byId']): Html {
  const { doubleOf = '', weight } = video.record.standing!;
  const original = byId.get(doubleOf);
  return markup`<li>
    <p class="who"><span class="ordinal">${video.ordinal + 1}</span>${linkTo(video)}${standingTag(video)}</p>
    <p>
      Shows the same as ${original ? linkTo(original) : markup`<bdi>${doubleOf}</bdi>`}in the same order; counts
      ${weight.toFixed(2)}.
    </p>
  </li>`;
}

/** Where the video and the least alike of the others are on the way from unrelated (0) to the same (1). */
function drawScale(likeness: number, least: number): Html {
  const at = (value: number): string => (100 * Math.min(1, Math.max(0, value))).toFixed(1);
  return markup`<svg class="scale" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="ground" x="0" y="2.5" width="100" height="1"/><rect class="shared" x="${at(least)}" y="0" width="0.6" height="6"/><rect class="mark" x="${at(likeness)}" y="0" width="0.6" height="6"/>
  </svg>`;
}

/** A word after the name of a video that is a stray or a double. */
export function standingTag({ record }: ReportVideo): Html | null {
  const { standing } = record;
  if (standing?.isStray) return markup`<span class="standing">does not seem to belong</span>`;
  return standing?.doubleOf === undefined ? null : markup`<span class="standing">double</span>`;
}

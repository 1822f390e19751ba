import {
  counterpartsOf,
  reasonAgainst,
  reasonFor,
  type Shown,
  type SummaryShot,
  type Support,
} from '../../summary/index.js';
import { drawShare, drawSplit } from './figures.js';
import { formatMoment, formatPercent, plural, markup, type Html } from './html.js';
import { ownPart } from './importance.js';
import { filmSeconds, shotSeconds, type ReportTopic, type ReportVideo } from './topic.js';

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

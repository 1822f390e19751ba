import { drawBars, drawSplit, showBars, shotSeconds, type ReportTopic } from './topic.js';
import {
  formatCount,
  formatLength,
  formatMoment,
  formatPercent,
  plural,
  markup,
  type Html,
  formatRate,
  relativeUrl,
  isFlawed,
  spreadEvenly,
} from './html.js';
import { picturePlace, renderCounterparts, renderStandings } from './reasons.js';
import { lengthInSeconds, toSeconds } from '../../base/index.js';
import type { Concept, TopicShot } from '../../summary/index.js';
import { player } from './video.js';

/** Tiles of the strip at most, and how many are shown large: never more than a screen. */
const STRIP_LIMIT = 72;
const STRIP_LARGE = 28;

/** The top of the page: what went in, what came out, the strip of chosen shots, how to read, the videos side by side. */
export function* renderHead(topic: ReportTopic): Generator<Html> {
  const { document, videos } = topic;
  // One drawing per video, shown in the index, the timeline and its overview.
  yield markup`<svg class="defs" width="0" height="0" aria-hidden="true"><defs>`;
  for (const video of videos) yield drawBars(video);
  yield markup`</defs></svg>`;
  yield markup`<header class="top">
    <p class="brand">Throughline<span>summary report</span></p>
    <h1><bdi>${document.topic}</bdi></h1>
    ${renderFigures(topic)}
  </header>`;
  if (videos.length === 0) return;
  if (document.concept) yield* renderConcept(topic, document.concept);
  yield* renderStrip(topic);
  yield renderGuide(topic);
  if (videos.length > 1) yield* renderIndex(topic);
  yield* renderStandings(topic);
}

function renderFigures(topic: ReportTopic): Html {
  const { videos, document, shotCount } = topic;
  const seconds = videos.reduce((sum, video) => sum + video.seconds, 0);
  const kept = videos.reduce((sum, video) => sum + video.chosenSeconds, 0);
  const chosen = videos.reduce((sum, video) => sum + video.chosen.length, 0);
  const figure = (value: string, name: string): Html =>
    markup`<div>
      <dd>${value}</dd>
      <dt>${name}</dt>
    </div>`;
  const skipped = document.skipped.length;
  return markup`<dl class="figures">
    ${figure(formatCount(videos.length), videos.length === 1 ? 'video' : 'videos')}
    <div class="flow">
      <dd>${formatLength(seconds)}<i aria-hidden="true"></i>${formatLength(kept)}</dd>
      <dt>footage to summaries (${formatPercent(kept / (seconds || 1))})</dt>
    </div>
    ${figure(`${formatCount(chosen)} of ${formatCount(shotCount)}`, 'shots chosen')}
    ${
      skipped === 0
        ? null
        : markup`<div>
            <dd><a href="#skipped">${formatCount(skipped)}</a></dd>
            <dt>${skipped === 1 ? 'file' : 'files'} skipped</dt>
          </div>`
    }
  </dl>`;
}

function* renderStrip(topic: ReportTopic): Generator<Html> {
  const all = topic.videos.flatMap((video) => video.chosen.map((shot) => ({ video, shot })));
  const pictured = all.filter(({ video, shot }) => topic.hasPicture(video.ordinal, shot.index));
  const shown = spreadEvenly(pictured.length, STRIP_LIMIT).flatMap((at) => pictured[at] ?? []);
  const counts = `${formatCount(shown.length)} of ${formatCount(all.length)}`;
  const thinned = shown.length < all.length ? ` · ${counts}, spread evenly` : '';
  const height = shown.length > STRIP_LARGE ? 56 : 88;
  yield markup`<section class="strip" aria-labelledby="strip">
    <h2 id="strip" class="label">${topic.videos.length > 1 ? 'What each video keeps' : 'The chosen shots'}${thinned}</h2>
    <div class="tiles">`;
  for (const { video, shot } of shown) {
    const id = `s${video.ordinal}-${shot.index}`;
    const moment = formatMoment(shotSeconds(video, shot).start);
    yield markup`<a class="tile" href="#${id}" data-jump="${id}" aria-label="${video.title}, ${moment}"
      >${picturePlace(video, shot.index, height)}${drawSplit(shot, shot.score)}<span class="tag"
        ><b>${video.ordinal + 1}</b>${moment}</span
      ></a
    >`;
  }
  yield markup`</div></section>`;
}

function renderGuide(topic: ReportTopic): Html {
  const thinned = topic.pictureCount < topic.shotCount;
  return markup`<section class="guide" aria-labelledby="guide">
    <h2 id="guide" class="label">How to read this</h2>
    <ul>
      <li>
        <span class="swatch own"></span>
        <p><b>Own</b> How much of its own video the shot represents.</p>
      </li>
      <li>
        <span class="swatch shared"></span>
        <p>
          <b>Shared</b> How much of the other videos it represents: the same can be seen there. A percentage next to
          another video is the part of it that comes from there.
        </p>
      </li>
      <li>
        <span class="swatch chosen"></span>
        <p>
          <b>Chosen</b> Framed shots play in the film of their video. The height of a bar is the importance of the shot,
          compared with the strongest shot of its video; the width is its length.
        </p>
      </li>
      ${renderFlawGuide(topic)}${renderWishGuide(topic)}
      <li class="keys">
        <p>
          <b>Look closer</b> Point at a shot, or click it to keep its card open. Then <kbd>←</kbd> and <kbd>→</kbd> go
          from shot to shot, with <kbd>Shift</kbd> from one chosen shot to the next; <kbd>Esc</kbd> closes the card.
        </p>
      </li>
    </ul>
    ${
      thinned
        ? markup`<p class="aside">
            This is a large topic: ${formatCount(topic.pictureCount)} of ${plural(topic.shotCount, 'shot')} have a
            picture here, chosen ones first. The others are plain cells with all their numbers; the reasons for chosen
            shots without a picture are in <code>summary.json</code>.
          </p>`
        : null
    }
  </section>`;
}

/** What refused shots look like, where there are any. */
function renderFlawGuide({ videos }: ReportTopic): Html | null {
  if (!videos.some(({ record }) => record.shots.some(isFlawed))) return null;
  return markup`<li>
    <span class="swatch flawed"></span>
    <p>
      <b>Refused</b> Dashed shots are black, shaken, out of focus, too short or bad in another way that their card names.
      They are chosen only if they are pinned or nothing else is left.
    </p>
  </li>`;
}

/** What wishes look like, where there are any. */
function renderWishGuide({ videos }: ReportTopic): Html | null {
  const shots = videos.flatMap(({ record }) => record.shots);
  if (!shots.some(({ pinned, vetoed }) => pinned || vetoed)) return null;
  return markup`<li>
    <span class="swatch wish"></span>
    <p>
      <b>Pinned, vetoed</b> A thick upper edge marks a pinned shot, stripes a vetoed one. The bar of a pinned shot
      cannot be compared with the others: its score is computed without a penalty.
    </p>
  </li>`;
}

/** The videos, one below the other, on one time scale. */
function* renderIndex({ videos }: ReportTopic): Generator<Html> {
  const longest = Math.max(
    1e-9,
    videos.reduce((most, video) => Math.max(most, video.seconds), 0),
  );
  yield markup`<nav class="index" aria-labelledby="index">
    <h2 id="index" class="label">The videos on one time scale</h2>
    <ol>`;
  for (const video of videos) {
    const width = `${((100 * video.seconds) / longest).toFixed(2)}%`;
    yield markup`<li>
      <a href="#v${video.ordinal}"
        ><span class="ordinal">${video.ordinal + 1}</span> <bdi class="name">${video.title}</bdi
        ><span class="spark">${showBars(video.ordinal, 'bars', width)}</span>
        <span class="number">${formatLength(video.seconds)}</span
        ><span class="number strong">${formatLength(video.chosenSeconds)}</span>
        <span class="number shared">${formatPercent(video.sharedPart)}</span></a
      >
    </li>`;
  }
  yield markup`</ol><p class="columns" aria-hidden="true"><span>length</span><span>summary</span><span>shared</span></p></nav>`;
}

/** The film of the whole topic: a player, and every shot with its source and its reason. */
function* renderConcept(topic: ReportTopic, concept: Concept): Generator<Html> {
  const { film, shots } = concept;
  yield markup`<section class="concept" id="concept" aria-labelledby="concept-title">
    <header class="concept-head">
      <h2 id="concept-title">The film of the topic</h2>
      <p>${factsOf(concept)}</p>
      ${concept.order ? markup`<p class="order"><b>Order</b> ${concept.order.reason}</p>` : null}
      <nav class="links" aria-label="Files of the film of the topic">${renderLinks(concept)}</nav>
    </header>
    <div class="concept-body${film === null ? ' bare' : ''}">${renderPlayer(topic, concept)}
      <div class="cues"><ol>`;
  for (const [at, shot] of shots.entries()) yield renderCue(topic, concept, shot, at);
  yield markup`</ol></div></div></section>`;
}

function factsOf({ shots, pooled, frame }: Concept): string {
  const seconds = shots.reduce((sum, shot) => sum + lengthInSeconds(shot.range), 0);
  const sources = new Set(shots.map((shot) => shot.video)).size;
  return [
    formatLength(seconds),
    `${plural(shots.length, 'shot')} of ${plural(sources, 'video')}`,
    `chosen from ${plural(pooled, 'shot')}`,
    `${frame.widthPx} × ${frame.heightPx}, ${formatRate(frame.rate)}`,
  ].join(' · ');
}

function renderLinks({ film, storyboard }: Concept): Html {
  return markup`${film === null ? null : markup`<a href="${relativeUrl(film)}">Film</a>`}${
    storyboard === null ? null : markup`<a href="${relativeUrl(storyboard)}">Storyboard</a>`
  }`;
}

function renderPlayer(topic: ReportTopic, { film, frame, shots, storyboard }: Concept): Html | null {
  if (film === null) return null;
  // The page of a very large topic does not show all videos: the poster must be of one that it shows.
  const first = shots.find(({ video }) => topic.byId.has(video));
  const poster = first === undefined ? '' : `s${topic.byId.get(first.video)!.ordinal}-${first.shot}`;
  return markup`<figure class="film">
    ${player({ id: 'fconcept', film, poster, storyboard, label: 'Film of the whole topic', ...frame })}
  </figure>`;
}

function renderCue(topic: ReportTopic, { film, frame }: Concept, shot: TopicShot, at: number): Html {
  const inFilm = toSeconds(shot.filmFrame, { num: frame.rate.den, den: frame.rate.num });
  const play = markup`<button
    type="button"
    class="play"
    data-play="concept"
    data-at="${inFilm}"
    aria-label="Play the film at ${formatMoment(inFilm)}"
  >${formatMoment(inFilm)}</button>`;
  const { picture, source } = renderSource(topic, shot, at);
  return markup`<li class="cue">
    ${picture}
    <div>
      <p class="source">${source}</p>
      <p class="why-here">${shot.reason}</p>
      ${renderCounterparts(topic, shot.shown)}
    </div>
    ${film === null ? null : play}
  </li>`;
}

/** Where a shot is from, linked to its place on the page; a video that the page does not show is only named. */
function renderSource(topic: ReportTopic, { video: id, shot }: TopicShot, at: number): { picture: Html; source: Html } {
  const video = topic.byId.get(id);
  const record = video?.record.shots[shot];
  if (video === undefined || record === undefined) {
    return { picture: markup`<span class="frame"></span>`, source: markup`<bdi>${id}</bdi>` };
  }
  const anchor = `s${video.ordinal}-${shot}`;
  const moment = formatMoment(shotSeconds(video, record).start);
  return {
    picture: markup`<a class="frame" href="#${anchor}" data-jump="${anchor}" aria-label="Shot ${at + 1}, ${video.title}, ${moment}, on its timeline"
      >${picturePlace(video, shot, 45)}</a
    >`,
    source: markup`<a href="#v${video.ordinal}"><bdi>${video.title}</bdi></a><span>${moment}</span>`,
  };
}

import { lengthInSeconds, toSeconds } from '../../base/index.js';
import type { Concept, TopicShot } from '../../summary/index.js';
import { formatLength, formatMoment, formatRate, plural } from './format.js';
import { markup, relativeUrl, type Html } from './html.js';
import { picturePlace, renderCounterparts } from './reasons.js';
import { shotSeconds, type ReportTopic } from './topic.js';
import { printedBoard } from './video.js';

/** The film of the whole topic: a player, and every shot with its source and its reason. */
export function* renderConcept(topic: ReportTopic, concept: Concept): Generator<Html> {
  const { film, shots } = concept;
  yield markup`<section class="concept" id="concept" aria-labelledby="concept-title">
    <header class="concept-head">
      <h2 id="concept-title">The topic in one film</h2>
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
  // A page of a very large topic does not show all videos; only those it shows have pictures to lend.
  const first = shots.find(({ video }) => topic.byId.has(video));
  const poster = first === undefined ? '' : `s${topic.byId.get(first.video)!.ordinal}-${first.shot}`;
  return markup`<figure class="film">
    <video
      controls
      preload="none"
      playsinline
      width="${frame.widthPx}"
      height="${frame.heightPx}"
      id="fconcept"
      data-poster="${poster}"
      src="${relativeUrl(film)}"
      aria-label="Film of the whole topic"
    ></video>
    ${printedBoard(storyboard)}
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
      ${renderCounterparts(topic, shot.shown?.by ?? [])}
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
  const place = `s${video.ordinal}-${shot}`;
  const moment = formatMoment(shotSeconds(video, record).start);
  return {
    picture: markup`<a class="frame" href="#${place}" data-jump="${place}" aria-label="Shot ${at + 1}, ${video.title}, ${moment}, on its timeline"
      >${picturePlace(video, shot, 45)}</a
    >`,
    source: markup`<a href="#v${video.ordinal}"><bdi>${video.title}</bdi></a><span>${moment}</span>`,
  };
}

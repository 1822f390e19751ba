import { leastAlike } from '../../summary/index.js';
import { plural, markup, type Html } from './html.js';
import { spreadEvenly } from './importance.js';
import { picturePlace } from './reasons.js';
import type { ReportTopic, ReportVideo } from './topic.js';

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

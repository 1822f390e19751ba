import { plural } from './format.js';
import { markup, type Html } from './html.js';
import type { ReportTopic, ReportVideo } from './topic.js';

/** Videos that do not belong, or show the same as another, with the numbers behind that; nothing if there are none. */
export function* renderStandings({ videos, byId }: ReportTopic): Generator<Html> {
  const odd = videos.filter(({ record }) => record.standing?.isStray || record.standing?.doubleOf !== undefined);
  if (odd.length === 0) return;
  const strays = odd.filter(({ record }) => record.standing!.isStray).length;
  const doubles = odd.filter(({ record }) => record.standing!.doubleOf !== undefined).length;
  const counts = [
    ...(strays > 0 ? [plural(strays, 'stray')] : []),
    ...(doubles > 0 ? [plural(doubles, 'double')] : []),
  ];
  yield markup`<section class="odd" id="odd" aria-labelledby="odd-title">
    <h2 id="odd-title" class="label">Not quite of this topic: ${counts.join(', ')}</h2>
    <ul>`;
  for (const video of odd) yield renderOdd(video, byId);
  yield markup`</ul></section>`;
}

function renderOdd(video: ReportVideo, byId: ReportTopic['byId']): Html {
  const { isStray, likeness = 0, typical = 0, unlikeness = 0, doubleOf, weight } = video.record.standing!;
  const original = doubleOf === undefined ? undefined : byId.get(doubleOf);
  const link = (to: ReportVideo): Html => markup`<a href="#v${to.ordinal}"><bdi>${to.title}</bdi></a>`;
  return markup`<li>
    <p class="who">
      <span class="ordinal">${video.ordinal + 1}</span>${link(video)}${standingTag(video)}
    </p>
    <div>
      ${
        isStray
          ? markup`<p>
                The likeness of its shots to those of the other videos is <b>${likeness.toFixed(2)}</b>;
                <b>${typical.toFixed(2)}</b> is typical. That is ${unlikeness.toFixed(1)} times as far off as chance
                allows.
              </p>
              ${drawScale(likeness, typical)}`
          : null
      }
      ${
        doubleOf === undefined
          ? null
          : markup`<p>
              Shows the same as ${original ? link(original) : markup`<bdi>${doubleOf}</bdi>`}, in the same order.
            </p>`
      }
    </div>
    <p class="counts">weight ${weight.toFixed(2)}</p>
  </li>`;
}

/** Where the video and the others are on the way from unlike (0) to the same (1). */
function drawScale(likeness: number, typical: number): Html {
  const at = (value: number): string => (100 * Math.min(1, Math.max(0, value))).toFixed(1);
  return markup`<svg class="scale" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="ground" x="0" y="2.5" width="100" height="1"/><rect class="shared" x="${at(typical)}" y="0" width="0.6" height="6"/><rect class="mark" x="${at(likeness)}" y="0" width="0.6" height="6"/>
  </svg>`;
}

/** A word after the name of a video that is a stray or a double. */
export function standingTag({ record }: ReportVideo): Html | null {
  const { standing } = record;
  if (standing?.isStray) return markup`<span class="standing">stray</span>`;
  return standing?.doubleOf === undefined ? null : markup`<span class="standing">double</span>`;
}

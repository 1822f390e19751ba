import type { SummaryShot } from '../../summary/index.js';
import { markup, raw, type Html } from './html.js';
import { ownPart, relativeScore } from './importance.js';
import { shotSeconds, type ReportVideo } from './topic.js';

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

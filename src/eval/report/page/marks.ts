import { markup, type Html } from '../../../export/index.js';
import type { Interval } from '../../statistics/bootstrap.js';
import { formatTick } from '../numbers.js';
import type { Scale } from './scale.js';

/** Height of one line of a chart in pixels. */
const LINE = 34;
const MIDDLE = LINE / 2;

/** A vertical line through all lanes of a chart. */
export type Guide = { readonly className: 'chance' | 'people' | 'zero'; readonly value: number | null };

/** One row of a chart. */
export type Lane = {
  /** What it shows, in words. */
  readonly title: string;
  readonly className: string;
  readonly value: number | null;
  readonly interval: Interval | null;
  readonly paper?: number | null;
  readonly guides: readonly Guide[];
};

/** One line of a chart: a dot with its interval, guides behind it, and the paper's figure as a hollow mark. */
export function drawLane(scale: Scale, { title, className, value, interval, paper = null, guides }: Lane): Html {
  const { place } = scale;
  return markup`<svg class="plot ${className}" width="100%" height="${LINE}" role="img"><title>${title}</title>
    ${guides.map((guide) => upright(scale, guide))}
    ${interval && whisker(place(interval.low), place(interval.high))}
    ${paper === null ? null : diamond(place(paper))}
    ${value === null ? null : markup`<circle class="dot" cx="${place(value)}" cy="${MIDDLE}" r="5" />`}
  </svg>`;
}

/** A drawing inside the drawing, because a path cannot be placed by percentages. */
function diamond(x: string): Html {
  return markup`<svg class="paper" x="${x}" y="${MIDDLE}" overflow="visible"><path d="M0-6L6 0 0 6-6 0z" /></svg>`;
}

function upright({ place }: Scale, { className, value }: Guide): Html {
  if (value === null) return markup``;
  return markup`<line class="guide-line ${className}" x1="${place(value)}" x2="${place(value)}" y1="0" y2="${LINE}" />`;
}

function whisker(low: string, high: string): Html {
  const cap = (x: string): Html => markup`<line x1="${x}" x2="${x}" y1="${MIDDLE - 5}" y2="${MIDDLE + 5}" />`;
  return markup`<g class="whisker">
    <line x1="${low}" x2="${high}" y1="${MIDDLE}" y2="${MIDDLE}" />${cap(low)}${cap(high)}
  </g>`;
}

/** The numbers under a chart's lanes. */
export function drawAxis({ ticks, place }: Scale): Html {
  const draw = (tick: number): Html =>
    markup`<line x1="${place(tick)}" x2="${place(tick)}" y1="0" y2="5" />
      <text x="${place(tick)}" y="19">${formatTick(tick)}</text>`;
  return markup`<svg class="axis" width="100%" height="26" aria-hidden="true">${ticks.map(draw)}</svg>`;
}

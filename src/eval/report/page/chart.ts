import { markup, type Html } from '../../../render/index.js';
import { METRICS, type MetricName } from '../../metrics/names.js';
import type { ScoreRow } from '../../types.js';
import { formatInterval, formatRelative, formatValue, formatTick } from '../text-table.js';
import { confidenceOf, isBestMethod, paperMean, type Reading, rowLabel } from '../read.js';
import { MEASURES, lineHead, numberCell, numberHead, rowClass, scrolling } from './measures.js';
import type { Interval } from '../../statistics/bootstrap.js';

/** Every row on one scale of one measure: a real table whose second column is the chart. */
export function renderChart(reading: Reading, name: MetricName): Html {
  const { board, chance, people } = reading;
  const confidence = confidenceOf(board);
  // The paper has AP@5 alone.
  const paperOf = (row: ScoreRow): number | null => (name === 'ap5' ? paperMean(reading, row.name) : null);
  const withPaper = board.rows.some((row) => paperOf(row) !== null);
  const shown = board.rows.flatMap((row) => {
    const { overall, interval } = row.scores[name];
    return [overall, paperOf(row), ...(interval ? [interval.low, interval.high] : [])];
  });
  const scale = scaleOf(shown.filter((value) => value !== null));
  const guides: readonly Guide[] = [
    { className: 'chance', value: chance && chance.scores[name].overall },
    { className: 'people', value: people && people.scores[name].overall },
  ];
  const line = (row: ScoreRow): Html => {
    const { overall, interval, relative } = row.scores[name];
    const [label, className, paper] = [rowLabel(row), rowClass(row, reading), paperOf(row)];
    const title =
      `${label}: ${formatValue(overall)}, ${confidence} interval ${formatInterval(interval)}` +
      (paper === null ? '' : `; the paper ${formatValue(paper)}`);
    return markup`<tr class="${className}">${lineHead(label)}
      <td class="lane-cell">${drawLane(scale, { title, className, value: overall, interval, paper, guides })}</td>
      ${numberCell(formatValue(overall), 'strong')}${numberCell(formatInterval(interval))}
      ${numberCell(formatRelative(relative))}${withPaper ? numberCell(formatValue(paper)) : null}
    </tr>`;
  };
  const table = markup`<table class="chart">
    <caption>${METRICS[name]} of every row, with ${confidence} intervals</caption>
    <thead><tr>
      <th scope="col">Row</th><th scope="col">${renderKey(withPaper)}</th>
      ${numberHead(METRICS[name])}${numberHead(confidence)}${numberHead('of one person')}
      ${withPaper ? numberHead('paper') : null}
    </tr></thead>
    <tbody>${board.rows.map(line)}</tbody>
    <tfoot aria-hidden="true"><tr><td></td><td class="lane-cell">${drawAxis(scale)}</td></tr></tfoot>
  </table>`;
  return markup`<p class="about">${MEASURES[name]}</p>${scrolling(`${METRICS[name]} of every row`, table)}`;
}

function renderKey(withPaper: boolean): Html {
  const paper = withPaper ? markup`<span class="key paper">the paper</span>` : null;
  return markup`<span class="legend">
    <span class="key chance">random</span><span class="key people">one person</span>${paper}
  </span>`;
}

/** All measures at once: rows by measures, the best method of each marked. */
export function renderAllMeasures(reading: Reading): Html {
  const { board, measures } = reading;
  const isBest = measures.map((name) => isBestMethod(board.rows, ({ scores }) => scores[name].overall));
  const line = (row: ScoreRow): Html => {
    const cells = measures.map((name, at) =>
      numberCell(formatValue(row.scores[name].overall), isBest[at]!(row) ? 'best' : ''),
    );
    return markup`<tr class="${rowClass(row, reading)}">${lineHead(rowLabel(row))}${cells}</tr>\n`;
  };
  return scrolling(
    'All measures',
    markup`<table class="grid">
      <caption>The mean over topics, the best method of each measure marked</caption>
      <thead><tr><th scope="col">Row</th>${measures.map((name) => numberHead(METRICS[name]))}</tr></thead>
      <tbody>${board.rows.map(line)}</tbody>
    </table>`,
  );
}

/** A horizontal scale. */
export type Scale = {
  readonly ticks: readonly number[];
  /** Where a value is, as an SVG length: `43.21%`. */
  place(value: number): string;
};

/** Steps of a scale are one of these times a power of ten. */
const STEPS = [1, 2, 5, 10];
const STEP_COUNT = 7;
/** Percent kept free at both ends, so that marks there are not cut off. */
const MARGIN = 3;

/** The scale that holds all the values between round ends. */
export function scaleOf(values: readonly number[]): Scale {
  const [least, most] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const range = most - least || Math.abs(most) || 1;
  const power = 10 ** Math.floor(Math.log10(range / STEP_COUNT));
  const step = power * STEPS.find((each) => each * power * STEP_COUNT >= range * (1 - 1e-9))!;
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  return {
    ticks: Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12))),
    place: (value) => {
      const share = (value / step - first) / (last - first);
      return `${Number((MARGIN + (100 - 2 * MARGIN) * share).toFixed(3))}%`;
    },
  };
}

/** The same position on a vertical scale, whose zero is at the bottom. */
export function upwards(percent: string): string {
  return `${Number((100 - Number.parseFloat(percent)).toFixed(3))}%`;
}

/** Height of one line of a chart in pixels. */
const LINE = 34;
const MIDDLE = LINE / 2;

/** A vertical line through all lanes of a chart. */
type Guide = { readonly className: 'chance' | 'people' | 'zero'; readonly value: number | null };

/** One row of a chart. */
type Lane = {
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

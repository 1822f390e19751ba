import { type Html, markup } from '../../../render/index.js';
import { type ByMetric, type MetricName, METRICS } from '../../metrics/names.js';
import type { Interval } from '../../statistics/paired-test.js';
import type { ScoreRow } from '../../types.js';
import {
  confidenceOf,
  isBestMethod,
  paperMean,
  type Reading,
  rowLabel,
  formatInterval,
  formatRelative,
  formatTick,
  formatValue,
} from '../text-table.js';

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

const TEXTBOOK = (k: number): string =>
  `Average precision of the first ${k} shots against each judge’s reference, divided by ${k}, or by the size of the ` +
  'reference if that is less: the textbook form.';
const BY_HITS = (k: number): string =>
  `As AP@${k}, divided by the hits among the first ${k}: it rewards hits that come early, not many hits.`;

/** What each measure measures, in a sentence. */
const MEASURES: ByMetric<string> = {
  spearman:
    'How the ranks of the shots correlate with those by each judge’s marks: 1 for the same order, 0 for nothing in ' +
    'common, −1 for the reverse. Mean over judges.',
  p5: 'The share of the first five shots that are in a judge’s reference. Mean over judges.',
  p15: 'The share of the first 15 % of the shots that are in a judge’s reference. Mean over judges.',
  lift:
    'How far the first 15 % of the shots are above the video’s mean by the judges’ mean mark, in standard deviations ' +
    'of it: 0 as by chance.',
  ap5: TEXTBOOK(5),
  ap15: TEXTBOOK(15),
  ap5Retrieved: BY_HITS(5),
  ap15Retrieved: BY_HITS(15),
  highlightTop5:
    'The scorer of highlight detection: average precision of the first 5 shots against those that a judge marked ' +
    'above their own median, divided by the hits.',
  kendall:
    'How far the ranking agrees with each judge’s marks on which of two shots is better: 1 for every pair, 0 as by ' +
    'chance, −1 for none. Mean over judges.',
  kendallConsensus: 'Kendall’s τ against the mean mark of all judges at once.',
  spearmanConsensus: 'Spearman’s ρ against the mean mark of all judges at once.',
  f1Mean: 'How far a summary of the allowed length and that of each judge share their frames. Mean over judges.',
  f1Max: 'How far a summary of the allowed length and that of the nearest judge share their frames.',
};

/** The choice of a measure; the script shows the panels that belong to it. */
export function renderChooser(measures: readonly MetricName[]): Html {
  const choice = (name: MetricName, index: number): Html => {
    const checked = index === 0 ? markup` checked` : null;
    return markup`<label
      ><input type="radio" name="measure" value="${name}"${checked} /><span>${METRICS[name]}</span></label
    >`;
  };
  return markup`<fieldset class="chooser"><legend>Measure</legend>${measures.map(choice)}</fieldset>`;
}

/** What belongs to one measure; without script all are shown one after the other. */
export function panel(name: MetricName, content: Html): Html {
  return markup`<div class="panel" data-measure="${name}">${content}</div>\n`;
}

/** How a row is coloured: the subject, people, a floor, or another method. */
export function rowClass({ kind, name }: ScoreRow, { board }: Reading): string {
  if (name === board.settings.subject) return 'subject';
  return kind === 'human' ? 'people' : kind === 'floor' ? 'chance' : 'method';
}

/** A table that scrolls by itself if the page is too narrow, also by keyboard. */
export function scrolling(label: string, table: Html): Html {
  return markup`<div class="wide" tabindex="0" role="region" aria-label="${label}">${table}</div>`;
}

/** A cell with a number. */
export function numberCell(text: string, className = ''): Html {
  return markup`<td class="number${className && ` ${className}`}">${text}</td>`;
}

/** The heading of a column of numbers. */
export function numberHead(text: string, className = ''): Html {
  return markup`<th scope="col" class="number${className && ` ${className}`}"><bdi>${text}</bdi></th>`;
}

/** The heading of a line; its text may come from outside, in any direction. */
export function lineHead(name: string): Html {
  return markup`<th scope="row"><bdi>${name}</bdi></th>`;
}

/** The page's script: it shows the panels of the chosen measure, and opens what is folded for print. */
export const PAGE_SCRIPT = String.raw`'use strict';
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const choices = all('input[name="measure"]'), panels = all('.panel');
  document.documentElement.classList.add('js');
  const show = () => {
    const chosen = choices.find((choice) => choice.checked) ?? choices[0];
    for (const panel of panels) panel.hidden = panel.dataset.measure !== chosen?.value;
  };
  for (const choice of choices) choice.addEventListener('change', show);
  // A browser may come back with another choice than the page was written with.
  addEventListener('pageshow', show);
  show();
  addEventListener('beforeprint', () => {
    for (const details of all('details:not([open])')) { details.open = true; details.dataset.printed = ''; }
  });
  addEventListener('afterprint', () => {
    for (const details of all('details[data-printed]')) { details.open = false; delete details.dataset.printed; }
  });
})();
`;

import { markup, type Html } from '../../../export/index.js';
import { METRICS, type MetricName } from '../../metrics/names.js';
import type { ScoreRow } from '../../scoreboard-record.js';
import { formatInterval, formatRelative, formatValue } from '../numbers.js';
import { confidenceOf, isBestMethod, paperMean, type Reading, rowLabel } from '../read.js';
import { drawAxis, drawLane, type Guide } from './marks.js';
import { MEASURES } from './measures.js';
import { scaleOf } from './scale.js';
import { lineHead, numberCell, numberHead, rowClass, scrolling } from './table.js';

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

import { markup, type Html } from '../../../export/index.js';
import { METRICS, type MetricName } from '../../metrics/names.js';
import type { ScoreRow } from '../../scoreboard-record.js';
import { formatValue } from '../numbers.js';
import { isBestMethod, paperMean, paperTopic, type Reading, rowLabel } from '../read.js';
import { lineHead, numberHead, rowClass, scrolling } from './table.js';

/** A value of a row, as a line of the table needs it. */
type ValueOf = (row: ScoreRow) => number | null;

/** One measure by topic, laid out as in the paper: a line per topic, a column per row, the paper's figure below ours. */
export function renderTopics(reading: Reading, name: MetricName): Html {
  const { board, topics } = reading;
  const paper = (valueOf: ValueOf): ValueOf => (name === 'ap5' ? valueOf : () => null);
  const paperOverall = paper((row) => paperMean(reading, row.name));
  const lines = topics.map(({ code, title }, topic) =>
    renderLine(
      reading,
      title,
      ({ scores }) => scores[name].perTopic[topic]!,
      paper((row) => paperTopic(reading, row.name, code)),
    ),
  );
  const mean = renderLine(reading, 'mean', ({ scores }) => scores[name].overall, paperOverall);
  const heads = board.rows.map((row) => numberHead(rowLabel(row), rowClass(row, reading)));
  const table = markup`<table class="grid topics">
    <caption>${METRICS[name]} by topic</caption>
    <thead><tr><th scope="col">Topic</th>${heads}</tr></thead>
    <tbody>${lines}</tbody>
    <tfoot>${mean}</tfoot>
  </table>`;
  const withPaper = board.rows.some((row) => paperOverall(row) !== null);
  const said = withPaper ? ' The small figures are those of the paper, its best marked too.' : '';
  return markup`<p class="about">The best method of each topic is marked.${said}</p>
    ${scrolling(`${METRICS[name]} by topic`, table)}`;
}

function renderLine(reading: Reading, title: string, oursOf: ValueOf, theirsOf: ValueOf): Html {
  const { rows } = reading.board;
  const [isOurBest, isTheirBest] = [isBestMethod(rows, oursOf), isBestMethod(rows, theirsOf)];
  const mark = (best: boolean): Html | null => (best ? markup` class="best"` : null);
  const cell = (row: ScoreRow): Html => {
    const [ours, theirs] = [oursOf(row), theirsOf(row)];
    const below = theirs === null ? null : markup`<small${mark(isTheirBest(row))}>${formatValue(theirs)}</small>`;
    return markup`<td class="number ${rowClass(row, reading)}"
      ><span${mark(isOurBest(row))}>${formatValue(ours)}</span>${below}</td>`;
  };
  return markup`<tr>${lineHead(title)}${rows.map(cell)}</tr>\n`;
}

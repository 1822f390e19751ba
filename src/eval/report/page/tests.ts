import { markup, type Html } from '../../../export/index.js';
import { METRICS, type MetricName } from '../../metrics/names.js';
import type { Lead, ScoreRow } from '../../scoreboard-record.js';
import { formatDifference, formatInterval, formatP, formatRatio, formatValue, NONE } from '../numbers.js';
import { confidenceOf, type Reading, rowLabel } from '../read.js';
import { drawAxis, drawLane } from './marks.js';
import { scaleOf } from './scale.js';
import { lineHead, numberCell, numberHead, rowClass, scrolling } from './table.js';

/** The subject against every other row by one measure: the difference drawn and in numbers, and the test of it. */
export function renderTests(reading: Reading, name: MetricName): Html {
  const { board } = reading;
  const { subject, level } = board.settings;
  const leads = board.rows.flatMap((row) => {
    const lead = row.scores[name].subjectLead;
    return lead ? [{ row, lead }] : [];
  });
  if (leads.length === 0) return markup`<p class="about">There is nothing to compare by this measure.</p>`;
  const ends = leads.flatMap(({ lead: { interval } }) => (interval ? [interval.low, interval.high] : []));
  const scale = scaleOf([0, ...leads.map(({ lead }) => lead.overall), ...ends]);
  const line = ({ row, lead }: { row: ScoreRow; lead: Lead }): Html => {
    const { overall, interval, test } = lead;
    const clear = test !== null && test.p < level;
    const className = clear ? rowClass(row, reading) : 'unclear';
    const numbers = `${formatDifference(overall)}, interval ${formatInterval(interval)}`;
    const title = `${subject} minus ${rowLabel(row)}: ${numbers}`;
    const guides = [{ className: 'zero', value: 0 }] as const;
    return markup`<tr class="${rowClass(row, reading)}">${lineHead(rowLabel(row))}
      <td class="lane-cell">${drawLane(scale, { title, className, value: overall, interval, guides })}</td>
      ${numberCell(formatDifference(overall), 'strong')}${numberCell(formatInterval(interval))}
      ${numberCell(test ? String(test.pairCount) : NONE)}
      ${numberCell(test ? formatRatio(test.effectSize, test) : NONE)}
      ${numberCell(test ? formatRatio(test.t, test) : NONE)}
      ${numberCell(test ? formatP(test.p) : NONE, clear ? 'strong' : '')}
      ${numberCell(test ? formatValue(test.power) : NONE)}
    </tr>`;
  };
  const heads = ['difference', confidenceOf(board), 'videos', 'd', 't', 'p', 'power'].map((head) => numberHead(head));
  const table = markup`<table class="chart tests">
    <caption>${METRICS[name]}: ${subject} minus each row</caption>
    <thead><tr>
      <th scope="col">Row</th>
      <th scope="col"><span class="legend"><span>row better</span><span>${subject} better</span></span></th>
      ${heads}
    </tr></thead>
    <tbody>${leads.map(line)}</tbody>
    <tfoot aria-hidden="true"><tr><td></td><td class="lane-cell">${drawAxis(scale)}</td></tr></tfoot>
  </table>`;
  return markup`<p class="about">
      Paired t-tests over videos; d is the mean difference in standard deviations. Dots are full where p is below
      ${level}. Power: how likely such a test is to find a true effect of the size seen.
    </p>
    ${scrolling(`Tests by ${METRICS[name]}`, table)}`;
}

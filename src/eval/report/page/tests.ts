import { markup, type Html } from '../../../export/index.js';
import { METRICS, type MetricName } from '../../metrics/names.js';
import type { Lead, ScoreRow } from '../../scoreboard-record.js';
import { formatDifference, formatInterval, formatP, formatRatio, formatValue, NONE } from '../numbers.js';
import { comparisons, confidenceOf, type Reading, rowLabel } from '../read.js';
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
    const { overall, interval, byTopic, byVideo } = lead;
    const clear = ((comparisons(board).isByTopic ? byTopic : byVideo)?.holm ?? 1) < level;
    const className = clear ? rowClass(row, reading) : 'unclear';
    const numbers = `${formatDifference(overall)}, interval ${formatInterval(interval)}`;
    const title = `${subject} minus ${rowLabel(row)}: ${numbers}`;
    const guides = [{ className: 'zero', value: 0 }] as const;
    return markup`<tr class="${rowClass(row, reading)}">${lineHead(rowLabel(row))}
      <td class="lane-cell">${drawLane(scale, { title, className, value: overall, interval, guides })}</td>
      ${numberCell(formatDifference(overall), 'strong')}${numberCell(formatInterval(interval))}
      ${numberCell(byTopic ? `${byTopic.ahead} of ${byTopic.topicCount}` : NONE)}
      ${numberCell(byTopic ? formatP(byTopic.p) : NONE)}${numberCell(byTopic ? formatP(byTopic.holm) : NONE)}
      ${numberCell(byVideo ? formatRatio(byVideo.effectSize, byVideo) : NONE)}
      ${numberCell(byVideo ? formatP(byVideo.p) : NONE)}${numberCell(byVideo ? formatP(byVideo.holm) : NONE)}
      ${numberCell(byVideo ? formatValue(byVideo.power) : NONE)}
    </tr>`;
  };
  const heads = [
    ...['difference', confidenceOf(board), 'topics ahead', 'p topics', 'corrected'],
    ...['d videos', 'p videos', 'corrected', 'power'],
  ].map((head) => numberHead(head));
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
      Exact sign flips over topics and paired t-tests over videos, each also corrected for all rows by Holm’s method. d is
      the mean difference over videos in standard deviations. Dots are full where the corrected p is below ${level}: over
      topics, or over videos where there are too few topics for that. Power: how likely a test over videos is to find a
      true effect of the size seen.
    </p>
    ${scrolling(`Tests by ${METRICS[name]}`, table)}`;
}

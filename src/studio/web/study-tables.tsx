import type { StudyResults, StudyRow } from '../study-contract.js';

const NAMES = { film: 'The film of the topic', video: 'The summary of every video' } as const;

/** What a study came to: a table for the film of the topic, one for the summaries. */
export function StudyTables({ results }: { readonly results: StudyResults }) {
  const { raters, unfinished } = results;
  return (
    <>
      <p>
        {raters} {raters === 1 ? 'rater' : 'raters'} handed in
        {unfinished > 0 && `; ${unfinished} did not, and ${unfinished === 1 ? 'is' : 'are'} not counted`}.
      </p>
      {results.tables.map(({ kind, length, subjects, rows }) => (
        <Table
          key={kind}
          rows={rows}
          caption={`${NAMES[kind]}, ${length}${subjects > 1 ? `, ${subjects} videos` : ''}`}
        />
      ))}
    </>
  );
}

const two = (value: number | null): string => (value === null ? '–' : value.toFixed(2).replace('-', '−'));

function Table({ rows, caption }: { readonly rows: readonly StudyRow[]; readonly caption: string }) {
  const sorted = rows.toSorted((a, b) => (b.mean ?? 0) - (a.mean ?? 0));
  const first = rows.find(({ lead }) => lead === null)?.method ?? '';
  const hasTests = rows.some(({ lead }) => lead !== null);
  return (
    <div class="table">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col">Mean</th>
            <th scope="col">1 to 10</th>
            <th scope="col">95 % interval</th>
            <th scope="col">Deviation</th>
            <th scope="col">Marks</th>
            {hasTests && <th scope="col">{first} leads by</th>}
            {hasTests && <th scope="col">p</th>}
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ method, mean, interval, deviation, marks, lead }) => (
            <tr key={method}>
              <th scope="row">{method}</th>
              <td>
                <strong>{two(mean)}</strong>
              </td>
              <td>
                <Whiskers mean={mean} interval={interval} />
              </td>
              <td>{interval ? `${two(interval.low)} to ${two(interval.high)}` : '–'}</td>
              <td>{two(deviation)}</td>
              <td>{marks}</td>
              {hasTests && <td>{lead ? signed(lead.mean) : ''}</td>}
              {hasTests && <td>{lead ? chance(lead.p) : ''}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="fine">
        Interval: Student’s t over the raters’ own means. Deviation: of the marks.
        {hasTests && ' p: paired t-test over raters, two-sided, not corrected for the number of methods.'}
      </p>
    </div>
  );
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${two(value)}`;
}

function chance(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

/** Mean and interval on the scale of the marks; what reaches beyond the scale is cut off there. */
function Whiskers({ mean, interval }: Pick<StudyRow, 'mean' | 'interval'>) {
  if (mean === null) return null;
  const x = (mark: number): number => 5 + (Math.min(10, Math.max(1, mark)) - 1) * 10;
  return (
    <svg class="whiskers" viewBox="0 0 100 14" width={150} height={21} aria-hidden="true">
      <line x1={5} x2={95} y1={7} y2={7} class="axis" />
      {interval && <line x1={x(interval.low)} x2={x(interval.high)} y1={7} y2={7} class="range" />}
      <circle cx={x(mean)} cy={7} r={3} />
    </svg>
  );
}

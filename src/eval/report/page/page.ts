import { closePage, formatCount, type Html, markup, openPage, plural } from '../../../render/index.js';
import type { Benchmark } from '../../benchmark.js';
import { METRICS, type MetricName } from '../../metrics/names.js';
import type { ScoreRow, Lead } from '../../types.js';
import { headlines, chosenLines, leftOutNotes } from '../columns.js';
import {
  formatValue,
  formatDifference,
  formatInterval,
  formatP,
  formatRatio,
  NONE,
  judgesAVideo,
  readBenchmark,
  type Reading,
  confidenceOf,
  comparisons,
  rowLabel,
  isBestMethod,
  paperMean,
  paperTopic,
} from '../text-table.js';
import {
  renderAllMeasures,
  renderChart,
  drawAxis,
  drawLane,
  scaleOf,
  PAGE_SCRIPT,
  panel,
  renderChooser,
  lineHead,
  scrolling,
  numberCell,
  numberHead,
  rowClass,
} from './chart.js';
import { type PictureOf, renderExamples, renderVideos } from './videos.js';
import { PAGE_STYLE } from './style.css.js';

/**
 * The benchmark as one web page, chunk by chunk, with no more than one picture in memory. It loads nothing. Same record
 * and pictures, same bytes.
 */
export async function* renderBenchmark(benchmark: Benchmark, pictureOf: PictureOf): AsyncGenerator<string> {
  for await (const part of renderPage(readBenchmark(benchmark), pictureOf)) yield part.html;
}

async function* renderPage(reading: Reading, pictureOf: PictureOf): AsyncGenerator<Html> {
  const { measures, board } = reading;
  const { subject } = board.settings;
  const shell = { title: reading.title, style: PAGE_STYLE, script: PAGE_SCRIPT, films: false };
  yield openPage(shell);
  yield renderHead(reading);
  if (measures.length > 0) yield renderChooser(measures);
  yield* renderSection(reading, 'rows', 'Where each row stands', renderChart);
  yield* renderSection(reading, 'topics', 'Topic by topic', renderTopics);
  if (reading.subject) {
    yield* renderSection(reading, 'tests', `Is ${subject} better?`, renderTests);
    yield* renderSection(reading, 'videos', 'Video by video', renderVideos);
  }
  yield* renderExamples(reading, pictureOf);
  yield markup`<section class="list" aria-labelledby="measures">
    <h2 id="measures">All measures</h2>
    ${renderAllMeasures(reading)}
  </section>\n`;
  yield* renderMaking(reading);
  yield closePage(shell);
}

/** A section that shows the chosen measure. */
function* renderSection(
  reading: Reading,
  id: string,
  title: string,
  render: (reading: Reading, name: MetricName) => Html,
): Generator<Html> {
  yield markup`<section class="list" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>`;
  for (const name of reading.measures) yield panel(name, render(reading, name));
  yield markup`</section>\n`;
}

function renderHead(reading: Reading): Html {
  const [first = '', ...more] = headlines(reading);
  const items = more.map((sentence) => markup`<li>${sentence}</li>`);
  const findings = items.length > 0 ? markup`<ul class="findings">${items}</ul>` : null;
  return markup`<header class="top">
    <p class="brand">Throughline<span>benchmark</span></p>
    <h1>${reading.title}</h1>
    <p class="lede">${first}</p>
    ${findings}
    ${renderFigures(reading)}
  </header>`;
}

function renderFigures(reading: Reading): Html {
  const { benchmark, board, subject, topics, lead } = reading;
  const shotCount = board.videos.reduce((sum, video) => sum + video.shotCount, 0);
  const figures: readonly (readonly [string, string])[] = [
    ...(subject ? lead.map((name) => subjectFigure(reading, subject, name)) : []),
    [formatCount(topics.length), topics.length === 1 ? 'topic' : 'topics'],
    [
      `${formatCount(board.videos.length)} of ${formatCount(benchmark.dataset.labelledVideos)}`,
      `labelled videos, ${plural(shotCount, 'shot')}`,
    ],
    judgesAVideo(board),
  ];
  return markup`<dl class="figures">
    ${figures.map(([value, name]) => markup`<div><dd>${value}</dd><dt>${name}</dt></div>`)}
  </dl>`;
}

function subjectFigure({ people }: Reading, { name, scores }: ScoreRow, metric: MetricName): readonly [string, string] {
  const human = people && people.scores[metric].overall;
  const beside = human === null ? '' : `; one person ${formatValue(human)}`;
  return [formatValue(scores[metric].overall), `${METRICS[metric]} of ${name}${beside}`];
}

/** The end of the page: protocol, notes, skipped videos, settings, and the files it was made from. */
function* renderMaking(reading: Reading): Generator<Html> {
  const { benchmark, measures, board } = reading;
  const silent = board.metrics.length > measures.length;
  const notes = [
    ...benchmark.notes,
    ...benchmark.dataset.notes,
    ...leftOutNotes(reading),
    ...(silent ? ['Measures that need marks have no values here and are not shown.'] : []),
  ];
  yield section('chosen', 'Chosen for each topic on the other topics', chosenLines(reading));
  yield section('protocol', 'Protocol', benchmark.protocol);
  yield section('notes', 'Notes', notes);
  yield renderSkipped(reading);
  yield markup`<footer class="list making"><h2>How this was made</h2>
    <p>
      The same files, seed and version give the same page, byte for byte. All numbers are in
      <code>benchmark.json</code> next to it, in full.
    </p>
    ${renderSettings(reading)}`;
  yield renderRows(reading);
  yield renderFiles(
    'Data files',
    'File',
    benchmark.dataset.files.map(({ path, sha256 }) => [path, sha256]),
  );
  yield renderFiles(
    'Files behind the features',
    'Video',
    benchmark.inputs.map(({ video, sha256 }) => [video, sha256]),
  );
  yield markup`</footer>`;
}

function section(id: string, title: string, lines: readonly string[]): Html {
  if (lines.length === 0) return markup``;
  return markup`<section class="list" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
    <ul class="notes">${lines.map((line) => markup`<li>${line}</li>`)}</ul></section>\n`;
}

function renderSkipped({ benchmark: { skipped } }: Reading): Html {
  if (skipped.length === 0) return markup``;
  return markup`<section class="list" aria-labelledby="skipped">
    <h2 id="skipped">${plural(skipped.length, 'video')} skipped</h2>
    <ul class="skipped">${skipped.map(
      ({ path, code, message }) =>
        markup`<li><bdi class="file">${path}</bdi><p>${message}</p><code>${code}</code></li>`,
    )}</ul></section>\n`;
}

function renderSettings({ benchmark, board }: Reading): Html {
  const { seed, draws, resamples, level, summaryShare, subject, ties } = board.settings;
  const facts: readonly (readonly [string, string])[] = [
    ['Throughline', benchmark.throughline],
    ['Records', `${benchmark.schema}, ${board.schema}`],
    ['Seed', String(seed)],
    ['Ties', ties],
    ['random, run', `the mean of ${plural(draws, 'order')} per video`],
    [
      'Intervals',
      `${confidenceOf(board)}, from ${formatCount(resamples)} resamples of topics and of the videos in them`,
    ],
    ['Tests', `exact sign flips over topics, paired t-tests over videos, two-sided; Holm’s correction; level ${level}`],
    ['Compared', `${subject} minus the row, so more is better for ${subject}`],
    ['F1', `summaries of ${Number((100 * summaryShare).toPrecision(6))} % of a video`],
  ];
  return markup`<dl>${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function renderRows({ benchmark: { rows } }: Reading): Html {
  if (rows.length === 0) return markup``;
  const line = ({ name, choice, features }: (typeof rows)[number]): Html => {
    const reported = Object.entries({ ...choice.knobs, ...(choice.seed === undefined ? {} : { seed: choice.seed }) });
    const settings = reported.map(
      ([knob, value]) => markup`<span class="told">${knob} <code>${JSON.stringify(value) ?? ''}</code></span> `,
    );
    return markup`<tr>${lineHead(name)}<td>${choice.method}</td>
      <td>${settings.length === 0 ? 'defaults' : settings}</td>
      <td><bdi>${features.name}</bdi> ${features.version}, ${plural(features.dim, 'number')} per shot</td></tr>`;
  };
  const heads = ['Row', 'Method', 'Settings', 'Features'].map((head) => markup`<th scope="col">${head}</th>`);
  return scrolling(
    'What each row is made with',
    markup`<table class="grid">
      <caption>What each row is made with</caption>
      <thead><tr>${heads}</tr></thead>
      <tbody>${rows.map(line)}</tbody>
    </table>`,
  );
}

/** Longer lists of files are folded. */
const FILES_SHOWN = 5;

function renderFiles(title: string, heading: string, files: readonly (readonly [string, string])[]): Html {
  if (files.length === 0) return markup``;
  const line = ([name, sha256]: readonly [string, string]): Html =>
    markup`<tr>${lineHead(name)}<td><code class="hash">${sha256}</code></td></tr>\n`;
  const table = markup`<table class="grid">
    <caption>${title}, by content</caption>
    <thead><tr><th scope="col">${heading}</th><th scope="col">SHA-256</th></tr></thead>
    <tbody>${files.map(line)}</tbody>
  </table>`;
  return markup`<details${files.length > FILES_SHOWN ? null : markup` open`}>
    <summary>${title} (${formatCount(files.length)})</summary>
    ${scrolling(title, table)}
  </details>`;
}

/** The subject against every other row by one measure: the difference drawn and in numbers, and the test of it. */
function renderTests(reading: Reading, name: MetricName): Html {
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

/** A value of a row, as a line of the table needs it. */
type ValueOf = (row: ScoreRow) => number | null;

/** One measure by topic, laid out as in the paper: a line per topic, a column per row, the paper's figure below ours. */
function renderTopics(reading: Reading, name: MetricName): Html {
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

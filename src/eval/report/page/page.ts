import { closePage, formatCount, type Html, markup, openPage, plural } from '../../../export/index.js';
import type { Benchmark } from '../../benchmark.js';
import { METRICS, type MetricName } from '../../metrics/names.js';
import type { ScoreRow } from '../../scoreboard-record.js';
import { headlines } from '../headline.js';
import { formatValue } from '../numbers.js';
import { judgesAVideo, readBenchmark, type Reading } from '../read.js';
import { renderAllMeasures, renderChart } from './chart.js';
import { PAGE_SCRIPT } from './client.js';
import { type PictureOf, renderExamples } from './examples.js';
import { renderMaking } from './making.js';
import { panel, renderChooser } from './measures.js';
import { PAGE_STYLE } from './style.css.js';
import { renderTests } from './tests.js';
import { renderTopics } from './topics.js';
import { renderVideos } from './videos.js';

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

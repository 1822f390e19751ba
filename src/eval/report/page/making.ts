import { formatCount, markup, plural, type Html } from '../../../export/index.js';
import { chosenLines } from '../headline.js';
import { confidenceOf, type Reading } from '../read.js';
import { leftOutNotes } from '../remarks.js';
import { lineHead, scrolling } from './table.js';

/** The end of the page: protocol, notes, skipped videos, settings, and the files it was made from. */
export function* renderMaking(reading: Reading): Generator<Html> {
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
    const told = Object.entries({ ...choice.knobs, ...(choice.seed === undefined ? {} : { seed: choice.seed }) });
    const settings = told.map(
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

import { markup, type Html } from '../../../render/index.js';
import { type ByMetric, METRICS, type MetricName } from '../../metrics/names.js';
import type { ScoreRow } from '../../types.js';
import type { Reading } from '../read.js';

const TEXTBOOK = (k: number): string =>
  `Average precision of the first ${k} shots against each judge’s reference, divided by ${k}, or by the size of the ` +
  'reference if that is less: the textbook form.';
const BY_HITS = (k: number): string =>
  `As AP@${k}, divided by the hits among the first ${k}: it rewards hits that come early, not many hits.`;

/** What each measure measures, in a sentence. */
export const MEASURES: ByMetric<string> = {
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

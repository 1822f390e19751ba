import { createHash } from 'node:crypto';
import { compareTexts } from '../../base/index.js';
import type { SummaryDocument } from '../../summary/index.js';
import { renderHead } from './head.js';
import { formatCount, formatScore, type Html, markup, plural, raw } from './html.js';
import { PAGE_SCRIPT } from './page.client.js';
import { PAGE_STYLE } from './page.css.js';
import { type Thumbnail, renderVideo } from './video.js';
import { readTopic, type ReportTopic } from './topic.js';

/** The hash of the report's script, for servers that allow no other script to run. */
export const REPORT_SCRIPT = policyHash(PAGE_SCRIPT);

/**
 * The run as one web page, chunk by chunk, so that no more than one picture is in memory at a time. It requests nothing
 * but the films next to it, and opens from a disk. Same document and thumbnails, same bytes. If the topic has more videos
 * than the document, `videoCount` is their number, and the page mentions it.
 */
export async function* renderReport(
  document: SummaryDocument,
  thumbnail: Thumbnail,
  videoCount = document.videos.length,
): AsyncGenerator<string> {
  for await (const part of renderPage(document, thumbnail, videoCount)) yield part.html;
}

async function* renderPage(document: SummaryDocument, thumbnail: Thumbnail, videoCount: number): AsyncGenerator<Html> {
  const topic = readTopic(document);
  const shell = { title: document.topic, style: PAGE_STYLE, script: PAGE_SCRIPT, films: true };
  yield openPage(shell);
  yield* renderHead(topic);
  const shown = topic.videos.length;
  if (shown < videoCount) {
    yield markup`<p class="aside">
      This page shows the first ${formatCount(shown)} of ${plural(videoCount, 'video')}, and its figures are for these.
      All videos are in <code>summary.json</code>.
    </p>`;
  }
  for (const video of topic.videos) yield* renderVideo(topic, video, thumbnail);
  yield* renderFoot(topic);
  yield closePage(shell, raw(CARD));
}

/** The end of the page: skipped files, notes, and how to make the same again. */
function* renderFoot(topic: ReportTopic): Generator<Html> {
  const { skipped, notes } = topic.document;
  if (skipped.length > 0) {
    yield markup`<section class="list" id="skipped" aria-labelledby="skipped-title">
      <h2 id="skipped-title">${plural(skipped.length, 'file')} skipped</h2>
      <ul class="skipped">`;
    for (const file of skipped) {
      yield markup`<li>
        <bdi class="file">${file.path}</bdi>
        <p>${file.message}</p>
        <code>${file.code}</code>
      </li>`;
    }
    yield markup`</ul></section>`;
  }
  if (notes.length > 0) {
    yield markup`<section class="list" aria-labelledby="notes-title">
      <h2 id="notes-title">Notes</h2>
      <ul class="notes">`;
    for (const note of notes) yield markup`<li>${note}</li>`;
    yield markup`</ul></section>`;
  }
  yield* renderMaking(topic);
}

function* renderMaking({ document, videos }: ReportTopic): Generator<Html> {
  const given = Object.entries(document.options).filter(([, value]) => value !== null);
  const options = given.sort(([a], [b]) => compareTexts(a, b));
  const unsettled = videos.filter((video) => !video.record.solver.converged).length;
  yield markup`<footer class="list making">
    <h2>How this was made</h2>
    <p>
      The same files, options and version give the same result, byte for byte. All numbers are in
      <code>summary.json</code> next to this page. Importance is √(own² + shared²); the colours divide a bar in the ratio
      of own² to shared².
    </p>
    <dl>
      <div>
        <dt>Version</dt>
        <dd>throughline ${document.throughline}</dd>
      </div>
      <div>
        <dt>Format</dt>
        <dd>${document.schema}</dd>
      </div>
      <div>
        <dt>Model</dt>
        <dd>${document.model.name} <code class="hash">${document.model.sha256 ?? document.model.version ?? ''}</code></dd>
      </div>
      <div>
        <dt>Options</dt>
        <dd class="options">
          ${
            options.length === 0
              ? 'defaults'
              : options.map(([name, value]) => markup`<span><b>${name}</b> <code>${written(value)}</code></span> `)
          }
        </dd>
      </div>
      <div>
        <dt>Solver</dt>
        <dd>
          ${
            unsettled === 0
              ? 'settled on every video'
              : `did not settle on ${plural(unsettled, 'video')}; the best solution found was used`
          }
        </dd>
      </div>
    </dl>`;
  if (videos.length > 0) {
    yield markup`<details>
      <summary>Solver and input of each video</summary>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th>Video</th>
              <th>Iterations</th>
              <th>Settled</th>
              <th>Residual</th>
              <th>Frames</th>
              <th>SHA-256 of the file</th>
            </tr>
          </thead>
          <tbody>`;
    for (const { record, title } of videos) yield renderRow(title, record);
    yield markup`</tbody></table></div></details>`;
  }
  yield markup`</footer>`;
}

function renderRow(title: string, { solver, frames, sha256 }: ReportTopic['videos'][number]['record']): Html {
  return markup`<tr>
    <td><bdi>${title}</bdi></td>
    <td data-name="Iterations">${solver.iterations}</td>
    <td data-name="Settled">${solver.converged ? 'yes' : 'no'}</td>
    <td data-name="Residual">${formatScore(solver.residual)}</td>
    <td data-name="Frames">${frames}</td>
    <td data-name="SHA-256"><code class="hash">${sha256}</code></td>
  </tr>`;
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'not set');
}

/** Frame of a self-contained page: style and script are inline, and its security policy allows no others. */
type Shell = {
  readonly title: string;
  readonly style: string;
  readonly script: string;
  /** Whether the page plays films that are next to it, and prints their storyboards. */
  readonly films: boolean;
};

/** Everything before the content. */
export function openPage(shell: Shell): Html {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${securityPolicy(shell)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">
<title>${shell.title} · Throughline</title>
<style>${raw(shell.style)}</style>
</head>
<body>
<main>`;
}

/** Everything after the content; `extra` goes between the main part and the script. */
export function closePage({ script }: Shell, extra: Html | null = null): Html {
  return markup`</main>
${extra}
<script>${raw(script)}</script>
</body>
</html>
`;
}

/** A script or style as a security policy names it: by its hash. */
function policyHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/** Allows only the page's own style and script, the pictures inside it, and the films and storyboards next to it. */
function securityPolicy({ style, script, films }: Shell): string {
  return [
    "default-src 'none'",
    `img-src data:${films ? " 'self' file:" : ''}`,
    ...(films ? ["media-src 'self' file:"] : []),
    `style-src ${policyHash(style)}`,
    `script-src ${policyHash(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** The detail card, empty; the script fills it for the current shot. */
const CARD = `<aside class="card" id="card" role="dialog" aria-labelledby="card-title" tabindex="-1" hidden>
<div class="card-picture"><img id="card-image" alt=""><p id="card-blank">This page has no picture of this shot</p></div>
<div class="card-body">
<header><h2 id="card-title"></h2><p id="card-mark"></p>
<nav aria-label="Shots"><button type="button" id="card-back" aria-label="Previous shot">‹</button>
<button type="button" id="card-next" aria-label="Next shot">›</button>
<button type="button" id="card-close" aria-label="Close">×</button></nav></header>
<p class="card-clock" id="card-clock"></p>
<p class="because" id="card-why"></p>
<svg class="split" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="own" id="card-own" height="1"/><rect class="shared" id="card-shared" height="1"/></svg>
<p class="parts" id="card-parts"><span class="key own"></span><span class="key shared"></span></p>
<dl><div><dt>Rank</dt><dd id="card-rank"></dd></div><div><dt>Score</dt><dd id="card-score"></dd></div>
<div><dt>Frames</dt><dd id="card-frames"></dd></div><div><dt>Ticks</dt><dd id="card-ticks"></dd></div></dl>
</div>
<div class="card-support" id="card-support"></div>
</aside>`;

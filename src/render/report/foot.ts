import { compareTexts } from '../../base/index.js';
import { formatScore, plural, markup, type Html } from './html.js';
import type { ReportTopic } from './topic.js';

/** The end of the page: skipped files, notes, and how to make the same again. */
export function* renderFoot(topic: ReportTopic): Generator<Html> {
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

import type { SummaryDocument } from '../../summary/index.js';
import { CARD, closePage, openPage, policyHash } from './shell.js';
import { renderFoot } from './foot.js';
import { renderHead } from './head.js';
import { formatCount, plural, markup, raw, type Html } from './html.js';
import { PAGE_SCRIPT } from './page.client.js';
import { PAGE_STYLE } from './page.css.js';
import type { Thumbnail } from './timeline.js';
import { readTopic } from './topic.js';
import { renderVideo } from './video.js';

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

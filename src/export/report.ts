import { createHash } from 'node:crypto';
import type { SummaryDocument } from '../summary/index.js';
import { CARD } from './report/card.js';
import { renderFoot } from './report/foot.js';
import { renderHead } from './report/head.js';
import { markup, raw, type Html } from './report/html.js';
import { PAGE_SCRIPT } from './report/page.client.js';
import { PAGE_STYLE } from './report/page.css.js';
import type { Thumbnail } from './report/timeline.js';
import { readTopic } from './report/topic.js';
import { renderVideo } from './report/video.js';

export type { Thumbnail };

/**
 * The run as one web page, chunk by chunk, so that no more than one picture is in memory at a time. It asks for nothing
 * but the films beside it, and opens from a disk. Same document and thumbnails, same bytes.
 */
export async function* renderReport(document: SummaryDocument, thumbnail: Thumbnail): AsyncGenerator<string> {
  for await (const part of renderPage(document, thumbnail)) yield part.html;
}

async function* renderPage(document: SummaryDocument, thumbnail: Thumbnail): AsyncGenerator<Html> {
  const topic = readTopic(document);
  yield markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${securityPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">
<title>${document.topic} · Throughline</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<main>`;
  yield* renderHead(topic);
  for (const video of topic.videos) yield* renderVideo(topic, video, thumbnail);
  yield* renderFoot(topic);
  yield markup`</main>
${raw(CARD)}
<script>${raw(PAGE_SCRIPT)}</script>
</body>
</html>
`;
}

/** Nothing may load or run but this page's own style and script, pictures inside it, and films beside it. */
function securityPolicy(): string {
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
  return [
    "default-src 'none'",
    'img-src data:',
    "media-src 'self' file:",
    `style-src ${hash(PAGE_STYLE)}`,
    `script-src ${hash(PAGE_SCRIPT)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

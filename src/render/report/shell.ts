import { createHash } from 'node:crypto';

import { markup, raw, type Html } from './html.js';

/** Frame of a self-contained page: style and script are inline, and its security policy allows no others. */
export type Shell = {
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
export function policyHash(text: string): string {
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
export const CARD = `<aside class="card" id="card" role="dialog" aria-labelledby="card-title" tabindex="-1" hidden>
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

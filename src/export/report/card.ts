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

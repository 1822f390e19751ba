/** Styles shared by all pages: colours, text, header. Dark by default, as in editing programs. */
export const LOOK = `
:root {
  color-scheme: dark light;
  --ground: #121316; --panel: #191b1f; --raised: #202328; --line: #2a2d33; --faint: #3a3e46;
  --ink: #edece7; --quiet: #9b9ea6; --own: #d9a03c; --shared: #58a6d6; --chosen: #ff5b3a;
  --track: #24272c; --wash: rgb(255 91 58 / 0.09); --off: 0.42; --dim: brightness(0.62) saturate(0.55);
  --shadow: 0 18px 50px rgb(0 0 0 / 0.55), 0 2px 8px rgb(0 0 0 / 0.4);
  --sans: "Inter", "Helvetica Neue", "Segoe UI", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", Consolas, monospace;
}
@media (prefers-color-scheme: light) {
  :root {
    --ground: #f6f5f1; --panel: #fdfcfa; --raised: #fff; --line: #e0ded7; --faint: #cbc8bf;
    --ink: #17181b; --quiet: #666971; --own: #cf9220; --shared: #2f82b8; --chosen: #d93a1a;
    --track: #e7e5de; --wash: rgb(217 58 26 / 0.08); --off: 0.45; --dim: brightness(1.08) saturate(0.4) opacity(0.55);
    --shadow: 0 18px 50px rgb(40 36 25 / 0.2), 0 2px 8px rgb(40 36 25 / 0.12);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { background: var(--ground); color: var(--ink); font: 14px/1.5 var(--sans); -webkit-text-size-adjust: 100%; }
body { margin: 0; position: relative; font-variant-numeric: tabular-nums; }
main { max-width: 1320px; margin: 0 auto; padding: 40px 40px 96px; }
h1, h2, h3, p, dl, dd, ol, ul, figure { margin: 0; padding: 0; }
ol, ul { list-style: none; }
a { color: inherit; text-decoration-color: var(--faint); text-underline-offset: 3px; }
a:hover { text-decoration-color: currentcolor; }
img, svg, video { display: block; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; text-align: inherit; }
code, kbd { font-family: var(--mono); font-size: 0.86em; }
:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
[hidden] { display: none !important; }
.own { fill: var(--own); } .shared { fill: var(--shared); } .off { opacity: var(--off); } .wash { fill: var(--wash); }
.label { font-size: 12px; font-weight: 600; color: var(--quiet); margin-bottom: 12px; }
.ordinal { flex: none; min-width: 22px; font-size: 12px; color: var(--quiet); }
.defs { position: absolute; }

.top { padding-bottom: 36px; }
.brand { font-size: 12px; font-weight: 700; display: flex; gap: 8px; }
.brand span { color: var(--quiet); font-weight: 400; }
h1 { font-size: clamp(32px, 4.2vw, 52px); line-height: 1.06; font-weight: 600; letter-spacing: -0.03em; margin: 26px 0 30px;
  overflow-wrap: anywhere; text-wrap: balance; }
.figures { display: flex; flex-wrap: wrap; gap: 20px 56px; }
.figures div { display: flex; flex-direction: column; }
.figures dd { font-size: 26px; line-height: 1.2; letter-spacing: -0.02em; display: flex; align-items: center; gap: 12px; }
.figures dt { color: var(--quiet); font-size: 13px; margin-top: 2px; }
.flow i { width: 34px; height: 1px; background: var(--quiet); position: relative; }
.flow i::after { content: ""; position: absolute; right: 0; top: -3px; width: 7px; height: 7px;
  border: solid var(--quiet); border-width: 1px 1px 0 0; transform: rotate(45deg); }
`;

/** Sections at the end of a page: lists of files, notes, how it was made, tables. */
export const LISTS = `
.list { border-top: 1px solid var(--line); margin-top: 56px; padding-top: 30px; }
.list h2 { font-size: 18px; font-weight: 600; letter-spacing: -0.01em; margin-bottom: 14px; }
.skipped li { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr) 150px; gap: 24px; padding: 9px 0; border-top: 1px solid var(--line); }
.skipped .file, .notes li { overflow-wrap: anywhere; }
.skipped p, .skipped code { color: var(--quiet); }
.skipped code { text-align: right; overflow-wrap: anywhere; line-height: 1.75; }
.notes li { padding: 4px 0; max-width: 84ch; }
.making { color: var(--quiet); font-size: 13px; }
.making h2 { color: var(--ink); }
.making dl { margin: 18px 0 10px; }
.making dl div { display: flex; gap: 16px; padding: 4px 0; }
.making dt { flex: 0 0 84px; }
.making dd { color: var(--ink); min-width: 0; overflow-wrap: anywhere; }
.options { display: flex; flex-wrap: wrap; gap: 2px 22px; }
.options b { font-weight: 400; color: var(--quiet); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 12px; width: 100%; }
th { text-align: left; font-weight: 600; }
th, td { padding: 6px 16px 6px 0; border-bottom: 1px solid var(--line); }
.hash { color: var(--quiet); overflow-wrap: anywhere; }
`;

/** Colours and page size for paper; goes inside a print rule. */
export const PAPER = `
  :root { --ground: #fff; --panel: #fff; --raised: #f1f0ec; --line: #d8d6cf; --faint: #b9b6ad; --ink: #111; --quiet: #555; --track: #e7e5de; --off: 0.45;
    --own: #cf9220; --shared: #2f82b8; --chosen: #d93a1a; --wash: rgb(217 58 26 / 0.1); --dim: saturate(0.4) opacity(0.5); }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  @page { size: A4 landscape; margin: 14mm; }
`;

/** The style of the page. */
export const PAGE_STYLE = `${LOOK}
main { overflow-wrap: anywhere; }
.concept { border-top: 1px solid var(--line); padding-top: 22px; margin-bottom: 40px; }
.concept-head { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; margin-bottom: 14px; }
.concept-head h2 { font-size: 22px; font-weight: 600; letter-spacing: -0.015em; }
.concept-head p { color: var(--quiet); }
.concept-head .order { flex: 1 0 100%; max-width: 100ch; font-size: 13px; }
.concept-head .order b { color: var(--ink); font-weight: 600; margin-right: 4px; }
.concept-body { display: grid; grid-template-columns: minmax(0, 1fr) 400px; gap: 28px; align-items: stretch; }
.concept-body.bare { grid-template-columns: minmax(0, 1fr); }
.concept .board { display: none; }
.film video { width: 100%; max-height: 620px; }
.cues { position: relative; min-height: 260px; }
.cues ol { position: absolute; inset: 0; overflow-y: auto; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
.bare .cues ol { position: static; columns: 400px; column-gap: 28px; }
.cue { display: grid; grid-template-columns: 80px minmax(0, 1fr) auto; gap: 0 12px; align-items: start; padding: 7px 2px;
  border-top: 1px solid var(--line); break-inside: avoid; font-size: 13px; }
.cue:first-child { border-top: 0; }
.cue .frame { outline: 0; }
.cue .frame img { width: 80px; object-fit: contain; }
.cue .source { display: flex; gap: 8px; }
.cue .source a { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.cue .source span { color: var(--quiet); }
.cue .why-here { color: var(--quiet); font-size: 12px; line-height: 1.4; }
.cue .play { color: var(--quiet); }
.strip { border-top: 1px solid var(--line); padding-top: 22px; margin-bottom: 40px; }
.tiles { display: flex; flex-wrap: wrap; gap: 6px; }
.tile { position: relative; display: grid; width: max-content; text-decoration: none; background: var(--panel); }
.tile img { object-fit: cover; }
.tile .split { height: 3px; width: 0; min-width: 100%; margin: 0; }
.tile .tag { position: absolute; left: 0; bottom: 3px; padding: 1px 6px 1px 5px; font-size: 11px; line-height: 16px;
  color: #fff; background: rgb(10 11 13 / 0.72); opacity: 0; }
.tile .tag b { margin-right: 6px; font-weight: 600; color: #ffb3a3; }
.tile:hover .tag, .tile:focus-visible .tag { opacity: 1; }
.tile:hover img { filter: brightness(1.08); }

.guide { margin-bottom: 40px; }
.guide ul { display: grid; grid-template-columns: repeat(4, 1fr); gap: 28px; }
.guide li { display: flex; gap: 12px; font-size: 13px; color: var(--quiet); line-height: 1.5; }
.guide b { display: block; color: var(--ink); font-weight: 600; }
.swatch { flex: none; width: 12px; height: 30px; margin-top: 4px; }
.swatch.own { background: var(--own); } .swatch.shared { background: var(--shared); }
.swatch.wish { border-top: 6px solid var(--chosen); background: repeating-linear-gradient(135deg, transparent 0 4px, var(--faint) 4px 6px); }
.swatch.flawed { border: 2px dashed var(--quiet); }
.swatch.chosen { border: 2px solid var(--chosen); background: var(--wash); }
kbd { border: 1px solid var(--faint); border-radius: 3px; padding: 0 4px; color: var(--ink); white-space: nowrap; }
.aside { margin-top: 18px; max-width: 76ch; font-size: 13px; color: var(--quiet); border-left: 2px solid var(--faint); padding-left: 12px; }

.index { position: relative; margin-bottom: 24px; }
.index ol { max-height: 520px; overflow: auto; border-top: 1px solid var(--line); }
.index a { display: flex; align-items: center; gap: 14px; height: 40px; border-bottom: 1px solid var(--line); text-decoration: none; }
.index a:hover { background: var(--panel); }
.index .name { flex: 0 0 210px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.spark { flex: 1; min-width: 0; }
.spark .bars { height: 26px; }
.number { flex: 0 0 58px; text-align: right; color: var(--quiet); font-size: 13px; }
.number.strong { color: var(--ink); }
.index .columns { position: absolute; top: 0; right: 0; display: flex; gap: 14px; font-size: 12px; color: var(--quiet); }
.index .columns span { width: 58px; text-align: right; }

.standing { flex: none; padding: 0 7px; border: 1px solid var(--chosen); color: var(--chosen); font-size: 11px; line-height: 17px; }
.odd { margin-bottom: 24px; }
.odd li { display: grid; grid-template-columns: 300px minmax(0, 1fr); gap: 24px; padding: 10px 0; border-top: 1px solid var(--line); font-size: 13px; color: var(--quiet); }
.odd b { color: var(--ink); font-weight: 600; }
.odd .who { display: flex; gap: 10px; align-items: start; color: var(--ink); font-size: 14px; overflow-wrap: anywhere; }
.odd .who .ordinal { min-width: 12px; } .odd .who .standing { margin-top: 1px; }
.odd .looks { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 6px; }
.scale { width: 100%; height: 10px; margin-top: 6px; }
.scale .ground { fill: var(--track); } .scale .mark { fill: var(--chosen); }

.video { border-top: 1px solid var(--line); padding-top: 34px; margin-top: 44px; scroll-margin-top: 0;
  content-visibility: auto; contain-intrinsic-size: auto 720px; }
.video-head { display: flex; align-items: baseline; gap: 0 14px; }
.video-head h2 { font-size: 22px; font-weight: 600; letter-spacing: -0.015em; line-height: 1.25; overflow-wrap: anywhere; }
.path { color: var(--quiet); font-size: 13px; overflow-wrap: anywhere; }
.links { margin-left: auto; display: flex; gap: 18px; font-size: 13px; white-space: nowrap; }
.facts { display: flex; flex-wrap: wrap; gap: 12px 34px; margin: 14px 0 22px 36px; }
.facts dt { font-size: 12px; color: var(--quiet); }
.facts dd { font-size: 14px; }

.lane { --strip: 60px; --bars: 84px; }
.lane.tall { --strip: 112px; }
.overview { position: relative; height: 34px; margin-bottom: 10px; background: var(--panel); cursor: pointer; touch-action: none; }
.overview .bars { height: 34px; }
.window { position: absolute; top: 0; bottom: 0; min-width: 6px; border: 1px solid var(--ink); background: rgb(128 128 128 / 0.14); }
.scroll { overflow-x: auto; overflow-y: hidden; scrollbar-width: thin; scrollbar-color: var(--faint) transparent; }
.track { position: relative; width: max-content; }
.js .track { min-width: 100%; }
.track > .bars { position: absolute; left: 0; top: 0; height: var(--bars); border-bottom: 1px solid var(--faint); }
.shots { position: relative; display: flex; align-items: stretch; min-height: calc(var(--bars) + var(--strip) + 4px); }
.gap { flex: none; }
.shot { position: relative; flex: none; min-width: 0; overflow: hidden; padding-top: calc(var(--bars) + 4px); }
.shot::before { content: ""; position: absolute; inset: 0 auto 0 0; width: 2px; background: var(--ground); z-index: 2; }
.shot:first-child::before { display: none; }
.shot img { height: var(--strip); object-fit: cover; filter: var(--dim); }
.shot.roomy img { object-fit: contain; object-position: 0 0; }
.shot.roomy { background: linear-gradient(var(--panel), var(--panel)) bottom / 100% var(--strip) no-repeat; }
.js .shot img, .js .shot .blank { width: 100%; }
.shot .blank { height: var(--strip); background: var(--raised); }
.shot.chosen img { filter: none; }
.shot.chosen::after { content: ""; position: absolute; inset: calc(var(--bars) + 4px) 0 0 2px; border: 2px solid var(--chosen); z-index: 1; }
.shot.chosen { box-shadow: inset 0 2px var(--chosen); }
.shot.chosen:first-child::after { left: 0; }
.shot.pinned img, .shot.pinned .blank { border-top: 6px solid var(--chosen); }
.shot.flawed img, .shot.flawed .blank { opacity: 0.45; }
.shot.flawed::after { content: ""; position: absolute; inset: calc(var(--bars) + 4px) 0 0 2px; border: 2px dashed var(--quiet); z-index: 1; }
.shot.vetoed { background: repeating-linear-gradient(135deg, transparent 0 6px, var(--faint) 6px 8px); }
.shot.vetoed img, .shot.vetoed .blank { opacity: 0.3; }
.shot:hover img, .shot.current img { filter: none; }
.shot:hover, .shot.current { background: linear-gradient(rgb(128 128 128 / 0.1), rgb(128 128 128 / 0.1)); }
.shot:focus-visible { outline: none; }
.shot:focus-visible::after, .shot.chosen:focus-visible::after { content: ""; position: absolute; inset: 0; border: 2px solid var(--ink); z-index: 3; }
.dense .shot::before { display: none; }
.dense .shot.chosen::after { border-width: 2px 0; left: 0; }
.ruler { position: relative; height: 22px; font-size: 11px; color: var(--quiet); overflow: hidden; }
.ruler span { position: absolute; top: 4px; padding-left: 5px; border-left: 1px solid var(--faint); line-height: 14px; }

.below { display: grid; grid-template-columns: 360px minmax(0, 1fr); gap: 36px; margin-top: 20px; align-items: start; }
.film video { width: 100%; height: auto; background: #000; }
.film.tall video { width: auto; max-width: 100%; height: 380px; margin: 0 auto; }
.film figcaption, .links .none { font-size: 12px; color: var(--quiet); margin-top: 8px; }
.below.bare { grid-template-columns: minmax(0, 1fr); }
h3 { font-size: 12px; font-weight: 600; color: var(--quiet); margin-bottom: 4px; }
.why { display: grid; grid-template-columns: 140px minmax(150px, 1fr) minmax(0, 1.9fr); gap: 24px; align-items: start; padding: 14px 0; border-top: 1px solid var(--line); }
.why-list .why:first-child { border-top: 0; }
.frame { display: block; width: max-content; outline: 2px solid var(--chosen); outline-offset: -2px; }
.frame img { max-width: 140px; object-fit: cover; position: relative; z-index: -1; }
.frame:focus-visible { outline-color: var(--ink); outline-offset: 2px; }
.when { display: flex; flex-wrap: wrap; gap: 0 12px; color: var(--quiet); font-size: 13px; }
.when b { color: var(--ink); font-weight: 600; font-size: 14px; width: 100%; }
.because { font-size: 14px; line-height: 1.45; margin-top: 6px; text-wrap: pretty; }
.research summary { padding: 6px 0 2px; font-size: 12px; }
.research .peer { grid-template-columns: 48px minmax(0, 1fr) 48px 38px; }
.counterparts { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 0 20px; }
.counterparts .peer { grid-template-columns: 72px minmax(0, 1fr); }
.cue .counterparts { grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); margin-top: 4px; }
.cue .counterparts .peer { grid-template-columns: 48px minmax(0, 1fr); font-size: 12px; }
.cue .counterparts .peer img { height: 27px; }
.play { text-decoration: underline; text-decoration-color: var(--faint); text-underline-offset: 3px; }
:root:not(.js) .play { display: none; }
.play:hover { color: var(--ink); }
.split { width: 100%; height: 6px; margin: 8px 0 6px; background: var(--track); }
.parts { display: flex; flex-wrap: wrap; gap: 0 16px; font-size: 12px; color: var(--quiet); }
.key::before { content: ""; display: inline-block; width: 8px; height: 8px; margin-right: 6px; background: var(--own); }
.key.shared::before { background: var(--shared); }
.peer { display: grid; grid-template-columns: 72px minmax(0, 1fr) 84px 38px; gap: 0 12px; align-items: center;
  text-decoration: none; padding: 3px 0; font-size: 13px; }
a.peer:hover { background: var(--panel); }
.peer img { height: 40px; width: 100%; object-fit: contain; grid-row: 1 / 3; }
.peer .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; align-self: end; line-height: 1.35; }
span.peer .name { grid-column: 1 / 3; }
.peer .at { grid-column: 2; grid-row: 2; align-self: start; font-size: 12px; line-height: 1.35; }
.peer .share, .peer .part { grid-row: 1 / 3; }
.peer .at, .peer .part { color: var(--quiet); }
.peer .part { text-align: right; }
.share { width: 100%; height: 6px; background: var(--track); }
.rest { font-size: 13px; color: var(--quiet); padding-top: 4px; }
.place.blank { background: var(--raised); }
summary { cursor: pointer; color: var(--quiet); font-size: 13px; padding: 10px 0; }

.card { position: absolute; z-index: 20; width: min(760px, calc(100vw - 48px)); display: grid; grid-template-columns: 320px minmax(0, 1fr);
  background: var(--raised); border: 1px solid var(--faint); box-shadow: var(--shadow); pointer-events: none; }
.card.pinned { pointer-events: auto; }
.card::before { content: ""; position: absolute; left: var(--tip, 50%); top: -6px; width: 10px; height: 10px; margin-left: -5px;
  background: var(--raised); border: solid var(--faint); border-width: 1px 0 0 1px; transform: rotate(45deg); }
.card.above::before { top: auto; bottom: -6px; border-width: 0 1px 1px 0; }
.card-picture { z-index: 1; }
.card:focus { outline: none; }
.card.pinned:focus-visible { border-color: var(--ink); }
.card-picture { display: grid; place-items: center; background: #08090a; min-height: 200px; }
.card-picture img { max-width: 320px; max-height: 300px; }
.card-picture p { color: #8d9098; font-size: 12px; }
.card-body { padding: 14px 18px 14px 20px; }
.card header { display: flex; align-items: baseline; gap: 10px; }
.card h2 { font-size: 15px; font-weight: 600; }
#card-mark { font-size: 12px; color: var(--quiet); }
.is-chosen #card-mark { color: var(--chosen); font-weight: 600; }
.card nav { margin-left: auto; display: none; gap: 2px; }
.card.pinned nav { display: flex; }
.card nav button { width: 28px; height: 28px; text-align: center; font-size: 18px; line-height: 1; color: var(--quiet); }
.card nav button:hover { color: var(--ink); background: var(--line); }
.card-clock { font-size: 20px; letter-spacing: -0.01em; line-height: 1.3; }
.card .split, .card .share { background: var(--line); }
.card dl { margin-top: 10px; font-size: 12px; }
.card dl div { display: flex; gap: 10px; }
.card dt { flex: 0 0 48px; color: var(--quiet); }
.card-support { grid-column: 1 / -1; padding: 12px 20px 14px; border-top: 1px solid var(--line); max-height: 236px; overflow: auto; }
.card-support:empty { display: none; }
.card .counterparts { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 0 28px; }
${LISTS}
@media (max-width: 1080px) {
  main { padding: 28px 24px 72px; }
  .guide ul { grid-template-columns: 1fr 1fr; gap: 20px 28px; }
  .below, .concept-body { grid-template-columns: minmax(0, 1fr); gap: 24px; }
  .cues ol { position: static; max-height: 420px; }
  .film video { max-width: 520px; }
  .facts { margin-left: 0; }
  .index .name { flex-basis: 150px; }
}
@media (max-width: 640px) {
  main { padding: 20px 16px 56px; }
  .figures { gap: 16px 28px; }
  .figures dd { font-size: 22px; flex-wrap: wrap; }
  .guide ul { grid-template-columns: 1fr; }
  .why { grid-template-columns: minmax(0, 1fr); gap: 10px; }
  .card { grid-template-columns: minmax(0, 1fr); width: calc(100vw - 32px); max-height: 80vh; overflow-y: auto; }
  .card-picture img { max-width: 100%; }
  .card header { flex-wrap: wrap; }
  .card .support { grid-template-columns: minmax(0, 1fr); }
  .card .peer, .peer { grid-template-columns: 56px minmax(0, 1fr) 40px 38px; }
  .concept-head, .video-head, .links { flex-wrap: wrap; }
  .links { margin-left: 0; white-space: normal; gap: 4px 18px; }
  .cues ol, .index ol { max-height: none; }
  .bare .cues ol { columns: auto; }
  .cue { grid-template-columns: 64px minmax(0, 1fr) auto; }
  .cue .frame img { width: 64px; }
  .cue .source { flex-wrap: wrap; gap: 0 8px; }
  .cue .source a, .index .name, .peer .name { white-space: normal; }
  .tile img { max-width: 100%; }
  .tile, .frame { width: auto; max-width: 100%; }
  .film.tall video { width: 100%; height: auto; max-height: 80vh; }
  .video-head h2 { min-width: 0; flex: 1 1 70%; }
  .facts { margin-left: 0; gap: 10px 24px; }
  .index h2 { margin-bottom: 34px; }
  .index .columns { top: 24px; }
  .index a { flex-wrap: wrap; gap: 4px 14px; height: auto; padding: 8px 0; }
  .index .name { flex: 1 1 60%; min-width: 0; }
  .spark { order: 1; flex: 0 0 100%; }
  .spark .bars { height: 14px; }
  .odd li, .skipped li { grid-template-columns: minmax(0, 1fr); gap: 2px; }
  .odd .who { flex-wrap: wrap; }
  .odd .counts, .skipped code { text-align: left; }
  .options > span { min-width: 0; }
  table, thead, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
  td { border: 0; padding: 1px 0; }
  td[data-name]::before { content: attr(data-name) " "; color: var(--quiet); }
}
@media (prefers-reduced-motion: no-preference) {
  .shot img, .tile img, .tile .tag { transition: filter 90ms, opacity 90ms; }
}
@media print {${PAPER}
  main { max-width: none; padding: 0; }
  .card, video, .play, .keys, .overview { display: none !important; }
  .film .board { display: block; max-width: 100%; max-height: 150mm; object-fit: contain; object-position: 0 0; }
  .film { break-inside: avoid; }
  .below, .concept-body { display: block; }
  .cues { min-height: 0; }
  .cues ol { position: static; max-height: none; overflow: visible; columns: 2; }
  .links { white-space: normal; }
  .links a::after { content: " (" attr(href) ")"; color: var(--quiet); }
  a { text-decoration: none; }
  .cue .source a, .index .name, .peer .name { white-space: normal; overflow: visible; }
  .video { content-visibility: visible; }
  .scroll { overflow: visible; }
  .lane, .why, .tile, .cue, .peer, .odd li, .index li, .guide li, .figures div, .notes li, .skipped li, tr { break-inside: avoid; }
  h2, h3, .video-head, .concept-head, .facts { break-after: avoid; }
  .index ol, .wide { max-height: none; overflow: visible; }
}
`;

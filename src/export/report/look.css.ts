/** What every page of this program shares: colours, text, its top. Dark by default, since pictures are judged on dark. */
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

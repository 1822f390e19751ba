import { LISTS, LOOK, PAPER } from '../../../render/index.js';

/** The style of the page. People are blue, the subject red, the paper amber, chance grey. */
export const PAGE_STYLE = `${LOOK}${LISTS}
:root { --people: var(--shared); --subject: var(--chosen); --paper: var(--own); --chance: var(--quiet); }
.lede { font-size: clamp(19px, 2vw, 25px); line-height: 1.35; letter-spacing: -0.012em; max-width: 34em; text-wrap: pretty; }
.top .figures { margin-top: 34px; }
.findings { margin-top: 14px; max-width: 84ch; color: var(--quiet); }
.findings li { padding: 2px 0; overflow-wrap: anywhere; }
.about { color: var(--quiet); font-size: 13px; max-width: 92ch; margin-bottom: 16px; overflow-wrap: anywhere; }
.list { margin-top: 44px; padding-top: 28px; }
.list > h2 { font-size: 22px; letter-spacing: -0.015em; margin-bottom: 12px; }

.chooser { position: sticky; top: 0; z-index: 5; margin: 0; padding: 12px 0; border: 0; border-top: 1px solid var(--line);
  background: var(--ground); display: flex; flex-wrap: wrap; gap: 6px; min-width: 0; }
.chooser legend { float: left; padding: 5px 10px 5px 0; font-size: 12px; font-weight: 600; color: var(--quiet); }
.chooser label { position: relative; cursor: pointer; }
.chooser input { position: absolute; opacity: 0; inset: 0; width: 100%; height: 100%; margin: 0; cursor: pointer; }
.chooser span { display: block; padding: 5px 12px; font-size: 13px; border: 1px solid var(--line); color: var(--quiet); white-space: nowrap; }
.chooser label:hover span { color: var(--ink); border-color: var(--faint); }
.chooser input:checked + span { color: var(--ground); background: var(--ink); border-color: var(--ink); }
.chooser input:focus-visible + span { outline: 2px solid var(--ink); outline-offset: 2px; }
:root:not(.js) .chooser { display: none; }
:root:not(.js) .panel + .panel { margin-top: 40px; }

table { font-size: 13px; }
caption { text-align: left; font-size: 12px; font-weight: 600; color: var(--quiet); padding-bottom: 8px; }
thead th { font-size: 12px; color: var(--quiet); vertical-align: bottom; }
tbody th { font-weight: 400; }
tr.subject th, th.subject, .grid td.subject { font-weight: 600; color: var(--ink); }
.number { text-align: right; white-space: nowrap; }
td.number { color: var(--quiet); }
td.strong, tr.subject td.number, tr td.subject { color: var(--ink); }
th:last-child, td:last-child:not(.lane-cell) { padding-right: 0; }

.chart th, .chart td { border-bottom: 0; padding-top: 0; padding-bottom: 0; }
.chart thead th { padding-bottom: 6px; border-bottom: 1px solid var(--line); }
.chart tbody tr:hover { background: var(--panel); }
.chart tbody th { max-width: 240px; overflow-wrap: anywhere; line-height: 1.25; }
.lane-cell { width: 56%; }
.tests .lane-cell { width: 34%; min-width: 200px; }
.plot, .axis { overflow: visible; }
.guide-line { stroke-width: 1; }
.guide-line.chance { stroke: var(--chance); stroke-dasharray: 3 3; }
.guide-line.people { stroke: var(--people); opacity: 0.75; }
.guide-line.zero { stroke: var(--quiet); }
.plot { --mark: var(--ink); }
.plot.people { --mark: var(--people); } .plot.chance { --mark: var(--chance); } .plot.subject { --mark: var(--subject); }
.plot.unclear { --mark: var(--quiet); }
.plot .dot { fill: var(--mark); }
.plot.unclear .dot { fill: var(--ground); stroke: var(--mark); stroke-width: 1.6; }
.plot .whisker line { stroke: var(--mark); stroke-width: 1.6; }
.plot .paper path { fill: none; stroke: var(--paper); stroke-width: 1.6; }
.axis line { stroke: var(--faint); }
.axis text { fill: var(--quiet); font-size: 11px; text-anchor: middle; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 18px; font-weight: 400; font-size: 12px; color: var(--quiet); }
.tests .legend { justify-content: space-between; }
.key { white-space: nowrap; }
.key::before { content: ""; display: inline-block; vertical-align: -1px; height: 12px; margin-right: 6px; border-left: 1px solid var(--people); }
.key.chance::before { border-left: 1px dashed var(--chance); }
.key.paper::before { width: 7px; height: 7px; border: 1.6px solid var(--paper); transform: rotate(45deg); vertical-align: 1px; }
.key.subject::before { width: 8px; height: 8px; border: 0; border-radius: 50%; background: var(--subject); vertical-align: 0; }

.grid tbody tr:hover { background: var(--panel); }
.grid th:first-child { min-width: 130px; }
.topics thead th { overflow-wrap: break-word; white-space: normal; min-width: 62px; max-width: 110px; line-height: 1.25; }
.topics tbody th { min-width: 170px; }
.topics td { vertical-align: top; }
.topics small { display: block; font-size: 11px; color: var(--quiet); }
.topics tfoot th { font-weight: 600; } .topics tfoot td, .topics tfoot th { border-bottom: 0; }
.topics span.best, td.best { color: var(--ink); }
.topics span.best { background: var(--wash); box-shadow: inset 0 -2px var(--chosen); padding: 1px 3px; margin-right: -3px; font-weight: 600; }
td.best { background: var(--wash); box-shadow: inset 0 -2px var(--chosen); font-weight: 600; }
.topics small.best { font-weight: 600; color: var(--ink); text-decoration: underline; text-decoration-color: var(--paper); text-decoration-thickness: 2px; text-underline-offset: 2px; }
.thumb i { font-style: normal; }
.told { margin-right: 14px; }

.strip-plot { overflow: visible; }
.level { stroke: var(--line); } .level-name { fill: var(--quiet); font-size: 11px; }
.column rect { fill: transparent; } .column:hover rect { fill: rgb(128 128 128 / 0.12); }
.column .span { stroke: var(--faint); stroke-width: 2; }
.tick { fill: none; stroke-width: 2; } .tick.people { stroke: var(--people); } .tick.chance { stroke: var(--chance); }
.column .dot { fill: var(--subject); }
figcaption.legend { margin: 6px 0 4px; }
figcaption .key.people::before, figcaption .key.chance::before { width: 9px; height: 0; border: 0; border-top: 2px solid var(--people); vertical-align: 4px; }
figcaption .key.chance::before { border-color: var(--chance); }

.examples { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 560px), 1fr)); gap: 30px 40px; }
.example h3 { display: flex; align-items: baseline; gap: 10px; font-size: 15px; color: var(--ink); margin-bottom: 8px; min-width: 0; overflow-wrap: anywhere; }
.video-id { font-size: 12px; font-weight: 400; color: var(--quiet); }
.gain { margin-left: auto; font-size: 12px; font-weight: 400; color: var(--quiet); white-space: nowrap; }
.ranking { display: grid; grid-template-columns: 92px minmax(0, 1fr); gap: 12px; align-items: start; margin-top: 8px; }
.ranking-name { font-size: 12px; color: var(--quiet); line-height: 1.4; overflow-wrap: anywhere; }
.ranking-name b, .ranking-name span { display: block; } .ranking-name b { color: var(--ink); font-weight: 600; }
.thumbs { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 6px; }
.thumb img, .thumb .blank { display: block; width: 100%; height: auto; aspect-ratio: 16 / 9; object-fit: cover; background: var(--raised); }
.thumb > span:last-child { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 6px; font-size: 11px; line-height: 1.35; color: var(--quiet); }
.wanted { width: 100%; height: 4px; background: var(--track); margin: 3px 0 2px; }
.making > .wide { margin: 18px 0; }
.making td { color: var(--quiet); }

@media (max-width: 1080px) { main { padding: 28px 24px 72px; } }
@media (max-width: 720px) {
  main { padding: 20px 16px 56px; }
  .chart tbody th { min-width: 96px; max-width: 112px; overflow-wrap: break-word; }
  .lane-cell, .tests .lane-cell { min-width: 170px; }
  .chooser { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; }
  .chooser legend { display: none; }
  .ranking { grid-template-columns: 1fr; gap: 4px; }
  .ranking-name b, .ranking-name span { display: inline; margin-right: 8px; }
  .skipped li { grid-template-columns: 1fr; gap: 2px; }
  .making dl div { flex-direction: column; gap: 0; }
  .wide th:first-child { position: sticky; left: 0; background: var(--ground); z-index: 1; }
  .topics tbody th { min-width: 112px; max-width: 128px; }
}
@media print {${PAPER}
  main { max-width: none; padding: 0; }
  .chooser { display: none; }
  .wide { overflow: visible; }
  tr, .example, figure { break-inside: avoid; }
  h2, caption { break-after: avoid; }
}
`;

import { formatPercent, markup, raw, type Html } from '../../../export/index.js';
import { type Example, WITH_AND_WITHOUT } from '../../benchmark.js';
import { formatDifference, formatValue } from '../numbers.js';
import type { Reading } from '../read.js';

/** Reads the picture of a shot: a JPEG of about 320 pixels on the long side, or nothing. */
export type PictureOf = (videoId: string, shot: number) => Promise<Buffer | null>;

/** What the other videos change: the first shots of one video per topic, with them and without; one chunk per picture. */
export async function* renderExamples(reading: Reading, pictureOf: PictureOf): AsyncGenerator<Html> {
  const { examples } = reading.benchmark;
  if (examples.length === 0) return;
  yield markup`<section class="list" aria-labelledby="examples">
    <h2 id="examples">With and without the other videos</h2>
    <p class="about">
      The first five shots of one video per topic, as it is ranked with the other videos and alone. Below each shot: how
      many judges have it in their reference. "Both" marks shots that are in both rows.
    </p>
    <div class="examples">`;
  for (const example of examples) yield* renderExample(reading, example, pictureOf);
  yield markup`</div></section>\n`;
}

async function* renderExample(reading: Reading, example: Example, pictureOf: PictureOf): AsyncGenerator<Html> {
  const topic = reading.topics.find(({ code }) => code === example.topic)?.title ?? example.topic;
  const judges = reading.board.videos.find(({ id }) => id === example.video)?.judgeCount ?? null;
  const [first, second] = example.rankings;
  const gain = first && second ? markup`<span class="gain">${formatDifference(first.p5 - second.p5)} P@5</span>` : null;
  yield markup`<article class="example">
    <h3><bdi>${topic}</bdi> <bdi class="video-id">${example.video}</bdi>${gain}</h3>`;
  for (const { row, p5, shots } of example.rankings) {
    yield markup`<div class="ranking">
      <p class="ranking-name"><b>${sayRow(row)}</b><span>P@5 ${formatValue(p5)}</span></p>
      <ol class="thumbs">`;
    for (const [place, { shot, startFrame, endFrame, wantedBy }] of shots.entries()) {
      const inBoth = example.rankings.every((other) => other.shots.some((each) => each.shot === shot));
      const wanted = judges === null ? formatPercent(wantedBy) : `${Math.round(wantedBy * judges)} of ${judges}`;
      const frames = `frames ${startFrame} to ${endFrame - 1}`;
      const label = `Place ${place + 1}: shot ${shot + 1}, ${frames}, wanted by ${wanted} judges`;
      const picture = embed(await pictureOf(example.video, shot), label);
      yield markup`<li class="thumb" title="${label}">${picture}${drawShare(wantedBy)}<span aria-hidden="true"
        >${wanted}${inBoth ? markup`<i>both</i>` : null}</span></li>`;
    }
    yield markup`</ol></div>`;
  }
  yield markup`</article>\n`;
}

/** The two rows of an example in words; others by their name. */
function sayRow(row: string): Html {
  const pair = WITH_AND_WITHOUT.find((each) => each.includes(row));
  return pair ? (pair[0] === row ? markup`with the others` : markup`alone`) : markup`<bdi>${row}</bdi>`;
}

function embed(picture: Buffer | null, label: string): Html {
  if (picture === null) return markup`<span class="blank" role="img" aria-label="${label}; no picture"></span>`;
  const data = raw(`data:image/jpeg;base64,${picture.toString('base64')}`);
  return markup`<img alt="${label}" width="160" height="90" decoding="async" src="${data}" />`;
}

function drawShare(part: number): Html {
  const width = Number((100 * Math.min(1, Math.max(0, part))).toFixed(2));
  return markup`<svg class="wanted" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    <rect class="shared" width="${width}" height="1" />
  </svg>`;
}

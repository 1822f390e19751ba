import { formatCount, markup, plural, type Html, formatPercent, raw } from '../../../render/index.js';
import { METRICS, type MetricName } from '../../metrics/names.js';
import type { Scoreboard, ScoreRow } from '../../types.js';
import { formatTick, formatValue, formatDifference, bestMethod, type Reading } from '../text-table.js';
import { scaleOf, upwards, type Scale, lineHead, numberCell, numberHead, scrolling } from './chart.js';
import { type Example, WITH_AND_WITHOUT } from '../../benchmark.js';

/** One video by one measure. */
type VideoValues = {
  readonly video: Scoreboard['videos'][number];
  readonly topic: string;
  readonly value: number;
  readonly best: number | null;
  readonly chance: number | null;
  readonly people: number | null;
};

/** Every video by one measure, from where the subject does best to where it does worst. */
export function renderVideos(reading: Reading, name: MetricName): Html {
  const videos = videosBy(reading, name);
  if (videos.length === 0) return markup`<p class="about">No video has a value by this measure.</p>`;
  const { subject } = reading.board.settings;
  return markup`<p class="about">${sayAbove(videos, subject)}</p>
    <figure>${drawStrip(videos, name, subject)}<figcaption class="legend"><span class="key subject">${subject}</span
      ><span class="key chance">random</span><span class="key people">one person</span></figcaption></figure>
    <details><summary>${METRICS[name]} of every video</summary>${renderList(videos, name, subject)}</details>`;
}

function videosBy({ board, subject, chance, people, topics }: Reading, name: MetricName): readonly VideoValues[] {
  const titles = new Map(topics.map(({ code, title }) => [code, title]));
  const valuesOf = (video: Scoreboard['videos'][number], place: number): VideoValues[] => {
    const at = (row: ScoreRow | null): number | null => row?.scores[name].perVideo[place] ?? null;
    const value = at(subject);
    if (value === null) return [];
    const topic = titles.get(video.topic) ?? video.topic;
    return [{ video, topic, value, best: bestMethod(board.rows, at), chance: at(chance), people: at(people) }];
  };
  return board.videos.flatMap(valuesOf).sort((one, other) => other.value - one.value);
}

function sayAbove(videos: readonly VideoValues[], subject: string): string {
  const count = (side: 'chance' | 'people'): readonly [number, number] => {
    const compared = videos.filter((video) => video[side] !== null);
    return [compared.filter((video) => video.value > video[side]!).length, compared.length];
  };
  const [overChance, withChance] = count('chance');
  const [overPeople, withPeople] = count('people');
  const people = withPeople > 0 ? ` and above the one person in ${overPeople} of ${formatCount(withPeople)}` : '';
  return `${subject} is above random in ${overChance} of ${plural(withChance, 'video')}${people}.`;
}

function drawStrip(videos: readonly VideoValues[], name: MetricName, subject: string): Html {
  const values = videos.flatMap(({ value, chance, people }) => [value, chance, people]);
  const scale = scaleOf(values.filter((value) => value !== null));
  return markup`<svg class="strip-plot" width="100%" height="280" role="img">
    <title>${METRICS[name]} of ${subject} on every video, best first</title>
    <desc>One column per video: a dot for ${subject}, a line from random to the one person. The numbers are below.</desc>
    ${scale.ticks.map((tick) => drawLevel(scale, tick))}
    ${videos.map((video, column) => drawVideo(scale, video, column, videos.length, subject))}
  </svg>`;
}

function drawLevel({ place }: Scale, tick: number): Html {
  const y = upwards(place(tick));
  return markup`<line class="level" x1="0" x2="100%" y1="${y}" y2="${y}" />
    <text class="level-name" x="0" y="${y}" dy="-4">${formatTick(tick)}</text>`;
}

/** Part of the width that belongs to the names of the levels. */
const LEFT = 0.05;

const across = (share: number): string => `${Number((100 * (LEFT + share * (1 - LEFT))).toFixed(3))}%`;

function drawVideo({ place }: Scale, shown: VideoValues, column: number, columnCount: number, subject: string): Html {
  const { video, topic, value, chance, people } = shown;
  const x = across((column + 0.5) / columnCount);
  const y = (score: number): string => upwards(place(score));
  const tick = (className: string, score: number | null): Html | null =>
    score === null
      ? null
      : markup`<svg x="${x}" y="${y(score)}" overflow="visible"><path class="tick ${className}" d="M-4 0H4" /></svg>`;
  const span =
    chance === null || people === null
      ? null
      : markup`<line class="span" x1="${x}" x2="${x}" y1="${y(chance)}" y2="${y(people)}" />`;
  const title =
    `${video.id}, ${topic}: ${subject} ${formatValue(value)}, random ${formatValue(chance)}, ` +
    `one person ${formatValue(people)}`;
  const width = `${Number(((100 * (1 - LEFT)) / columnCount).toFixed(3))}%`;
  return markup`<g class="column"><title>${title}</title>
    <rect x="${across(column / columnCount)}" y="0" width="${width}" height="100%" />
    ${span}${tick('chance', chance)}${tick('people', people)}<circle class="dot" cx="${x}" cy="${y(value)}" r="4" />
  </g>`;
}

function renderList(videos: readonly VideoValues[], name: MetricName, subject: string): Html {
  const heads = ['shots', 'judges', subject, 'best method', 'random', 'one person'].map((head) => numberHead(head));
  const line = ({ video, topic, value, best, chance, people }: VideoValues): Html =>
    markup`<tr>${lineHead(video.id)}<td><bdi>${topic}</bdi></td>
      ${numberCell(formatCount(video.shotCount))}${numberCell(String(video.judgeCount))}
      ${numberCell(formatValue(value), 'strong')}${[best, chance, people].map((each) => numberCell(formatValue(each)))}
    </tr>`;
  return scrolling(
    `${METRICS[name]} of every video`,
    markup`<table class="grid">
      <caption>${METRICS[name]} of every video, best for ${subject} first</caption>
      <thead><tr><th scope="col">Video</th><th scope="col">Topic</th>${heads}</tr></thead>
      <tbody>${videos.map(line)}</tbody>
    </table>`,
  );
}

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

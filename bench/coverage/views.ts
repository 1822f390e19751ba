// npm run bench:coverage -- TVSUM-FOLDER VIDEOS     from which likeness on two shots show the same view; writes views.txt
// The labels were made by a model that looked at stills, one letter for each piece of two seconds.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { dot, rowOf, toSeconds, type Matrix } from '../../src/base/index.js';
import { meanOf } from '../../src/eval/index.js';
import { readTvsum } from '../../src/eval/datasets/tvsum.js';
import { VIEW_NEARNESS } from '../../src/topic/index.js';
import { describeFiles, listVideos } from '../folders.js';
import { machineFacts } from '../machine.js';
import { describeTvsum, usualOfBackground } from '../tvsum.js';

/**
 * Views by topic and video, from piece `from` on. One letter is one camera set-up, however often the video comes back to it;
 * the small letter is the same scene framed otherwise, and not compared with the large one; a dot is not labelled.
 */
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  VT: { AwmHb44_ouw: 'ABBBBBBBCDEEEFFFFGGGG.GGGHHHHHHHHIIJJ.J.' },
  GA: { 'Bhxk-O1Y7Ho': 'AAA....DEFGA.AHIIIJJJJK.....M.MMNOOQPPPP' },
  PK: { XkqCExn6_Us: 'ABBBBC.DEEFFGHIJJKLLLMNO.QRSSTUUUVVWWXXY' },
  FM: { byxOvuiIJV0: 'ABBBCCD.EFFG..HIJKLMNOOP.QRSTUVWXXYZZabc' },
  BT: { EYqVtI9YWJA: 'ABBCaaaa.FGG......IJKKKAAAAAAMNNNNN.OPAA' },
  surfing: {
    '01_big_waves.mp4': 'AAAAAAAAAAAAA..aaaa',
    '02_under_over_wave.mp4': 'AA.B..C.FF',
    '03_shorebreak.mp4': 'A.BBF.GG.F',
    '05_misty_portrait.mp4': 'bb..BBBB',
    '06_barrel.mp4': 'AAA.B.C',
    '07_aerial_single_surfer.mp4': 'b...BBB',
    '08_flowrider_indoor.mp4': 'AAAAAA',
    '09_river_wave.mp4': 'AAAA',
    '11_grey_day.mp4': 'AA',
  },
  traffic: {
    '01_intersection_timelapse.mp4': 'A'.repeat(36),
    '05_crosswalk_intersection.mp4': 'A'.repeat(15),
    '06_bangkok_junction.mp4': 'A'.repeat(14),
    '08_curved_motorway.avi': 'A'.repeat(14),
    '12_delhi_road.mp4': 'AAAA.BBBBB.a',
    '13_highway_curve.mp4': 'A'.repeat(10),
    '14_drone_roundabout.mp4': 'A'.repeat(9),
  },
};
/** The labels of TVSum begin here. */
const FIRST_STILL = 20;

/** Labelled shots: rows of a matrix, with the video and the view that each shows. */
type Labelled = { readonly rows: readonly Float64Array[]; readonly views: readonly string[] };
type Pair = { readonly likeness: number; readonly isSame: boolean };

const [tvsum = '', folder = ''] = process.argv.slice(2);
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

const topicOf = new Map((await readTvsum(tvsum)).videos.map(({ id, topic }) => [id, topic]));
const topics = new Map<string, Labelled[]>();
const add = (topic: string, labels: string, rowAt: (piece: number) => number, features: Matrix): void => {
  const byRow = new Map([...labels].map((view, piece) => [rowAt(piece), view] as const).filter(([, view]) => view !== '.')); // prettier-ignore
  const rows = [...byRow.keys()].map((row) => rowOf(features, row));
  topics.set(topic, [...(topics.get(topic) ?? []), { rows, views: [...byRow.values()] }]);
};
for (const { video, features } of await describeTvsum(tvsum, 'root')) {
  const labels = LABELS[topicOf.get(video.id)!]?.[video.id];
  const pieceAt = (piece: number): number => Math.min(features.rows - 1, FIRST_STILL + piece);
  if (labels) add(topicOf.get(video.id)!, labels, pieceAt, features);
}
const copies: number[] = [];
const usual = usualOfBackground();
for (const topic of ['surfing', 'traffic']) {
  for (const { name, vectors, video } of await describeFiles(topic, listVideos(join(folder, topic)))) {
    const { shots, start, timeBase } = video.analysis;
    const at = (seconds: number): number => shots.findLastIndex(({ range }) => toSeconds(range.start - start, timeBase) <= seconds); // prettier-ignore
    const labels = LABELS[topic]![name];
    if (labels) add(topic, labels, (piece) => at(2 * piece + 1), vectors);
    if (!name.startsWith('06_bangkok')) continue;
    const [copy] = await describeFiles('copy', [join(folder, 'odd/near_duplicate_of_traffic06_320p.mp4')]);
    copies.push(...[...shots.keys()].flatMap((row) => (row < copy!.vectors.rows ? [dot(rowOf(vectors, row), rowOf(copy!.vectors, row))] : []))); // prettier-ignore
  }
}

/** All pairs of labelled shots of a video; of different videos of a topic too, which are different views. */
function pairsOf(videos: readonly Labelled[]): Pair[] {
  const all = videos.flatMap(({ rows, views }, video) => rows.map((row, i) => ({ row, view: views[i]!, video })));
  return all.flatMap((a, i) =>
    all.slice(i + 1).flatMap((b) => {
      const isSame = a.video === b.video && a.view === b.view;
      const isRelated = a.video === b.video && a.view.toLowerCase() === b.view.toLowerCase();
      return isRelated && !isSame ? [] : [{ likeness: dot(a.row, b.row), isSame }];
    }),
  );
}
const pairs = new Map([...topics].map(([topic, videos]) => [topic, pairsOf(videos)]));

/** Shares of same and of different views that are at least as near as a share of the distance between unrelated shots. */
function sharesAt(topic: string, nearness: number): { same: number; different: number } {
  const limit = Math.min(0.97, 1 - nearness ** 2 * (1 - usual));
  const share = (isSame: boolean): number => {
    const of = pairs.get(topic)!.filter((pair) => pair.isSame === isSame);
    return of.filter(({ likeness }) => likeness >= limit).length / of.length;
  };
  return { same: share(true), different: share(false) };
}
/** Precision, recall and F1 with as many pairs of the same as of different views. */
function figuresAt(topic: string, nearness: number) {
  const { same, different } = sharesAt(topic, nearness);
  const precision = same + different === 0 ? 0 : same / (same + different);
  return { precision, recall: same, f1: precision + same === 0 ? 0 : (2 * precision * same) / (precision + same) };
}
const GRID = Array.from({ length: 15 }, (_, k) => 0.3 + 0.05 * k);
const meanF1 = (names: readonly string[], nearness: number): number => meanOf(names.map((name) => figuresAt(name, nearness).f1))!; // prettier-ignore
const bestFor = (names: readonly string[]): number => GRID.reduce((best, each) => (meanF1(names, each) > meanF1(names, best) ? each : best)); // prettier-ignore

const names = [...pairs.keys()];
const cells = (values: readonly number[]): string => values.map((value) => value.toFixed(3).padStart(8)).join(' ');
say(
  `usual likeness of unrelated shots ${usual.toFixed(3)}; pairs weighted so that same and different views count alike`,
);
say(`${'topic left out'.padEnd(16)} pairs: same different   nearness chosen on the others, precision, recall, F1`);
const held: ReturnType<typeof figuresAt>[] = [];
for (const name of names) {
  const chosen = bestFor(names.filter((other) => other !== name));
  const figures = figuresAt(name, chosen);
  held.push(figures);
  const counts = [true, false].map((isSame) => pairs.get(name)!.filter((pair) => pair.isSame === isSame).length);
  say(`${name.padEnd(16)} ${counts.map((count) => String(count).padStart(8)).join(' ')}   ${cells([chosen, figures.precision, figures.recall, figures.f1])}`); // prettier-ignore
}
const mean = (of: (each: (typeof held)[number]) => number): number => meanOf(held.map(of))!;
say(`${'mean'.padEnd(35)}${cells([mean((f) => f.precision), mean((f) => f.recall), mean((f) => f.f1)])}`);
say(`all topics: nearness, precision, recall, F1`);
for (const nearness of GRID) {
  const all = names.map((name) => figuresAt(name, nearness));
  const marks = [nearness === bestFor(names) ? 'chosen on all' : '', Math.abs(nearness - VIEW_NEARNESS) < 1e-9 ? 'in use' : ''].filter(Boolean).join(', '); // prettier-ignore
  say(`  ${cells([nearness, meanOf(all.map((f) => f.precision))!, meanOf(all.map((f) => f.recall))!, meanOf(all.map((f) => f.f1))!])}  ${marks}`.trimEnd()); // prettier-ignore
}
const near = copies.filter((likeness) => likeness >= Math.min(0.97, 1 - VIEW_NEARNESS ** 2 * (1 - usual))).length;
say(`shots of a copy of traffic/06 at 320 px that show the view of their original: ${near} of ${copies.length}`);
writeFileSync(new URL('views.txt', import.meta.url), `${report.join('\n')}\n`);

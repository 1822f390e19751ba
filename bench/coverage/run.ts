// npm run bench:coverage -- TVSUM-FOLDER [VIDEOS]     what summaries leave out; with VIDEOS the limit of a view (views.ts); writes results.txt
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { dot, rowOf, type Matrix } from '../../src/base/index.js';
import { meanOf, scoreVideo } from '../../src/eval/index.js';
import { rankAll, type DescribedVideo } from '../../src/eval/rank-all.js';
import { cutToLength, partsFor } from '../../src/summary/index.js';
import { sameViewFrom, viewsOf } from '../../src/topic/index.js';
import { machineFacts } from '../machine.js';
import { describeTvsum, usualOfBackground } from '../tvsum.js';

const SHARE = 0.15;
const SEEDS = 5;
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};

type Figures = {
  distance: number;
  within: number;
  seen: number;
  repeats: number;
  p15: number | null;
  lift: number | null;
};

/** What a choice of shots shows of its video. */
function figuresOf({ video, features }: DescribedVideo, chosen: readonly number[], views: readonly number[]): Figures {
  const shots = video.shots.length;
  const nearest = Array.from({ length: shots }, (_, i) =>
    Math.min(...chosen.map((j) => Math.sqrt(Math.max(0, 2 - 2 * dot(rowOf(features, i), rowOf(features, j)))))),
  );
  // A clip speaks for its share of the video, half before it and half after it.
  const reach = video.frameCount / chosen.length;
  const middle = (i: number): number => (video.shots[i]!.startFrame + video.shots[i]!.endFrame) / 2;
  const within = Array.from({ length: shots }, (_, i) => chosen.some((j) => Math.abs(middle(i) - middle(j)) <= reach));
  const isIn = new Set(chosen);
  const shown = new Set(chosen.map((shot) => views[shot]));
  const order = [...chosen, ...[...video.shots.keys()].filter((shot) => !isIn.has(shot))];
  const scores = scoreVideo(video, { order, scores: Float64Array.from(video.shots, (_, i) => (isIn.has(i) ? 1 : 0)) });
  return {
    distance: nearest.reduce((sum, each) => sum + each, 0) / shots,
    within: within.filter(Boolean).length / shots,
    seen: within.filter((isNear, i) => isNear || shown.has(views[i])).length / shots,
    repeats: 1 - new Set(chosen.map((shot) => views[shot])).size / chosen.length,
    p15: scores.p15.value,
    lift: scores.lift.value,
  };
}

say((await machineFacts()).join(', '));
const videos = await describeTvsum(process.argv[2], 'root');
const orders = await rankAll(
  videos,
  {
    cvs: { method: 'cvs' },
    uniform: { method: 'uniform' },
    ...Object.fromEntries(Array.from({ length: SEEDS }, (_, seed) => [`random ${seed}`, { method: 'random' as const, seed }])),
  },
  { workers: availableParallelism() },
); // prettier-ignore

/** Shots chosen down a ranking; with views and parts as the product does it. */
function choose({ video, features }: DescribedVideo, order: readonly number[], how: 'plain' | 'views' | 'parts') {
  const base = { num: 1, den: 1 };
  const shots = video.shots.map(({ startFrame: start, endFrame: end }) => ({ range: { start, end, base } }));
  const total = { start: 0, end: video.frameCount, base };
  const views = viewsIn(features);
  const allowed = SHARE * video.frameCount;
  const parts = how === 'parts' ? partsFor(allowed, video.frameCount / shots.length) : 0;
  const wishes = how === 'plain' ? {} : { views, parts };
  return cutToLength(order, shots, { kind: 'share', share: SHARE }, total, undefined, wishes).chosen;
}

const viewsKnown = new Map<Matrix, number[]>();
function viewsIn(features: Matrix): number[] {
  const known = viewsKnown.get(features) ?? viewsOf(features, sameViewFrom(USUAL));
  viewsKnown.set(features, known);
  return known;
}
/** What unrelated shots are like: those of the background, as in the product. */
const USUAL = usualOfBackground();

const rows: [string, keyof typeof orders, 'plain' | 'views' | 'parts'][] = [
  ['ranking alone', 'cvs', 'plain'],
  ['no view twice', 'cvs', 'views'],
  ['no view twice, covered', 'cvs', 'parts'],
  ['uniform', 'uniform', 'plain'],
];
say(`TVSum, ${videos.length} videos, ${100 * SHARE} %: distance of every shot to the nearest chosen one, share of the video within reach of a chosen one, the same or of a view that is shown, share of chosen shots that repeat a view, P@15 %, lift`); // prettier-ignore
const line = (name: string, figures: readonly Figures[]): void => {
  const mean = (of: (each: Figures) => number | null): string => (meanOf(figures.map(of)) ?? NaN).toFixed(3);
  const cells = [mean((f) => f.distance), mean((f) => f.within), mean((f) => f.seen), mean((f) => f.repeats), mean((f) => f.p15), mean((f) => f.lift)]; // prettier-ignore
  say(`  ${name.padEnd(46)} ${cells.join('   ')}`);
};
for (const [name, method, how] of rows) {
  line(name, videos.map((each) => figuresOf(each, choose(each, orders[method]!.get(each.video.id)!.order, how), viewsIn(each.features)))); // prettier-ignore
}
// What covering costs, by the length of the videos.
for (const [from, to] of [
  [0, 3],
  [3, 5],
  [5, 60],
] as const) {
  const some = videos.filter(({ video }) => 2 * video.shots.length >= 60 * from && 2 * video.shots.length < 60 * to);
  for (const how of ['views', 'parts'] as const)
    line(`  ${some.length} videos of ${from} to ${to} min${how === 'parts' ? ', covered' : ''}`, some.map((each) => figuresOf(each, choose(each, orders.cvs!.get(each.video.id)!.order, how), viewsIn(each.features)))); // prettier-ignore
}
const drawn = Array.from({ length: SEEDS }, (_, seed) => `random ${seed}` as keyof typeof orders);
line('random', drawn.flatMap((name) => videos.map((each) => figuresOf(each, choose(each, orders[name]!.get(each.video.id)!.order, 'plain'), viewsIn(each.features))))); // prettier-ignore
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);
if (process.argv[3]) await import('./views.js');

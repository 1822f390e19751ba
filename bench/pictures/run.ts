// npx tsx bench/pictures/run.ts FOLDER...     the figures of docs/decisions/0036-bad-pictures.md
// Recall: 4 s from the middle of each video, made bad by ffmpeg in known ways. False refusals: every 2 s of each video as it
// is, listed, to be looked at.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { locateFfmpeg, probe } from '../../src/media/index.js';
import {
  findFlaws,
  type Flaw,
  type FrameMeasures,
  frameMeter,
  measureSample,
  readMeasures,
} from '../../src/shots/index.js';
import { listVideos } from '../folders.js';
import { machineFacts } from '../machine.js';

const SMALL = { widthPx: 64, heightPx: 36 };
const SAMPLE_EVERY = 24;
/** The frames that are held in the frozen variant. */
const FREEZE = { start: 25, frames: 40 };

/** How footage is made bad: the flaws that may be found, and the filters that do it to a picture of 640 px. */
const variants: readonly { name: string; kinds: readonly Flaw['kind'][]; filter: string }[] = [
  { name: 'near black', kinds: ['black', 'exposed'], filter: 'lutrgb=val*0.12:val*0.12:val*0.12' },
  { name: 'glaring', kinds: ['exposed', 'flat'], filter: 'lutrgb=val*2.2+70:val*2.2+70:val*2.2+70' },
  { name: 'out of focus, σ 1.25 % of the width', kinds: ['blurred', 'flat'], filter: 'gblur=sigma=8:steps=4' },
  { name: 'out of focus, σ 2.5 %', kinds: ['blurred', 'flat'], filter: 'gblur=sigma=16:steps=4' },
  {
    name: 'shaken by up to 7 % of the width',
    kinds: ['shaken'],
    filter: "crop=iw*0.86:ih*0.86:'(iw-ow)*random(1)':'(ih-oh)*random(2)'",
  },
  {
    name: 'frozen for 40 frames',
    kinds: ['frozen'],
    filter: `loop=loop=${FREEZE.frames}:size=1:start=${FREEZE.start}`,
  },
];
const cards = ['smptebars', 'smptehdbars', 'pal75bars', 'pal100bars', 'testsrc', 'testsrc2'] as const;

const scratch = mkdtempSync(join(tmpdir(), 'throughline-pictures-'));
const { path: ffmpeg } = await locateFfmpeg();
console.log((await machineFacts()).join(', '));

/** Decodes an input once into the views of each filter, and measures them. */
function measureAll(input: readonly string[], shape: number, filters: readonly string[]): FrameMeasures[] {
  const large = { widthPx: shape >= 1 ? 320 : 180, heightPx: Math.round(shape >= 1 ? 320 / shape : 180 / shape) };
  const labels = filters.map((_, at) => `[i${at}]`).join('');
  const graph = [
    `[0:v]scale=${2 * large.widthPx}:${2 * large.heightPx}:flags=area,format=gbrp,split=${filters.length}${labels}`,
    ...filters.flatMap((filter, at) => [
      `[i${at}]${filter},split=2[a${at}][b${at}]`,
      `[a${at}]scale=64:36:flags=area,format=rgb24[s${at}]`,
      `[b${at}]select='not(mod(n,${SAMPLE_EVERY}))',scale=${large.widthPx}:${large.heightPx}:flags=area,format=rgb24[l${at}]`,
    ]),
  ].join(';');
  const outputs = filters.flatMap((_, at) =>
    ['s', 'l'].flatMap((view) => [
      ...['-map', `[${view}${at}]`, '-fps_mode', 'passthrough', '-f', 'rawvideo', join(scratch, `${view}${at}`)],
    ]),
  );
  execFileSync(ffmpeg, ['-v', 'error', '-nostdin', '-y', ...input, '-filter_complex', graph, ...outputs]);
  return filters.map((_, at) => {
    const [small, samples] = ['s', 'l'].map((view) => readFileSync(join(scratch, `${view}${at}`)));
    const meter = frameMeter(SMALL);
    const [frameBytes, sampleBytes] = [SMALL, large].map(({ widthPx, heightPx }) => 3 * widthPx * heightPx);
    const count = small!.length / frameBytes!;
    for (let k = 0; k < count; k++) meter.push(small!.subarray(k * frameBytes!, (k + 1) * frameBytes!));
    const measured = Array.from({ length: samples!.length / sampleBytes! }, (_, k) =>
      measureSample(samples!.subarray(k * sampleBytes!, (k + 1) * sampleBytes!), large, k * SAMPLE_EVERY),
    );
    return readMeasures(meter.end(), measured, count)!;
  });
}

const shotOf = (startFrame: number, endFrame: number, rate: number) => ({
  ...{ startFrame, endFrame },
  range: { start: startFrame, end: endFrame, base: { num: 1000, den: Math.round(1000 * rate) } },
});

const found = new Map(variants.map(({ name }) => [name, [0, 0]]));
let [pieces, refused] = [0, 0];
const refusals: string[] = [];
for (const path of process.argv.slice(2).flatMap(listVideos)) {
  const info = await probe(path);
  const rate = info.frameRate ? info.frameRate.num / info.frameRate.den : 25;
  const shape = (info.widthPx * info.sampleAspect.num) / (info.heightPx * info.sampleAspect.den);
  const middle = Math.max(0, (info.durationHint ?? 0) / 2 - 2);
  const stretch = ['-ss', String(middle), '-t', '4', '-i', path];
  const bad = measureAll(stretch, shape, ['null', ...variants.map(({ filter }) => filter)]);
  for (const [at, { name, kinds }] of variants.entries()) {
    const measures = bad[at + 1]!;
    const whole = [0, measures.luma.length] as const;
    const held = [FREEZE.start, FREEZE.start + FREEZE.frames] as const;
    const shot = shotOf(...(kinds.includes('frozen') ? held : whole), rate);
    const tally = found.get(name)!;
    tally[1]!++;
    if (findFlaws([shot], measures)[0]!.some(({ kind }) => kinds.includes(kind))) tally[0]!++;
  }
  const [measures] = measureAll(['-i', path], shape, ['null']);
  const length = Math.round(2 * rate);
  const count = measures!.luma.length;
  const shots = Array.from({ length: Math.max(1, Math.floor(count / length)) }, (_, k) =>
    shotOf(k * length, Math.min(count, (k + 1) * length), rate),
  );
  pieces += shots.length;
  for (const [at, flaws] of findFlaws(shots, measures!).entries()) {
    if (flaws.length === 0) continue;
    refused++;
    refusals.push(`  ${basename(path)} ${2 * at} s: ${flaws.map(({ kind }) => kind).join(', ')}`);
  }
}
for (const [name, [hits, of]] of found) console.log(`${name}: found ${hits} of ${of}`);
let hits = 0;
for (const card of cards) {
  const [measures] = measureAll(['-f', 'lavfi', '-t', '2', '-i', `${card}=s=640x360`], 16 / 9, ['null']);
  const flaws = findFlaws([shotOf(0, measures!.luma.length, 25)], measures!)[0]!;
  if (flaws.some(({ kind }) => kind === 'bars' || kind === 'slate')) hits++;
}
console.log(`bars and test cards of ffmpeg: found ${hits} of ${cards.length}`);
console.log(`pieces of 2 s refused in the videos as they are: ${refused} of ${pieces}`);
console.log(refusals.join('\n'));
rmSync(scratch, { recursive: true });

// npm run bench:shots -- [VIDEOS] [tuning]     precision and recall of takes on sequences with known cuts, beside ffmpeg's scdet; with real footage where VIDEOS has it; writes results.txt
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

import { locateFfmpeg } from '../../src/media/index.js';
import { createSegmenter } from '../../src/shots/index.js';
import { machineLine } from '../machine.js';
import { halved, HEIGHT, realTakes, sequences, WIDTH, type Half, type Sequence } from './material.js';

const { path: ffmpeg } = await locateFfmpeg();
const [folder = '', asked] = process.argv.slice(2);
const half: Half = asked === 'tuning' ? 'tuning' : 'held back';
/** Seeds of the drawn takes of each half. */
const SEEDS: Readonly<Record<Half, number>> = { tuning: 1000, 'held back': 90_000 };
const TICKS = 90_000;

/** First frames of the takes after the first. */
function ours({ times, endSeconds }: Sequence, pictures: readonly Uint8Array[]): number[] {
  const segmenter = createSegmenter('colour', { widthPx: WIDTH / 2, heightPx: HEIGHT / 2 });
  for (const [frame, picture] of pictures.entries()) segmenter.push(halved(picture), times[frame]!);
  const frameTicks = times.map((time) => Math.round(time * TICKS));
  const clock = { frameTicks, endTicks: Math.ceil(endSeconds * TICKS) + 1, timeBase: { num: 1, den: TICKS } };
  return segmenter.end(clock).takes.slice(1).map(({ startFrame }) => startFrame); // prettier-ignore
}

/** Frames at which ffmpeg's scdet reports a change of scene, with its default threshold. It sees the pictures in full size. */
async function scdet(pictures: readonly Uint8Array[]): Promise<number[]> {
  const args = ['-v', 'info', '-nostats', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${WIDTH}x${HEIGHT}`, '-r', '25', '-i', '-', '-vf', 'scdet', '-f', 'null', '-']; // prettier-ignore
  const child = spawn(ffmpeg, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(Buffer.concat(pictures));
  let said = '';
  for await (const chunk of child.stderr) said += String(chunk);
  return [...said.matchAll(/lavfi\.scd\.time: ([\d.]+)/g)].map(([, seconds]) => Math.round(Number(seconds) * 25));
}

type Tally = { hits: number; wrong: number; missed: number };

/** Each label takes one boundary within a frame of it; what is left over is wrong. */
function compare({ labels }: Sequence, found: readonly number[]): Tally {
  const used = new Set<number>();
  for (const { from, to } of labels) {
    const at = found.findIndex((frame, i) => !used.has(i) && frame >= from - 1 && frame <= to + 1);
    if (at >= 0) used.add(at);
  }
  return { hits: used.size, wrong: found.length - used.size, missed: labels.length - used.size };
}

const tallies = new Map<string, Record<'ours' | 'scdet', Tally>>();
function add(row: string, who: 'ours' | 'scdet', { hits, wrong, missed }: Tally): void {
  const none = (): Tally => ({ hits: 0, wrong: 0, missed: 0 });
  if (!tallies.has(row)) tallies.set(row, { ours: none(), scdet: none() });
  const sum = tallies.get(row)![who];
  sum.hits += hits;
  sum.wrong += wrong;
  sum.missed += missed;
}

for (const sequence of sequences(await realTakes(ffmpeg, folder, half), SEEDS[half])) {
  const pictures = sequence.times.map((_, frame) => sequence.picture(frame));
  const rows = [
    sequence.isGradual ? 'gradual' : 'hard cuts',
    `  ${sequence.kind}, ${sequence.isReal ? 'real' : 'drawn'}`,
  ];
  const found = { ours: ours(sequence, pictures), scdet: await scdet(pictures) };
  for (const who of ['ours', 'scdet'] as const) for (const row of rows) add(row, who, compare(sequence, found[who]));
}

const figures = ({ hits, wrong, missed }: Tally): string => {
  const share = (part: number, whole: number): string => (whole === 0 ? '  –  ' : (part / whole).toFixed(3));
  return `${share(hits, hits + wrong)}  ${share(hits, hits + missed)}  ${share(2 * hits, 2 * hits + wrong + missed)}`;
};
const head = `${''.padEnd(28)}${'labels'.padStart(6)}   ours: P      R      F1   scdet: P      R      F1`;
const rows = [...tallies].map(
  ([row, { ours: a, scdet: b }]) =>
    `${row.padEnd(28)}${String(a.hits + a.missed).padStart(6)}   ${figures(a)}   ${figures(b)}`,
);
const report = [
  await machineLine(`Takes found in sequences with known cuts, within one frame, the ${half} half`),
  head,
  ...rows,
].join('\n');
console.log(report);
if (half === 'held back') writeFileSync(new URL('results.txt', import.meta.url), `${report}\n`);

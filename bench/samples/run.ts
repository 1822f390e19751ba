// npm run bench:samples -- VIDEO...|FOLDER...     how many pictures a shot are enough: the table in docs/features.md
import { writeFileSync } from 'node:fs';

import { normaliseShots, openExtractor, poolPictures } from '../../src/features/index.js';
import { decode, probe } from '../../src/media/index.js';
import { namedVideos } from '../folders.js';
import { machineFacts } from '../machine.js';

/** A picture every so many frames is held against one every 4. */
const DENSEST = 4;
const STEPS = [8, 16, 24, 32, 64];
/** Frames a shot: the middle of what the segmenter makes. */
const SHOT = 64;

const paths = namedVideos(process.argv.slice(2));
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

const extractor = await openExtractor({ features: 'default' }, { workers: 2 });
const cosines = new Map<number, number[]>(STEPS.map((step) => [step, []]));
const between: number[] = [];
for (const path of paths) {
  const info = await probe(path);
  const vectors: Promise<Float32Array>[] = [];
  const views = [{ name: 'network', ...extractor.sample, every: DENSEST }] as const;
  // The decoder's clock comes with the first view, which must want every frame.
  for await (const { pictures } of decode(info, [{ name: 'clock', widthPx: 2, heightPx: 2, every: 1 }, ...views])
    .frames) {
    if (pictures['network']) vectors.push(extractor.embed(pictures['network']));
    if (vectors.length % 8 === 0) await vectors.at(-1);
  }
  const all = await Promise.all(vectors);
  const shots = Math.floor((all.length * DENSEST) / SHOT);
  const pooled = (step: number): Float64Array[] =>
    Array.from({ length: shots }, (_, shot) => {
      const own = all.filter((_, k) => Math.floor((k * DENSEST) / SHOT) === shot && (k * DENSEST) % step === 0);
      const data = poolPictures(own, extractor.dim);
      return normaliseShots({ shotCount: 1, dim: extractor.dim, data }, 'root').data;
    });
  const cosine = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, k) => sum + value * b[k]!, 0);
  const dense = pooled(DENSEST);
  for (const step of STEPS) pooled(step).forEach((row, shot) => cosines.get(step)!.push(cosine(row, dense[shot]!)));
  dense.forEach((row, shot) => dense.slice(shot + 1).forEach((other) => between.push(cosine(row, other))));
}
await extractor.close();

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!;
const shots = cosines.get(STEPS[0]!)!.length;
say(
  `${paths.length} videos, ${shots} shots of ${SHOT} frames: cosine to the vector from a picture every ${DENSEST} frames`,
);
say('  a picture every   pictures a shot   median   lowest tenth   lowest');
for (const [step, found] of cosines) {
  const numbers = [0.5, 0.1, 0].map((share) => quantile(found, share).toFixed(4));
  say(
    `  ${`${step} frames`.padEnd(17)} ${(SHOT / step).toFixed(1).padEnd(17)} ${numbers[0]}   ${numbers[1]}         ${numbers[2]}`,
  );
}
say(
  `  two shots of one video, for comparison: median ${quantile(between, 0.5).toFixed(4)}, highest tenth ${quantile(between, 0.9).toFixed(4)}`,
);
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);

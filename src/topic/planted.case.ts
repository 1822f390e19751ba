import { type Matrix, random, unitRows, zeros } from '../base/index.js';

const DIM = 48;
/** Noise is given for vectors of `DIM` numbers; longer ones get as much in all. */
const noiseIn = (dim: number, noise: number): number => noise * Math.sqrt(DIM / dim);

/** Subjects: directions that a topic's shots point to, around what all pictures have in common. */
export function subjects(seed: number, count = 6, dim = DIM): Matrix {
  const { normal } = random(seed);
  const S = zeros(count, dim);
  for (let i = 0; i < S.data.length; i++) S.data[i] = normal() + (i % dim < dim / 6 ? 2.5 : 0);
  return unitRows(S);
}

/** A video that shows the subjects named, one a shot, each a little differently every time. */
export function filmed(of: Matrix, shown: readonly number[], seed: number, noise = 0.08): Matrix {
  const { normal } = random(seed);
  const X = zeros(shown.length, of.cols);
  const size = noiseIn(of.cols, noise);
  shown.forEach((subject, shot) => {
    for (let k = 0; k < of.cols; k++) X.data[shot * of.cols + k] = of.data[subject * of.cols + k]! + size * normal();
  });
  return unitRows(X);
}

/** A topic of so many videos; each shows all its subjects, in an order of its own. */
export function plantedTopic(seed: number, videos: number, shots = 12, dim = DIM): Matrix[] {
  const topic = subjects(seed, 6, dim);
  return Array.from({ length: videos }, (_, v) => {
    const { below } = random(seed * 131 + v);
    const shown = Array.from({ length: shots }, (_, shot) => shot % topic.rows);
    for (let i = shots - 1; i > 0; i--) {
      const other = below(i + 1);
      [shown[i], shown[other]] = [shown[other]!, shown[i]!];
    }
    return filmed(topic, shown, seed * 977 + v);
  });
}

/** A copy as another encoder leaves it: each shot a little off, and perhaps without its ends. */
export function copied(video: Matrix, seed: number, { noise = 0.03, first = 0, last = 0 } = {}): Matrix {
  const { normal } = random(seed);
  const rows = video.rows - first - last;
  const data = video.data
    .slice(first * video.cols, (first + rows) * video.cols)
    .map((value) => value + noiseIn(video.cols, noise) * normal());
  return unitRows({ rows, cols: video.cols, data });
}

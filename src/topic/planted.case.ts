import { type Matrix, random, unitRows, zeros } from '../base/index.js';

const DIM = 48;

/** Subjects: directions that a topic's shots point to, around what all pictures have in common. */
export function subjects(seed: number, count = 6): Matrix {
  const { normal } = random(seed);
  const S = zeros(count, DIM);
  for (let i = 0; i < S.data.length; i++) S.data[i] = normal() + (i % DIM < 8 ? 2.5 : 0);
  return unitRows(S);
}

/** A video that shows the subjects named, one a shot, each a little differently every time. */
export function filmed(of: Matrix, shown: readonly number[], seed: number, noise = 0.08): Matrix {
  const { normal } = random(seed);
  const X = zeros(shown.length, DIM);
  shown.forEach((subject, shot) => {
    for (let k = 0; k < DIM; k++) X.data[shot * DIM + k] = of.data[subject * DIM + k]! + noise * normal();
  });
  return unitRows(X);
}

/** A topic of so many videos; each shows all its subjects, in an order of its own. */
export function plantedTopic(seed: number, videos: number, shots = 12): Matrix[] {
  const topic = subjects(seed);
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
    .map((value) => value + noise * normal());
  return unitRows({ rows, cols: video.cols, data });
}

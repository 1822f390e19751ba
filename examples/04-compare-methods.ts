/**
 * I have features, and the choices of a few people. Which method comes closest to them on my own material?
 */
import assert from 'node:assert/strict';
import { scoreOwnRanking } from 'throughline-video/eval';
import { createSelector, METHOD_NAMES, methods } from 'throughline-video/select';
import { problemsOfTopic } from 'throughline-video/select';

// Rows are shots. Two videos of one topic: shots 0 and 3 of the first and 1 and 2 of the second show the same two things.
const matrix = (rows: number[][]) => ({ rows: rows.length, cols: 4, data: Float64Array.from(rows.flat()) });
const videos = [
  matrix([
    [1, 0, 0.1, 0],
    [0, 0, 1, 0],
    [0, 0.1, 0.9, 0.2],
    [0, 1, 0, 0],
    [0, 0, 0.8, 0.6],
  ]),
  matrix([
    [0, 0, 0, 1],
    [0.9, 0, 0, 0.1],
    [0.1, 1, 0, 0],
    [0, 0, 0.2, 1],
  ]),
];
// What two people would put into a summary of the first video.
const references = [
  [0, 3],
  [0, 3, 4],
];

for (const method of METHOD_NAMES) {
  const [problem] = problemsOfTopic(videos, methods[method].others);
  const { order } = createSelector({ method, seed: 1 }).select(problem!);
  const { ap5 } = scoreOwnRanking(order, references);
  if (method === 'cvs') assert.equal(ap5.value?.toFixed(3), '1.000');
  console.log(`${method.padEnd(17)} ${order.join(' ')}   AP@5 ${ap5.value?.toFixed(3)}`);
}

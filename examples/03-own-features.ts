/**
 * I am a researcher with shot features of my own: rank the shots of one video against the rest of its topic, with proof.
 */
import assert from 'node:assert/strict';
import { cvs, explain } from 'throughline-video/select';
import { mergeMoments, momentOf, problemOf, type Moment } from 'throughline-video/select';

// Rows are shots. Here: three videos of a topic, four features; shots 0 and 1 of the first show what the others show too.
const matrix = (rows: number[][]) => ({ rows: rows.length, cols: 4, data: Float64Array.from(rows.flat()) });
const own = matrix([
  [1, 0.1, 0, 0],
  [0.1, 1, 0, 0],
  [0, 0, 1, 0],
  [0, 0, 0.3, 0.1],
]);
const others = [
  matrix([
    [1, 0, 0, 0],
    [0.9, 0.2, 0, 0],
  ]),
  matrix([
    [0.2, 0.9, 0, 0],
    [0, 1, 0, 0.1],
  ]),
];

// This one matrix is all that a ranking needs to know about the other videos, however many there are.
const context: Moment = mergeMoments(others.map((features) => momentOf(features)));
const problem = problemOf(own, context);
const ranking = cvs({ contextWeight: 0.5 }).select(problem);

console.log('order', ranking.order.join(' '));
console.log('own   ', [...ranking.own].map((value) => value.toFixed(3)).join(' '));
console.log('shared', [...ranking.shared].map((value) => value.toFixed(3)).join(' '));
const { converged, residual, gap } = ranking.certificate;
console.log(`converged ${converged}, residual ${residual.toExponential(1)}, gap ${gap?.toExponential(1)}`);

// What the others show too comes first, and the certificate shows that the solver has converged.
assert.deepEqual(new Set(ranking.order.slice(0, 2)), new Set([0, 1]));
assert(converged);

const why = explain(problem, ranking);
for (const { neighbor, share, shot } of why(
  ranking.order[0]!,
  others.map((features) => ({ features })),
)) {
  console.log(`video ${neighbor} supports the first by ${(100 * share).toFixed(0)} %, most with its shot ${shot}`);
}

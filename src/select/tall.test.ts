import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { bytesOf, HELD_ROWS, type Matrix, random, type StoredMatrix } from '../base/index.js';
import { momentOf, type Problem, problemOf, withWishes } from '../topic/index.js';
import { createSelector, cvs, cvsAlone, explain, METHOD_NAMES, solveAll, type CvsKnobs } from './index.js';

const SHOTS = HELD_ROWS + 210;
const DIM = 6;

const folder = mkdtempSync(join(tmpdir(), 'throughline-tall-'));
const files: number[] = [];
afterAll(() => {
  files.forEach((file) => closeSync(file));
  rmSync(folder, { recursive: true });
});

/** Shots around a few scenes, at length one. */
function shotsOf(seed: number, rows: number): Matrix {
  const { normal, below } = random(seed);
  const scenes = Array.from({ length: 5 }, () => Float64Array.from({ length: DIM }, normal));
  const data = new Float64Array(rows * DIM);
  for (let i = 0; i < rows; i++) {
    const row = scenes[below(5)]!.map((value) => value + 0.4 * normal());
    const length = Math.hypot(...row);
    data.set(row.map((value) => value / length), i * DIM); // prettier-ignore
  }
  return { rows, cols: DIM, data };
}

function storedOf({ rows, cols, data }: Matrix): StoredMatrix {
  const path = join(folder, String(files.length));
  writeFileSync(path, bytesOf(data));
  files.push(openSync(path, 'r'));
  return { rows, cols, file: files.at(-1)!, offset: 0, isOpen: Int32Array.of(1) };
}

const held = shotsOf(1, SHOTS);
const stored = storedOf(held);
const others = momentOf(shotsOf(2, 300));
const evidence = Float64Array.from({ length: SHOTS }, random(9).normal);
const wish = <M extends Matrix | StoredMatrix>(problem: Problem<M>): Problem<M> =>
  withWishes({ ...problem, evidence }, [7, 4000], [0, 1, 9, 4300]);

/** Kinds of problems, and what they are solved with. */
const CASES: readonly [string, Partial<CvsKnobs>, boolean][] = [
  ['as it comes', {}, false],
  ['with wishes', {}, true],
  ['with wishes and prices', { evidence: 0.5 }, true],
  ['where the own counts more, with wishes', { shared: 0.2 }, true],
  ['where the shared counts more', { shared: 0.8 }, false],
];

describe('a video of more shots than are held, in a file', () => {
  it.each(CASES)('is ranked as in memory, to the last bit: %s', (_, knobs, isWished) => {
    const [inFile, here] = [problemOf(stored, others), problemOf(held, others)];
    const tall = cvs(knobs).select(isWished ? wish(inFile) : inFile);
    expect(tall).toEqual(cvs(knobs).select(isWished ? wish(here) : here));
    expect(tall.certificate).toMatchObject({ converged: true, form: 'features' });
  });

  it.each(CASES)('has the optimum that a basis of its span leads to: %s', { tags: 'slow' }, (_, knobs, isWished) => {
    const exact = { ...knobs, tolerance: 1e-9 };
    const problem = isWished ? wish(problemOf(stored, others)) : problemOf(stored, others);
    const tall = cvs(exact).select(problem);
    // A rank, even one that cuts nothing off, is worked out from all shots at once.
    const spanned = cvs({ ...exact, rank: DIM }).select(problem);
    const largest = Math.max(...spanned.scores);
    tall.scores.forEach((score, i) => expect(Math.abs(score - spanned.scores[i]!)).toBeLessThan(1e-6 * largest));
  });

  it('alone, in a thread, and by every method, is ranked as in memory', async () => {
    const alone = problemOf(stored, null);
    expect(cvsAlone().select(alone)).toEqual(cvsAlone().select(problemOf(held, null)));
    const inThread = await solveAll([problemOf(stored, others)], { method: 'cvs' }, { workers: 1 });
    expect(inThread).toEqual([cvs().select(problemOf(held, others))]);
    // The other methods load all shots; few will do to see that.
    const few = shotsOf(3, 40);
    const neighbor = shotsOf(4, 30);
    for (const method of METHOD_NAMES) {
      const posed = <M extends Matrix | StoredMatrix>(own: M, their: M): Problem<M> =>
        problemOf(own, others, { neighbors: [{ features: their }] });
      const selector = createSelector({ method, seed: 3 });
      expect(selector.select(posed(storedOf(few), storedOf(neighbor)))).toEqual(selector.select(posed(few, neighbor)));
    }
  });

  it('is explained as in memory', () => {
    const [inFile, here] = [wish(problemOf(stored, others)), wish(problemOf(held, others))];
    const knobs = { evidence: 0.5 };
    const ranking = cvs(knobs).select(here);
    const neighbors = [shotsOf(5, 50), shotsOf(6, 20)];
    const expected = explain(here, ranking, knobs)(11, neighbors.map((features) => ({ features }))); // prettier-ignore
    expect(explain(inFile, ranking, knobs)(11, neighbors.map((features) => ({ features: storedOf(features) })))).toEqual(expected); // prettier-ignore
    expect(expected[0]!.share).toBeGreaterThan(0);
  });
});

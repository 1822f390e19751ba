import { describe, expect, it } from 'vitest';
import { CancelledError } from '../base/index.js';
import { mergeMoments, momentOf, problemOf, type Problem } from '../topic/index.js';
import { scenes } from './algorithm1.case.js';
import { cvs, openSolvers, type Ranking, solveAll } from './index.js';

const videos = [30, 7, 19, 1, 12].map((shots, seed) => scenes(seed, shots, 16));
const topic = mergeMoments(videos.map((features) => momentOf(features)));

function* problems(): Generator<Problem> {
  for (const features of videos) yield problemOf(features, topic, { ownWeight: 1 });
}

const bytes = (rankings: Ranking[]): string =>
  rankings
    .map(({ scores, own, shared, order }) =>
      [scores, own, shared]
        .map(({ buffer }) => Buffer.from(buffer).toString('hex'))
        .concat(order.join())
        .join(),
    )
    .join('\n');

describe('solving a whole topic', () => {
  it('gives the same bytes for any number of workers', async () => {
    const plain = [...problems()].map((problem) => cvs().select(problem));
    for (const workers of [0, 1, 3]) {
      expect(bytes(await solveAll(problems(), { method: 'cvs' }, { workers }))).toBe(bytes(plain));
    }
  });

  it('passes on what a problem is refused for', async () => {
    const rbf = solveAll(problems(), { method: 'cvs', knobs: { similarity: 'rbf' } }, { workers: 1 });
    await expect(rbf).rejects.toMatchObject({ code: 'needs-neighbors' });
  });

  it('stops on request, with workers and without', async () => {
    for (const workers of [0, 2]) {
      const controller = new AbortController();
      const run = solveAll(
        problems(),
        { method: 'cvs' },
        { workers, signal: controller.signal, onSolved: () => controller.abort() },
      );
      await expect(run).rejects.toBeInstanceOf(CancelledError);
    }
  });
});

describe('threads that stay', () => {
  it(
    'give the bytes of solveAll for every method, balance and wish, however often they are asked',
    { tags: 'slow' },
    async () => {
      const solvers = openSolvers(2);
      const all = [...problems()];
      const wished = all.map((problem) =>
        problem.features.rows > 10 ? { ...problem, pinned: [3], vetoed: [5] } : problem,
      );
      try {
        for (const given of [all, all, wished, wished, all])
          for (const choice of [
            { method: 'cvs', knobs: { shared: 0.5 } },
            { method: 'cvs', knobs: { shared: 0.1 } },
            { method: 'cvs', knobs: { shared: 0.9, diversity: 0.02 } },
            { method: 'kmeans', seed: 3 },
            { method: 'cvs' },
          ] as const)
            expect(bytes(await solvers.solve(given, choice))).toBe(bytes(await solveAll(given, choice)));
        const [one, other] = await Promise.all([
          solvers.solve(all, { method: 'cvs', knobs: { shared: 0.2 } }),
          solvers.solve(wished, { method: 'smrs' }),
        ]);
        expect(bytes(one)).toBe(bytes(await solveAll(all, { method: 'cvs', knobs: { shared: 0.2 } })));
        expect(bytes(other)).toBe(bytes(await solveAll(wished, { method: 'smrs' })));
        await expect(solvers.solve(all, { method: 'cvs', knobs: { similarity: 'rbf' } })).rejects.toMatchObject({
          code: 'needs-neighbors',
        });
        expect(bytes(await solvers.solve(all))).toBe(bytes(await solveAll(all)));
        await expect(solvers.solve(all, { method: 'cvs' }, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(
          CancelledError,
        );
      } finally {
        await solvers.close();
      }
    },
  );

  it('keep no more problems than one list has, and still answer about any', async () => {
    const solvers = openSolvers(1);
    const [first, second] = [[...problems()], [...problems()].toReversed()];
    const others = [40, 41, 42, 43, 44].map((seed) => problemOf(scenes(seed, 9, 16), topic));
    try {
      // The same shots in other places, other shots in the same places, a part of a list.
      for (const given of [first, first, others, others, second, first, others.slice(2), first.slice(0, 2), others])
        expect(bytes(await solvers.solve(given))).toBe(bytes(await solveAll(given)));
    } finally {
      await solvers.close();
    }
  });
});

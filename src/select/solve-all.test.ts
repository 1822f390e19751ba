import { describe, expect, it } from 'vitest';
import { CancelledError } from '../base/index.js';
import { mergeMoments, momentOf, problemOf, type Problem } from '../topic/index.js';
import { scenes } from './algorithm1.case.js';
import { cvs, type Ranking, solveAll } from './index.js';

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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type Outcome } from 'throughline-video';
import { copyAnalysis, drawTopic } from '../fixtures/drawn-topic.js';
import { eachCase } from '../fixtures/each-case.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { METHOD_NAMES, methods, type MethodName } from '../../src/select/index.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-methods-'));
  await drawTopic({ folder: at('topic'), ffmpeg: (await locateFfmpeg()).path, scale: 0.2, videoCount: 6 });
  await copyAnalysis(at('cache'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

function run(method: MethodName, out: string, seed = 1): Promise<Outcome> {
  return summarizeTopic(at('topic'), { method, seed, out: at(out), cache: at('cache'), length: '30%', films: false });
}

describe('a topic summarised by', () => {
  eachCase(METHOD_NAMES, 4, '%s: every shot ranked, some chosen, and said by which method', async (method) => {
    const { document } = await run(method, method);
    expect(document.options).toMatchObject({ method, seed: 1 });
    for (const { shots, clips, solver } of document.videos) {
      expect(shots.map(({ rank }) => rank).sort((a, b) => a - b)).toEqual([...shots.keys()]);
      expect(clips.length).toBeGreaterThan(0);
      expect(solver.converged).toBe(true);
      for (const { score, own, shared } of shots) expect(score).toBeCloseTo(Math.hypot(own, shared), 9);
      // The paper has no evidence; the other forms of cvs do.
      const hasEvidence = method.startsWith('cvs') && method !== 'cvs-paper';
      expect(shots.every(({ evidence }) => (evidence !== null) === hasEvidence)).toBe(true);
      const isAlone = methods[method].others === 'none';
      if (isAlone) expect(shots.every(({ shared, support }) => shared === 0 && support.length === 0)).toBe(true);
      for (const { chosen, support } of shots) if (!chosen) expect(support).toEqual([]);
    }
    if (methods[method].others === 'shots') {
      const supported = document.videos.flatMap(({ shots }) => shots).filter(({ support }) => support.length > 0);
      expect(supported.length).toBeGreaterThan(0);
      for (const { support } of supported) {
        expect(support.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-9);
      }
    }
  });

  it('random: another seed, another summary', { tags: 'slow' }, async () => {
    const chosen = ({ document }: Outcome): boolean[][] =>
      document.videos.map(({ shots }) => shots.map((shot) => shot.chosen));
    expect(chosen(await run('random', 'first'))).not.toEqual(chosen(await run('random', 'second', 2)));
  });
});

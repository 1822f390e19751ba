import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openWorkbench, summarizeTopic, type OptionsInput } from 'throughline-video';
import { copyAnalysis, drawTopic } from '../fixtures/drawn-topic.js';
import { locateFfmpeg } from '../../src/media/index.js';

let home: string;
let bench: Awaited<ReturnType<typeof openWorkbench>>;
const at = (name: string): string => join(home, name);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-workbench-'));
  await drawTopic({ folder: at('topic'), ffmpeg: (await locateFfmpeg()).path, scale: 0.2, videoCount: 3 });
  await copyAnalysis(at('cache'));
  bench = await openWorkbench(at('topic'), { out: at('out'), cache: at('cache') });
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('a topic held open', () => {
  it.each<OptionsInput>([{ concept: '6s' }, { concept: '4 shots', method: 'kmeans', length: '30%', shared: 0.2 }])(
    'is ranked as by a run, film of the topic and all: %j',
    { tags: 'slow' },
    async (options) => {
      const { videos, concept } = await bench.rank(options);
      const { document } = await summarizeTopic(at('topic'), {
        ...{ out: at('run'), cache: at('cache'), films: false, pictures: 'none' },
        ...options,
      });
      expect(videos.map(({ clips }) => clips)).toEqual(document.videos.map(({ clips }) => clips));
      const shown = (shots: readonly { video: string; shot: number; rank: number }[]) =>
        shots.map(({ video, shot, rank }) => ({ video, shot, rank }));
      expect(concept!.shots.length).toBeGreaterThan(1);
      expect(shown(concept!.shots)).toEqual(shown(document.concept!.shots));
    },
  );

  it('ranks the same after other vectors were asked for', { tags: 'slow' }, async () => {
    const scores = async (options: OptionsInput) =>
      (await bench.rank(options)).videos.map(({ clips, shots }) => ({
        clips,
        scores: shots.map(({ score }) => score),
      }));
    const [plain, whitened] = [await scores({}), await scores({ whiten: 4 })];
    expect(whitened).not.toEqual(plain);
    expect([await scores({}), await scores({ whiten: 4 })]).toEqual([plain, whitened]);
  });

  it('has no film of the topic where none was asked for', async () => {
    expect((await bench.rank({})).concept).toBeUndefined();
  });
});
